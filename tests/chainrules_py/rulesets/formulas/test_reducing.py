"""Axes and counts of reductions."""

import numpy as np
import pytest

from chainrules_py.projection.dense import dense_space
from chainrules_py.rulesets.formulas.reducing import (
    count_of,
    given,
    reduced_axes,
    restore_axes,
    spread_over,
)

SPEC = dense_space(np.ndarray, (2, 3, 4), np.dtype(float))


@pytest.mark.parametrize(
    ("axis", "axes"), [(None, (0, 1, 2)), (1, (1,)), (-1, (2,)), ((0, -1), (0, 2)), ((), ())]
)
def test_axes_are_counted_from_the_front(axis, axes):
    assert reduced_axes(axis, 3) == axes


@pytest.mark.parametrize("axis", [None, 1, -1, (0, -1), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_restored_axes_are_those_of_keepdims(axis, keepdims):
    y = np.sum(np.ones(SPEC.shape), axis=axis, keepdims=keepdims)
    assert (
        restore_axes(y, SPEC, axis, keepdims, np).shape
        == np.sum(np.ones(SPEC.shape), axis=axis, keepdims=True).shape
    )


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, -1), [0, 1], ()])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 0, 4), (1, 3, 1), ()])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_values_spread_over_what_was_reduced(axis, keepdims, shape, dtype):
    if shape == () and axis not in (None, ()):
        return
    axis_given = tuple(axis) if isinstance(axis, list) else axis
    y = np.sum(
        np.random.default_rng(0).normal(size=shape).astype(dtype),
        axis=axis_given,
        keepdims=keepdims,
    )
    expected = np.broadcast_to(
        y if keepdims or axis in ((), None) else np.expand_dims(y, axis_given), shape
    )
    for y_bar in (y, np.asarray(y, order="F"), np.repeat(y, 2, axis=-1)[..., ::2] if y.ndim else y):
        spread = spread_over(
            y_bar, dense_space(np.ndarray, shape, np.dtype(dtype)), axis, keepdims, np
        )
        np.testing.assert_array_equal(spread, expected)
        assert spread.dtype == dtype
        # what may be written to has entries of its own
        if spread.ndim and spread.flags.writeable:
            assert not np.may_share_memory(spread, y_bar)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", [(100, 2), (20, 5, 15), (99, 2), (100, 1), (100, 16), (2**18, 2)])
def test_many_short_rows(shape, keepdims):
    y_bar = np.random.default_rng(0).normal(size=shape[:-1]).astype("float32")
    spread = spread_over(
        y_bar[..., None] if keepdims else y_bar,
        dense_space(np.ndarray, shape, y_bar.dtype),
        -1,
        keepdims,
        np,
    )
    np.testing.assert_array_equal(spread, np.broadcast_to(y_bar[..., None], shape))
    assert spread.dtype == np.float32
    assert np.may_share_memory(spread, y_bar) == (shape not in [(100, 2), (20, 5, 15)])


def test_a_number_of_pythons_is_a_value_of_a_full_reduction():
    np.testing.assert_array_equal(spread_over(2.0, SPEC, None, False, np), np.full(SPEC.shape, 2.0))


def test_a_value_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="reshape"):
        spread_over(np.ones(5), SPEC, 0, False, np)


@pytest.mark.parametrize("axis", [None, 1, (0, -1), ()])
def test_count(axis):
    assert count_of(SPEC, axis, None, np) == np.sum(np.ones(SPEC.shape), axis=axis).flat[0]
    mask = np.random.default_rng(0).uniform(size=(3, 1)) < 0.5
    expected = np.sum(np.broadcast_to(mask, SPEC.shape), axis=axis, keepdims=True)
    np.testing.assert_array_equal(count_of(SPEC, axis, mask, np), expected)


def test_only_what_was_given_is_passed_on():
    assert given(where=None, initial=0.0) == {"initial": 0.0}
