"""The rules of reading entries add up what is read twice, in one buffer, and do not keep the
argument.
"""

import operator
import weakref
from collections import OrderedDict

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, InplaceableThunk, Tangent, frule, rrule
from chainrules_py.accumulation import accumulate, accumulated


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


KEPT = {
    "an entry": lambda x: rrule(operator.getitem, x, (0, 1)),
    "take": lambda x: rrule(np.take, x, [0, 1]),
    "delete": lambda x: rrule(np.delete, x, 1),
    "concatenate": lambda x: rrule(np.concatenate, [x, x]),
    "stack": lambda x: rrule(np.stack, [x, x]),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_argument_is_not_kept(name):
    x = np.ones((2, 3))
    kept = weakref.ref(x)
    pullback = KEPT[name](x)[1]
    del x
    assert kept() is None
    assert callable(pullback)


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
