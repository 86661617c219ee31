"""The rules of variances and averages hold, at constants and for single entries too."""

import numpy as np
import pytest

from chainrules_py import frule, rrule
from chainrules_tape import grad, jvp


@pytest.mark.parametrize("primal", [np.std, np.nanstd])
def test_std_of_a_constant_is_zero_in_both_modes(primal):
    x = np.full((2, 4), 0.1)
    x_bar = rrule(primal, x, axis=1)[1](np.ones(2))[0]
    np.testing.assert_allclose(x_bar, 0.0, atol=1e-16)
    assert not np.isnan(frule((np.ones((2, 4)),), primal, np.zeros((2, 4)), axis=1)[1]).any()


def test_std_of_one_entry_with_a_degree_of_freedom_less_has_no_nan_in_its_gradient():
    with np.errstate(invalid="ignore", divide="ignore"), pytest.warns(RuntimeWarning):
        y, pullback = rrule(np.std, np.ones(1), ddof=1)
    np.testing.assert_array_equal(pullback(np.float64(1.0))[0], [0.0])


@pytest.mark.parametrize("primal", [np.std, np.nanstd])
def test_second_derivatives_where_the_square_of_a_reciprocal_overflows(primal):
    x, x_dot = np.array([[1.0, 3.0, 6.0, 2.0], [0.5, 2.0, -1.0, 1.0]]) * 2.0**-10

    def second(dtype):
        return jvp(grad(primal), (x.astype(dtype),), (x_dot.astype(dtype),))[1]

    np.testing.assert_allclose(second(np.float16), second(float), atol=2e-4)


@pytest.mark.parametrize("primal", [np.var, np.nanvar])
def test_deviations_from_a_mean_between_two_numbers_of_half_precision(primal):
    x = np.array([1000.0, 1000.5], np.float16)
    assert x.mean() in x  # 1000.25 is no float16
    np.testing.assert_array_equal(grad(primal)(x), [-0.25, 0.25])
    assert jvp(primal, (x,), (x,))[1] == 0.125
    assert jvp(np.std, (x,), (np.ones_like(x),))[1] == 0.0
