"""The rules of variances and averages hold, at constants and for single entries too."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, frule, rrule


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


def test_both_names_of_the_degrees_of_freedom():
    x = np.array([1.0, 2.0, 4.0])
    bars = [
        rrule(np.var, x, **option)[1](np.float64(1.0))[0]
        for option in ({"ddof": 1}, {"correction": 1})
    ]
    np.testing.assert_array_equal(*bars)
    np.testing.assert_allclose(bars[0], x - x.mean())


def test_variance_of_complex_numbers_is_real():
    z = np.array([1 + 1j, 2 - 1j, 3j])
    (z_bar,) = rrule(np.var, z)[1](np.float64(1.0))
    np.testing.assert_allclose(z_bar, 2 * (z - z.mean()) / 3)


def test_average_gives_the_weights_their_share():
    a, weights = np.array([1.0, 3.0]), np.array([1.0, 3.0])
    a_bar, axis_bar, weights_bar = rrule(np.average, a, weights=weights)[1](np.float64(1.0))
    np.testing.assert_allclose(a_bar, [0.25, 0.75])
    assert axis_bar is NO_TANGENT
    np.testing.assert_allclose(weights_bar, (a - 2.5) / 4)
