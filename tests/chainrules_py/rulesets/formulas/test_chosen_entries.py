"""Cotangents that are zero but where a mask holds: arrays, and thunks for libraries that add chosen
entries their own way.
"""

import numpy as np
import pytest

from chainrules_py import rrule, unthunk
from chainrules_py.rulesets.formulas.chosen_entries import add_chosen
from chainrules_py.tangents import InplaceableThunk
from chainrules_py.values.arrays import ArrayLibrary, register_library


class Own(np.ndarray):
    """An array of a library that adds chosen entries its own way; NumPy's are not asked for one."""


def own(a):
    return np.asarray(a).view(Own)


@pytest.fixture
def added():
    """What the library's addition of chosen entries was called with."""
    calls = []

    def add(buffer, mask, values, xp):
        calls.append(buffer)
        add_chosen(buffer, np.asarray(mask), np.asarray(values), np)

    implementations = {add_chosen: add}.get
    library = ArrayLibrary("with an own addition", np, (Own,), implementations=implementations)
    register_library(library)
    return calls


def test_the_gradient_of_a_maximum_is_added_where_it_is_taken(added):
    a = own([[1.0, 5.0, 5.0], [7.0, 2.0, 3.0]])
    y, pullback = rrule(np.max, a, axis=1)
    (a_bar,) = pullback(own([4.0, 10.0]))
    assert isinstance(a_bar, InplaceableThunk)
    buffer = np.zeros((2, 3))
    a_bar.add_into(buffer)
    np.testing.assert_array_equal(buffer, [[0.0, 2.0, 2.0], [10.0, 0.0, 0.0]])
    np.testing.assert_array_equal(unthunk(a_bar), buffer)
