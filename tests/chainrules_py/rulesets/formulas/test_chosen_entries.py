"""Cotangents that are zero but where a mask holds: arrays, and thunks for libraries that add chosen
entries their own way.
"""

import numpy as np
import pytest

from chainrules_py import rrule, unthunk
from chainrules_py.projection import ProjectTo
from chainrules_py.rulesets.formulas.chosen_entries import add_chosen, chosen
from chainrules_py.tangents import InplaceableThunk
from chainrules_py.values.arrays import ArrayLibrary, register_library

MASK, VALUES = np.array([[True, False], [False, True]]), np.array([[2.0], [3.0]])
EXPECTED = np.array([[2.0, 0.0], [0.0, 3.0]])
SPEC = ProjectTo(np.zeros((2, 2)))


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
        np.add(buffer, values, out=buffer, where=np.asarray(mask))

    implementations = {add_chosen: add}.get
    library = ArrayLibrary("with an own addition", np, (Own,), implementations=implementations)
    register_library(library)
    return calls


def test_numpy_gets_an_array():
    np.testing.assert_array_equal(chosen(MASK, VALUES, SPEC, np), EXPECTED)
    buffer = np.ones((2, 2))
    add_chosen(buffer, MASK, VALUES, np)
    np.testing.assert_array_equal(buffer, EXPECTED + 1)


def test_a_library_with_its_own_addition_gets_a_thunk(added):
    thunk = chosen(own(MASK), own(VALUES), SPEC, np)
    assert isinstance(thunk, InplaceableThunk)
    assert thunk.is_in((2, 2), np.dtype(float))
    buffer = np.ones((2, 2))
    thunk.add_into(buffer)
    assert added[0] is buffer
    np.testing.assert_array_equal(buffer, EXPECTED + 1)
    np.testing.assert_array_equal(thunk.zeros(), np.zeros((2, 2)))
    np.testing.assert_array_equal(unthunk(thunk), EXPECTED)


@pytest.mark.parametrize(
    ("mask", "values"),
    [
        (own(MASK), own(VALUES.astype(complex))),
        (own(MASK), own(VALUES.astype("f4"))),
        (own(MASK[:1]), own(VALUES)),
        (own(MASK), VALUES),
        (MASK, own(VALUES)),
        (own(MASK), VALUES.view(np.matrix)),
        (own(MASK), 2.0),
    ],
)
def test_what_is_not_in_the_arguments_space_is_an_array(added, mask, values):
    assert not isinstance(chosen(mask, values, SPEC, np), InplaceableThunk)


def test_the_gradient_of_a_maximum_is_added_where_it_is_taken(added):
    a = own([[1.0, 5.0, 5.0], [7.0, 2.0, 3.0]])
    y, pullback = rrule(np.max, a, axis=1)
    (a_bar,) = pullback(own([4.0, 10.0]))
    assert isinstance(a_bar, InplaceableThunk)
    buffer = np.zeros((2, 3))
    a_bar.add_into(buffer)
    np.testing.assert_array_equal(buffer, [[0.0, 2.0, 2.0], [10.0, 0.0, 0.0]])
    np.testing.assert_array_equal(unthunk(a_bar), buffer)
