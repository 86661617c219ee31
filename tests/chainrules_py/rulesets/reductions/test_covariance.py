"""The rules of covariances and correlations hold, and shifting or scaling does not change a
correlation.
"""

import numpy as np
import pytest

from chainrules_py import batched, rrule


def test_covariance_of_one_variable_is_its_variance():
    x = np.array([1.0, 2.0, 4.0, 8.0])
    np.testing.assert_allclose(
        rrule(np.cov, x)[1](np.float64(1.0))[0], rrule(np.var, x, ddof=1)[1](np.float64(1.0))[0]
    )


def test_correlation_does_not_change_with_shift_or_scale():
    x = np.random.default_rng(0).normal(size=(2, 5))
    (x_bar,) = rrule(np.corrcoef, x)[1](np.array([[0.0, 1.0], [0.0, 0.0]]))
    np.testing.assert_allclose(x_bar.sum(axis=1), 0.0, atol=1e-14)
    np.testing.assert_allclose((x_bar * x).sum(axis=1), 0.0, atol=1e-14)


def test_one_variable_correlates_with_itself_whatever_it_is():
    np.testing.assert_allclose(
        rrule(np.corrcoef, np.array([1.0, 2.0, 4.0]))[1](np.float64(1.0))[0], 0.0, atol=1e-15
    )


@pytest.mark.parametrize("bias", [None, False, 0, True, 1])
def test_covariances_in_lanes_divide_as_numpy_does(bias):
    x = np.random.default_rng(0).normal(size=(4, 3, 5))
    expected = [np.cov(one, bias=bias) for one in x]
    np.testing.assert_allclose(batched(np.cov, (True,), x, bias=bias), expected)
