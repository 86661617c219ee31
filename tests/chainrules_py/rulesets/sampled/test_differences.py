"""Differences and integrals of samples."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, rrule


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_diff_is_the_matrix_of_binomials(n):
    matrix = np.diff(np.eye(5), n=n, axis=0)
    y_bar = np.arange(1.0, 6.0 - n)
    np.testing.assert_allclose(rrule(np.diff, np.zeros(5), n=n)[1](y_bar)[0], matrix.T @ y_bar)


def test_diff_gives_a_number_in_front_the_sum_of_its_slice():
    bars = rrule(np.diff, np.ones((2, 3)), prepend=0.5)[1](np.ones((2, 3)))
    assert bars[1:3] == (NO_TANGENT, NO_TANGENT)
    assert bars[3] == -2.0


def test_trapezoid_of_a_line_is_exact_in_its_points():
    """The integral of f over [a, b] moves with b by f(b), with a by -f(a)."""
    x = np.array([0.0, 0.5, 2.0])
    y_bar, x_bar = rrule(np.trapezoid, 3 * x + 1, x, needs=(True, True))[1](np.float64(1.0))
    y_shift = 3 * y_bar  # the samples are a function of the points
    np.testing.assert_allclose(x_bar + y_shift, [-1.0, 0.0, 7.0], atol=1e-15)
