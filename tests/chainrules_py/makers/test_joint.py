"""`linear_rule` of functions of a sequence of arrays, and of functions with an output for each
argument.
"""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, Array, RuleTable, Tangent, default_rules, linear_rule


def total(arrays, *, scale=1.0):
    return scale * (arrays[0] + arrays[1])


def negated(*arrays):
    return tuple(-array for array in arrays)


@pytest.fixture
def table():
    made = RuleTable(name="joint")

    @linear_rule(total, table=made)
    def total_adjoint(y_bar, arrays: list | tuple | Array, *, scale=1.0, xp):
        return [scale * y_bar for _ in arrays]

    @linear_rule(negated, entrywise=True, table=made)
    def negated_adjoint(y_bar, spec, position, *, xp):
        return -y_bar

    return made


def test_sequences_come_back_as_tangents_of_their_class(table):
    for make in (list, tuple):
        (bar,) = table.rrule(total, make([np.ones(2), np.ones(2)]), scale=3.0)[1](
            np.array([1.0, 2.0])
        )
        assert isinstance(bar, Tangent[make])
        np.testing.assert_array_equal([*bar], [[3.0, 6.0], [3.0, 6.0]])


def test_rows_of_one_array_are_stacked(table):
    (bar,) = table.rrule(total, np.ones((2, 3)))[1](np.arange(3.0))
    np.testing.assert_array_equal(bar, [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])


def test_tangents_that_are_zero_are_filled_in(table):
    y, y_dot = table.frule((Tangent[list](np.ones(2), ZERO),), total, [np.ones(2), np.ones(2)])
    np.testing.assert_array_equal(y_dot, [1.0, 1.0])
    assert (
        table.frule((Tangent[list](ZERO, NO_TANGENT),), total, [np.ones(2), np.ones(2)])[1] is ZERO
    )


def test_entries_stay_apart(table):
    y, pullback = table.rrule(negated, np.ones(2), np.ones(1))
    a_bar, b_bar = pullback((ZERO, np.ones(1)))
    assert a_bar is ZERO
    np.testing.assert_array_equal(b_bar, [-1.0])
    assert (
        table.rrule(negated, np.ones(2), np.ones(1), needs=(False, True))[1](
            (np.ones(2), np.ones(1))
        )[0]
        is NO_TANGENT
    )
    y_dot = table.frule((np.ones(2), ZERO), negated, np.ones(2), np.ones(1))[1]
    assert y_dot[1] is ZERO
    np.testing.assert_array_equal(y_dot[0], [-1.0, -1.0])


def test_functions_may_return_pythons_numbers():
    def total(arrays):
        return float(sum(np.sum(x) for x in arrays))

    table = RuleTable(parent=default_rules)

    @linear_rule(total, table=table)
    def total_adjoint(y_bar, arrays: list | tuple, *, xp):
        return [xp.broadcast_to(y_bar, x.shape) for x in arrays]

    arrays = [np.ones(2), np.ones((1, 3))]
    y, pullback = table.rrule(total, arrays)
    assert y == 5.0
    assert [bar.tolist() for bar in pullback(2.0)[0]] == [[2.0, 2.0], [[2.0, 2.0, 2.0]]]
    assert table.frule((Tangent[list](*arrays),), total, arrays)[1] == 5.0
