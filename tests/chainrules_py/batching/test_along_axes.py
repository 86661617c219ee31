"""Axes that are counted from the end stay right when lanes come in front."""

import numpy as np
import pytest

from chainrules_py import batched, default_rules
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.lanes import lane_size
from chainrules_tape import grad, vmap

X = np.random.default_rng(2).normal(size=(4, 2, 3, 5))


def each(function, *args, **options):
    return np.stack([function(row, *args, **options) for row in X])


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


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(axis, keepdims):
    found = batched(np.max, (True,), X, axis=axis, keepdims=keepdims)
    assert np.array_equal(found, each(np.max, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("keepdims", [False, True])
def test_places_in_the_flat_array(keepdims):
    found = batched(np.argmax, (True,), X, keepdims=keepdims)
    assert np.array_equal(found, each(np.argmax, keepdims=keepdims))


def test_sums_along_the_flat_array():
    assert np.allclose(batched(np.cumsum, (True,), X), each(np.cumsum))


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_reductions_of_numbers(axis):
    x = X[:, 0, 0, 0]
    assert np.array_equal(batched(np.sum, (True,), x, axis=axis), x)
    with pytest.raises(np.exceptions.AxisError):
        batched(np.sum, (True,), x, axis=1)


def test_a_mask_that_differs_from_lane_to_lane():
    mask = X[:, 0, 0] > 0
    total = default_rules.in_lanes(np.sum, (np.ndarray,), (True, "where"))
    expected = [np.sum(row, axis=0, where=own) for row, own in zip(X, mask, strict=True)]
    assert np.allclose(total(X, axis=0, where=mask), np.stack(expected))
    alone = default_rules.in_lanes(np.sum, (np.ndarray,), (False, "where"))
    assert np.allclose(alone(X[0], where=mask), [np.sum(X[0], where=own) for own in mask])


def test_axes_that_are_counted_in_the_result():
    found = batched(np.expand_dims, (True,), X, axis=(0, -1))
    assert np.array_equal(found, each(np.expand_dims, axis=(0, -1)))


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


def test_numbers_beside_options_of_their_own():
    x, at = np.array([1.0, 2.0, 4.0]), np.array([0.0, 5.0, 3.0])
    np.testing.assert_array_equal(vmap(lambda x, at: np.var(x, mean=at))(x, at), (x - at) ** 2)
    np.testing.assert_array_equal(
        vmap(lambda x, at: np.sum(x, where=at > 1))(x, at), [0.0, 2.0, 4.0]
    )
    np.testing.assert_array_equal(vmap(grad(np.nanvar))(x), np.zeros(3))
