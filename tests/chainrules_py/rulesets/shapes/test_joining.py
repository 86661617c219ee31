"""The rules of joining functions give each part its piece of the cotangent, as a view and in its
own dtype.
"""

import weakref
from collections import namedtuple

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, Tangent, frule, rrule


def test_the_cotangent_is_one_of_the_sequence():
    Pair = namedtuple("Pair", "one other")
    for arrays in (
        [np.ones(2), np.ones(1)],
        (np.ones(2), np.ones(1)),
        Pair(np.ones(2), np.ones(1)),
    ):
        (bar,) = rrule(np.concatenate, arrays)[1](np.arange(3.0))
        assert isinstance(bar, Tangent[type(arrays)])
        np.testing.assert_array_equal(bar[0], [0.0, 1.0])
        np.testing.assert_array_equal(bar[1], [2.0])


def test_cotangents_are_views():
    y_bar = np.arange(5.0)
    (bar,) = rrule(np.concatenate, [np.ones(2), np.ones(3)])[1](y_bar)
    assert all(np.shares_memory(part, y_bar) for part in bar)


def test_integers_have_no_tangent():
    (bar,) = rrule(np.concatenate, [np.ones(2), np.arange(2)])[1](np.ones(4))
    assert bar[1] is NO_TANGENT
    assert rrule(np.stack, [np.arange(2), np.arange(2)])[1](ZERO) in [(ZERO,), (NO_TANGENT,)]


def test_each_keeps_its_dtype():
    (bar,) = rrule(np.concatenate, [np.ones(1, "float32"), np.ones(1, "complex128"), np.ones(1)])[
        1
    ](np.ones(3, complex))
    assert [part.dtype.name for part in bar] == ["float32", "complex128", "float64"]


def test_zero_tangents_are_filled_in_only_where_something_moves():
    arrays = [np.ones(2), np.ones(1)]
    assert frule((ZERO,), np.concatenate, arrays)[1] is ZERO
    y_dot = frule((Tangent[list](ZERO, np.array([5.0])),), np.concatenate, arrays)[1]
    np.testing.assert_array_equal(y_dot, [0.0, 0.0, 5.0])


@pytest.mark.parametrize("primal", [np.concatenate, np.stack])
def test_shapes_are_kept_and_arrays_are_not(primal):
    x = np.ones((2, 2))
    kept = weakref.ref(x)
    pullback = rrule(primal, [x, x])[1]
    del x
    assert kept() is None
    assert callable(pullback)


def test_block_of_nested_lists():
    nested = [[np.zeros((1, 2)), np.zeros((1, 1))], [np.zeros((2, 3))]]
    (bar,) = rrule(np.block, nested)[1](np.arange(9.0).reshape(3, 3))
    np.testing.assert_array_equal(bar[0][0], [[0.0, 1.0]])
    np.testing.assert_array_equal(bar[0][1], [[2.0]])
    np.testing.assert_array_equal(bar[1][0], [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
