"""The rules of histograms give weights their derivative, and counts none."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, rrule
from chainrules_py.rulesets.reductions.histograms import bins_of


@pytest.mark.parametrize("edges", [np.array([0.0, 0.5, 1.0, 2.0]), np.linspace(0, 1, 8)])
def test_bin_numbers_are_those_of_numpy(edges):
    x = np.concatenate([edges, np.random.default_rng(0).uniform(-0.5, 2.5, 200)])
    number, counted = bins_of(x, edges, np)
    np.testing.assert_array_equal(
        np.bincount(number[counted], minlength=len(edges) - 1), np.histogram(x, edges)[0]
    )


def test_weights_outside_every_bin_have_derivative_zero():
    y, pullback = rrule(
        np.histogram, np.array([0.5, 1.5, 7.0]), np.array([0.0, 1.0, 2.0]), weights=np.ones(3)
    )
    bars = pullback((np.array([10.0, 20.0]), ZERO))
    np.testing.assert_array_equal(bars[4], [10.0, 20.0, 0.0])


def test_counts_without_weights_have_no_derivative():
    assert rrule(np.bincount, np.array([0, 1, 1]))[1](NO_TANGENT) in ((ZERO,), (NO_TANGENT,))


def test_density_integrates_to_one_whatever_the_weights():
    x, edges, weights = (
        np.array([0.1, 0.2, 0.7]),
        np.array([0.0, 0.3, 1.0]),
        np.array([1.0, 2.0, 3.0]),
    )
    y, pullback = rrule(np.histogram, x, edges, None, True, weights)
    np.testing.assert_allclose(pullback((np.diff(edges), ZERO))[4], 0.0, atol=1e-16)
