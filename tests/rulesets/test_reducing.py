"""Axes and counts of reductions."""

import numpy as np
import pytest

from chainrules_py import ArraySpec
from chainrules_py.rulesets.reducing import count_of, given, reduced_axes, restore_axes

SPEC = ArraySpec((2, 3, 4), np.dtype(float))


@pytest.mark.parametrize(("axis", "axes"), [(None, (0, 1, 2)), (1, (1,)), (-1, (2,)), ((0, -1), (0, 2)), ((), ())])
def test_axes_are_counted_from_the_front(axis, axes):
    assert reduced_axes(axis, 3) == axes


@pytest.mark.parametrize("axis", [None, 1, -1, (0, -1), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_restored_axes_are_those_of_keepdims(axis, keepdims):
    y = np.sum(np.ones(SPEC.shape), axis=axis, keepdims=keepdims)
    assert restore_axes(y, SPEC, axis, keepdims, np).shape == np.sum(np.ones(SPEC.shape), axis=axis, keepdims=True).shape


@pytest.mark.parametrize("axis", [None, 1, (0, -1), ()])
def test_count(axis):
    assert count_of(SPEC, axis, None, np) == np.sum(np.ones(SPEC.shape), axis=axis).flat[0]
    mask = np.random.default_rng(0).uniform(size=(3, 1)) < 0.5
    expected = np.sum(np.broadcast_to(mask, SPEC.shape), axis=axis, keepdims=True)
    np.testing.assert_array_equal(count_of(SPEC, axis, mask, np), expected)


def test_only_what_was_given_is_passed_on():
    assert given(where=None, initial=0.0) == {"initial": 0.0}
