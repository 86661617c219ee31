"""Axes that are counted from the end stay right when lanes come in front."""

import numpy as np
import pytest

from chainrules_py import batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.lanes import lane_size

X = np.random.default_rng(2).normal(size=(4, 2, 3, 5))


@pytest.mark.parametrize(
    ("axis", "rank", "expected"),
    [
        (0, 3, -3),
        (-1, 3, -1),
        (np.int64(1), 2, -1),
        ((0, -1), 3, (-3, -1)),
        ([1], 2, (-1,)),
        (None, 2, (-2, -1)),
        (None, 0, ()),
    ],
)
def test_from_the_end(axis, rank, expected):
    assert from_the_end(axis, rank) == expected


@pytest.mark.parametrize("axis", [3, -4])
def test_an_axis_that_one_lane_does_not_have_is_refused(axis):
    with pytest.raises(np.exceptions.AxisError):
        from_the_end(axis, 3)


def test_the_axis_of_lanes_is_out_of_reach():
    with pytest.raises(np.exceptions.AxisError):
        batched(np.sum, (True,), X, axis=-4)


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_reductions_of_numbers(axis):
    x = X[:, 0, 0, 0]
    assert np.array_equal(batched(np.sum, (True,), x, axis=axis), x)
    with pytest.raises(np.exceptions.AxisError):
        batched(np.sum, (True,), x, axis=1)


def test_lane_size():
    assert (lane_size(X), lane_size(X[:, 0, 0, 0])) == (30, 1)


ROWS = np.random.default_rng(3).normal(size=(300, 4, 3, 5))


@pytest.mark.parametrize("axis", [None, -1, (1, 2), (0, 2), (-1, -2), (), 0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_sums_of_many_short_rows(axis, dtype, order):
    """Many short rows are multiplied with ones."""
    x = (10 * ROWS).astype(dtype, order=order)
    found = batched(np.sum, (True,), x, axis=axis)
    expected = np.stack([np.sum(row, axis=axis) for row in x])
    precision = np.finfo(dtype).eps if np.issubdtype(dtype, np.inexact) else 0.0
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=0, atol=1000 * precision)


def test_infinities_in_sums_of_many_short_rows():
    x = ROWS.reshape(-1, 3, 5).copy()
    x[5, 1, 2], x[7, 0, 0], x[9, 1, 1], x[9, 1, 2] = np.inf, np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        found = batched(np.sum, (True,), x, axis=(0, 1))
    assert found[5] == np.inf
    assert np.flatnonzero(np.isnan(found)).tolist() == [7, 9]
    with pytest.warns(RuntimeWarning, match="invalid"):
        batched(np.sum, (True,), x, axis=(0, 1))
