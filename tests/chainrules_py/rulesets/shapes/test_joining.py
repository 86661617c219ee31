"""The rules of joining functions give each part its piece of the cotangent, as a view and in its
own dtype.
"""

from collections import namedtuple

import numpy as np

from chainrules_py import ZERO, Tangent, frule, rrule


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


def test_zero_tangents_are_filled_in_only_where_something_moves():
    arrays = [np.ones(2), np.ones(1)]
    assert frule((ZERO,), np.concatenate, arrays)[1] is ZERO
    y_dot = frule((Tangent[list](ZERO, np.array([5.0])),), np.concatenate, arrays)[1]
    np.testing.assert_array_equal(y_dot, [0.0, 0.0, 5.0])
