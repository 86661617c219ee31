"""Sorting and distinct values: ties of any size, any axis, both modes."""

import numpy as np
import pytest

from chainrules_py import frule, rrule
from chainrules_py.values.identity import takes


def sharing(x, y):
    """The doubly stochastic matrix from x to its sorted or partitioned self: a mean over equal
    values.
    """
    equal = y[:, None] == x[None, :]
    return equal / equal.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("primal", "options"),
    [(np.sort, {}), (np.partition, {"kth": 3}), (np.partition, {"kth": (1, 5)})],
    ids=["sort", "one pivot", "two pivots"],
)
def test_equal_values_share_in_both_modes(primal, options):
    rng = np.random.default_rng(3)
    for _ in range(20):
        x = rng.integers(0, 4, 9).astype(float)
        matrix = sharing(x, primal(x, **options))
        tangent = rng.normal(size=9)
        np.testing.assert_allclose(
            frule((tangent,), primal, x, **options)[1], matrix @ tangent, atol=1e-14
        )
        np.testing.assert_allclose(
            rrule(primal, x, **options)[1](tangent)[0], matrix.T @ tangent, atol=1e-14
        )


def test_nans_are_sorted_behind_and_are_not_equal():
    (x_bar,) = rrule(np.sort, np.array([np.nan, 1.0, np.nan]))[1](np.array([7.0, 1.0, 2.0]))
    assert x_bar[1] == 7.0
    assert sorted(x_bar[[0, 2]]) == [1.0, 2.0]


@pytest.mark.skipif(not takes(np.sort, "descending"), reason="since NumPy 2.5")
def test_descending_is_ascending_reversed_with_nan_at_the_end_of_either():
    x, y_bar = np.array([3.0, 1.0, 2.0, 1.0, 5.0]), np.arange(5.0)
    (found,) = rrule(np.sort, x, descending=True)[1](y_bar)
    np.testing.assert_array_equal(found, rrule(np.sort, x)[1](y_bar[::-1])[0])
    with_nan = rrule(np.sort, np.append(x, np.nan), descending=True)[1](np.append(y_bar, 9.0))[0]
    np.testing.assert_array_equal(with_nan, np.append(found, 9.0))
