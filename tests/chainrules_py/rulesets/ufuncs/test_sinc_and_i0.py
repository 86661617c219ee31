"""Derivatives of sinc near zero, to the last digits, against its series."""

import math

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_py.testing.dual import DualNumbers, dot_of


def slope_at(x, orders):
    """Derivatives of sinc by its power series."""
    t, total = np.pi * x, 0.0
    for k in range(30):
        n = 2 * k
        if n >= orders:
            total += (-1) ** k / math.factorial(n + 1) * math.perm(n, orders) * t ** (n - orders)
    return np.pi**orders * total


def derivative(x, order):
    """The derivative of sinc of this order by differentiating its rule again and again."""
    if order == 0:
        return np.sinc(x)
    y, pullback = rrule(np.sinc, x)
    return pullback(np.ones_like(y))[0]


def test_first_derivative_near_zero_to_the_last_digits():
    x = np.array([0.0, 1e-8, 1e-3, 0.1, 0.3183, 0.3184, 0.7])
    np.testing.assert_allclose(
        derivative(x, 1), [slope_at(value, 1) for value in x], rtol=4e-15, atol=1e-300
    )


@pytest.mark.parametrize("x", [0.0, 1e-4, 0.2, 0.5])
def test_second_derivative(x):
    dual = DualNumbers(np.float64(x), np.float64(1.0))
    found = dot_of(rrule(np.sinc, dual)[1](np.float64(1.0))[0])
    np.testing.assert_allclose(found, slope_at(x, 2), rtol=1e-12)
