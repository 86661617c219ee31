"""Snapshots find who wrote to an array, wherever it is; values are the same where their numbers
are.
"""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, Tangent, Thunk, not_implemented
from chainrules_py.accumulation import accumulate
from chainrules_py.checks.comparing import changes, same_value, snapshot
from chainrules_py.tangents import unthunk

X = np.array([1.0, 2.0])


def test_a_snapshot_of_objects_that_know_each_other_ends():
    class Link:
        pass

    one, other = Link(), Link()
    one.array, one.next, other.next = X.copy(), other, one
    ((array, copy),) = snapshot(one)
    assert array is one.array
    assert copy is not array


def test_lists_are_those_of_containers():
    class Table:
        def __init__(self):
            self.noted, self.array = [], X.copy()

    table, own = Table(), [1.0]
    before = snapshot({"own": own, "table": table}, lists=True)
    own.append(2.0)
    table.noted.append("a rule")
    table.array[0] = 5.0
    assert [type(found) for found, _ in changes(before)] in ([list, np.ndarray], [np.ndarray, list])


def forced(x):
    thunk = Thunk(lambda: x)
    unthunk(thunk)
    return thunk


HOLDERS = {
    "an array": lambda x: x,
    "a tuple": lambda x: (1, x),
    "a structural tangent": lambda x: Tangent[tuple](x, ZERO),
    "a computed thunk": forced,
}


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_a_write_is_found_wherever_the_array_is(hold):
    x = X.copy()
    before = snapshot(hold(x))
    assert changes(before) == []
    x[0] = 7
    ((array, copy),) = changes(before)
    assert array is x
    np.testing.assert_array_equal(copy, X)


def test_the_buffer_of_an_accumulator_is_in_its_snapshot():
    total = accumulate(accumulate(ZERO, X), X)
    ((buffer, _),) = snapshot(total)
    assert buffer is total.buffer


MISSING = not_implemented("nobody knows")
SAME = [
    (np.nan, np.nan),
    (X, X.copy()),
    (np.array([np.nan]), np.array([np.nan])),
    (ZERO, ZERO),
    (MISSING, MISSING),
]
OTHER = [
    (X, X[:1]),
    (X, -X),
    (ZERO, NO_TANGENT),
    (Tangent[tuple](X), X),
    (1.0, np.nan),
    ([X], [X.copy()]),
]


@pytest.mark.parametrize(("one", "other"), [*SAME, (Tangent[tuple](X), Tangent[tuple](X.copy()))])
def test_equal_numbers_are_the_same_value(one, other):
    assert same_value(one, other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_numbers_or_other_kinds_are_not(one, other):
    assert not same_value(one, other)
