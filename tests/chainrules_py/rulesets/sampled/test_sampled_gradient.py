"""The body of `numpy.gradient` has its values, and moves with coordinates as it should."""

import numpy as np
import pytest

from chainrules_py import ZERO, frule, is_zero, rrule
from chainrules_py.rulesets.sampled.sampled_gradient import gradient


@pytest.mark.parametrize(
    "spacing", [0.5, np.array([0.0, 0.4, 1.0, 1.3, 2.1])], ids=["number", "points"]
)
@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("axis", [0, 1])
def test_values_are_numpys(spacing, edge_order, axis):
    f = np.random.default_rng(0).normal(size=(5, 5))
    found = gradient(f, spacing, axis=axis, edge_order=edge_order)
    np.testing.assert_allclose(
        found, np.gradient(f, spacing, axis=axis, edge_order=edge_order), rtol=1e-12
    )


@pytest.mark.parametrize("edge_order", [1, 2])
def test_coordinates_that_move_or_grow_together(edge_order):
    x, f = np.array([0.0, 0.4, 1.0, 1.3, 2.1]), np.array([1.0, -2.0, 0.5, 3.0, 1.5])
    y, moved = frule((ZERO, np.ones(5)), np.gradient, f, x, edge_order=edge_order)
    _, grown = frule((ZERO, x), np.gradient, f, x, edge_order=edge_order)
    np.testing.assert_allclose(moved, np.zeros(5), atol=1e-14)
    np.testing.assert_allclose(grown, -y)


def test_coordinates_move_the_result_along_their_own_axis_only():
    f, x = np.ones((2, 3)), np.array([0.0, 1.0, 3.0])
    x_bar = rrule(np.gradient, f, 0.5, x)[1]((np.ones((2, 3)), ZERO))[2]
    assert is_zero(x_bar)
