"""The rules of histograms give weights their derivative, and counts none."""

import numpy as np
import pytest

from chainrules_py.rulesets.reductions.histograms import bins_of


@pytest.mark.parametrize("edges", [np.array([0.0, 0.5, 1.0, 2.0]), np.linspace(0, 1, 8)])
def test_bin_numbers_are_those_of_numpy(edges):
    x = np.concatenate([edges, np.random.default_rng(0).uniform(-0.5, 2.5, 200)])
    number, counted = bins_of(x, edges, np)
    np.testing.assert_array_equal(
        np.bincount(number[counted], minlength=len(edges) - 1), np.histogram(x, edges)[0]
    )
