"""The rules of `ufunc.outer` hold for each way of calling it."""

from functools import partial

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, Array, OptionError, RuleTable, default_rules, frule, rrule

A, B, Y_BAR = np.array([2.0, 3.0]), np.array([5.0, 7.0, 11.0]), np.ones((2, 3))


@pytest.mark.parametrize("debug", [False, True], ids=["quick", "debug"])
@pytest.mark.parametrize(
    "method", [np.multiply.outer, partial(np.ufunc.outer, np.multiply)], ids=["method", "partial"]
)
def test_a_method_has_a_cotangent_and_a_tangent_per_argument_as_written(method, debug):
    bars = rrule(method, A, B, debug=debug)[1](Y_BAR)
    np.testing.assert_equal(bars, ([23.0, 23.0], [5.0, 5.0, 5.0]))
    y, y_dot = frule((A, NO_TANGENT), method, A, B, debug=debug)
    np.testing.assert_array_equal(y_dot, y)


def test_a_function_of_the_ufunc_has_one_for_the_ufunc_too():
    bars = rrule(np.ufunc.outer, np.multiply, A, B)[1](Y_BAR)
    np.testing.assert_equal(bars, (NO_TANGENT, [23.0, 23.0], [5.0, 5.0, 5.0]))
    y, y_dot = frule((NO_TANGENT, A, NO_TANGENT), np.ufunc.outer, np.multiply, A, B)
    np.testing.assert_array_equal(y_dot, y)


def test_needs_of_a_method_are_as_written():
    a_bar, b_bar = rrule(np.multiply.outer, A, B, needs=(True, False))[1](Y_BAR)
    np.testing.assert_array_equal(a_bar, [23.0, 23.0])
    with pytest.raises(OptionError, match="2 bools"):
        rrule(np.multiply.outer, A, B, needs=(False, True, True))


REDUCING = {
    "reduce": (np.add.reduce, ([1.0, 1.0],)),
    "reduce to a product": (np.multiply.reduce, ([3.0, 2.0],)),
    "accumulate": (np.add.accumulate, ([2.0, 1.0],)),
}


@pytest.mark.parametrize(("method", "expected"), REDUCING.values(), ids=REDUCING.keys())
def test_methods_that_reduce_have_one_per_array(method, expected):
    y, pullback = rrule(method, A)
    np.testing.assert_equal(pullback(np.ones_like(y)), expected)
    assert np.shape(frule((np.ones(2),), method, A)[1]) == np.shape(y)


def test_a_rule_for_a_method_of_all_ufuncs_is_called_like_the_method():
    rules = RuleTable(parent=default_rules)

    @rules.rrule.register(np.ufunc.reduceat)
    def reduceat_rrule(ufunc: np.ufunc, a: Array, indices: list):
        return ufunc.reduceat(a, indices), lambda y_bar: (NO_TANGENT, y_bar[[0, 0]], NO_TANGENT)

    bars = rules.rrule(np.add.reduceat, A, [0])[1](np.ones(1))
    np.testing.assert_equal(bars, ([1.0, 1.0], NO_TANGENT))
