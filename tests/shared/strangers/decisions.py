"""Functions that compare arrays and choose by `numpy.where`, so that they run on many examples."""

import numpy as np


def root_by_halves(a):
    """The square root, by a search whose derivative is zero."""
    low, high = np.zeros_like(a), a + 1.0
    for _ in range(50):
        middle = (low + high) / 2
        is_low = middle * middle < a
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return (low + high) / 2


def root_by_newton(a):
    """The square root, by an iteration that stops where it has arrived."""
    x = a
    for _ in range(40):
        x = np.where(np.abs(x * x - a) < 1e-14, x, (x + a / x) / 2)
    return x


def nearest_image(r):
    """A potential, cut off, of the distance to a place in a periodic box of length 3."""
    d = r - 0.4
    d = d - 3.0 * np.round(d / 3.0)
    square = d * d + 0.5
    return np.where(square < 2.0, square**-3, 0.0) + np.sign(d) * d


def cleaned(x):
    """Digits below 1e-10 are cut off."""
    return np.floor(x * 1e10) / 1e10
