"""Norms: every order, and what they say where they have no derivative."""

import numpy as np
import pytest

from chainrules_py import frule, rrule
from chainrules_tape import grad, jvp


@pytest.mark.parametrize("order", [None, 1, 2, 3, 0.5, -1, np.inf, -np.inf])
def test_gradient_at_zero_is_zero(order):
    with np.errstate(divide="ignore"):  # NumPy's own norm divides by zero for negative orders
        y, pullback = rrule(np.linalg.norm, np.zeros(3), ord=order)
    np.testing.assert_array_equal(pullback(1.0)[0], np.zeros(3))


@pytest.mark.parametrize("order", [3, 2.5, 1.5, 0.5, -1])
def test_gradient_at_a_zero_entry_is_zero_and_finite_elsewhere(order):
    with np.errstate(divide="ignore"):
        y, pullback = rrule(np.linalg.norm, np.array([0.0, 3.0, -4.0]), ord=order)
    (x_bar,) = pullback(1.0)
    assert x_bar[0] == 0
    assert np.isfinite(x_bar).all()


def test_largest_entries_share_equally_in_both_modes():
    x, x_dot = np.array([1.0, -2.0, 2.0]), np.array([5.0, 7.0, 11.0])
    np.testing.assert_array_equal(rrule(np.linalg.norm, x, ord=np.inf)[1](1.0)[0], [0.0, -0.5, 0.5])
    assert frule((x_dot,), np.linalg.norm, x, ord=np.inf)[1] == (11.0 - 7.0) / 2


def test_largest_singular_values_share_equally():
    np.testing.assert_allclose(
        rrule(np.linalg.norm, 3 * np.eye(4), ord=2)[1](1.0)[0], np.eye(4) / 4, atol=1e-15
    )


def test_nuclear_norm_of_a_deficient_matrix_leaves_the_null_space_alone():
    a = np.diag([3.0, 1.0, 0.0])
    np.testing.assert_allclose(
        rrule(np.linalg.norm, a, ord="nuc")[1](1.0)[0], np.diag([1.0, 1.0, 0.0]), atol=1e-12
    )


def test_neither_overflows_where_the_norm_does_not():
    (x_bar,) = rrule(np.linalg.norm, np.array([3e200, 4e200]), ord=4 / 3)[1](1.0)
    (scaled,) = rrule(np.linalg.norm, np.array([3.0, 4.0]), ord=4 / 3)[1](1.0)
    np.testing.assert_allclose(x_bar, scaled, rtol=1e-12)


@pytest.mark.parametrize("order", [1, np.inf])
@pytest.mark.parametrize(("dtype", "scale"), [(np.complex64, 2.0**-80), (complex, 2.0**-600)])
def test_second_derivatives_where_squares_of_reciprocals_overflow(order, dtype, scale):
    x, x_dot = np.array([[0.3 + 0.4j, -0.2 + 0.1j, 0.5j], [0.1 - 0.2j, 0.3, 1 + 1j]])

    def second(x, x_dot):
        return jvp(grad(lambda x: np.linalg.norm(x, order)), (x,), (x_dot,))[1]

    found = second((scale * x).astype(dtype), (scale * x_dot).astype(dtype))
    np.testing.assert_allclose(found, second(x, x_dot), rtol=1e-5)
