"""The rules of reading entries add up what is read twice, in one buffer, and do not keep the
argument.
"""

import operator
import weakref
from collections import OrderedDict

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, InplaceableThunk, Tangent, frule, rrule, unthunk
from chainrules_py.accumulation import accumulate, accumulated


def pulled(primal, *args, y_bar, **options):
    return unthunk(rrule(primal, *args, **options)[1](y_bar)[0])


def test_reading_entry_by_entry_fills_one_buffer():
    x, acc = np.arange(50.0), ZERO
    for i in range(50):
        y, pullback = rrule(operator.getitem, x, i)
        x_bar, index_bar = pullback(np.float64(i))
        assert isinstance(x_bar, InplaceableThunk)
        assert index_bar is NO_TANGENT
        acc = accumulate(acc, x_bar)
        assert not x_bar.forced  # no array of 50 zeros was made for one entry
    np.testing.assert_array_equal(accumulated(acc), x)


def test_the_argument_is_not_kept():
    x = np.ones((2, 3))
    kept = weakref.ref(x)
    pullbacks = [
        rrule(operator.getitem, x, (0, 1))[1],
        rrule(np.take, x, [0, 1])[1],
        rrule(np.delete, x, 1)[1],
    ]
    del x
    assert kept() is None
    assert all(map(callable, pullbacks))


def test_trim_zeros_of_zeros_only():
    for trim in ("fb", "f", "b"):
        (x_bar,) = rrule(np.trim_zeros, np.zeros((2, 3)), trim)[1](np.zeros((0, 0)))
        np.testing.assert_array_equal(unthunk(x_bar), np.zeros((2, 3)))


@pytest.mark.parametrize("indices", [np.array([True, False, True]), [True, False, True]])
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_booleans_to_take_are_positions(indices, mode):
    """Where ``x[booleans]`` selects, `numpy.take` reads entries 0 and 1."""
    x, y_bar = np.array([10.0, 20.0, 30.0]), np.array([1.0, 2.0, 4.0])
    np.testing.assert_array_equal(np.take(x, indices, mode=mode), [20.0, 10.0, 20.0])
    np.testing.assert_array_equal(pulled(np.take, x, indices, mode=mode, y_bar=y_bar), [2, 5, 0])
    square, rows = np.ones((3, 3)), y_bar[:, None] * np.ones(3)
    x_bar = pulled(np.take, square, indices, axis=0, mode=mode, y_bar=rows)
    np.testing.assert_array_equal(x_bar, [[2.0] * 3, [5.0] * 3, [0.0] * 3])


def test_one_boolean_to_take_is_a_position():
    for one in (True, np.True_):
        x_bar = pulled(np.take, np.zeros(3), one, y_bar=np.float64(2.0))
        np.testing.assert_array_equal(x_bar, [0.0, 2.0, 0.0])


@pytest.mark.parametrize("cls", [dict, OrderedDict])
def test_an_entry_of_a_dict(cls):
    a = cls(first=np.ones(2), second=3.0)
    y, pullback = rrule(operator.getitem, a, "first")
    a_bar, index_bar = pullback(2 * np.ones(2))
    assert y is a["first"]
    assert index_bar is NO_TANGENT
    assert (a_bar["first"].tolist(), a_bar["second"]) == ([2.0, 2.0], ZERO)
    dots = Tangent[cls]({"first": ZERO, "second": 5.0}), NO_TANGENT
    assert frule(dots, operator.getitem, a, "second") == (3.0, 5.0)
    with pytest.raises(KeyError):
        rrule(operator.getitem, a, "third")
