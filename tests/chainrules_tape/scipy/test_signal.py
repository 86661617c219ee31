"""Functions of `scipy.signal` on traced values."""

import numpy as np
import pytest
from scipy import signal

from chainrules_tape import grad
from chainrules_tape.scipy import signal as traced

FORMS = ("ba", "zpk", "sos")


def test_the_bilinear_transform_of_numbers_alone():
    b, a = np.array([3.0]), np.array([0.0, 2.0])  # of order zero, one with a zero in front
    for found, expected in zip(traced.bilinear(b, a), signal.bilinear(b, a), strict=True):
        np.testing.assert_allclose(found, expected)
    assert grad(lambda b: np.sum(traced.bilinear(b, a)[0]))(b) == [0.5]


@pytest.mark.parametrize("distance", [0.3, 1e-100, 1e100])
def test_smoothing_weights_by_the_distance_of_samples(distance):
    weights = lambda delta: traced.savgol_coeffs(5, 2, deriv=2, delta=delta)  # noqa: E731
    exact = signal.savgol_coeffs(5, 2, deriv=2)
    assert np.allclose(
        distance**3 * grad(lambda delta: weights(delta) @ np.arange(5.0) ** 3)(distance),
        -2 * exact @ np.arange(5.0) ** 3,
    )


def test_slope_of_a_design_by_its_ripple():
    def first(ripple):
        return traced.cheby1(3, ripple, 0.3)[0][0]

    assert np.isclose(grad(first)(1.0), (first(1 + 1e-6) - first(1 - 1e-6)) / 2e-6, rtol=1e-8)
