"""A rule that returns something of the wrong form or shape is named in the error, at the operation
that called it.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    Array,
    RuleContractError,
    RuleTable,
    Scalar,
    Tangent,
    default_rules,
)
from chainrules_tape import grad, jvp, primitive


@primitive
def twice(x):
    return 2.0 * x


@primitive
def times(a, x):
    return a * x


X = np.array([1.0, 2.0, 3.0])


def table_with(entry_point, function, primal=twice):
    table = RuleTable(parent=default_rules)
    getattr(table, entry_point).register(primal)(function)
    return table


# A rule of somebody else's, by hand, on the tape, and as another engine gets it.
FORWARD = {
    "frule": lambda table: table.frule((X,), twice, X),
    "jvp": lambda table: jvp(twice, (X,), (X,), rules=table),
    "resolve": lambda table: table.resolve("forward", twice, (np.ndarray,))((X,), X),
}
REVERSE = {
    "rrule": lambda table: table.rrule(twice, X)[1](X),
    "grad": lambda table: grad(lambda x: np.sum(twice(np.exp(x))), rules=table)(X),
    "resolve": lambda table: table.resolve("reverse", twice, (np.ndarray,))(X)[1](X),
}

# What a forward rule returns for x, and what is wrong with it. An array with two entries unpacks into
# two numbers, silently.
FORWARD_RESULTS = {
    "the value": (lambda x: 2.0 * x, "result"),
    "a value with two entries": (lambda x: 2.0 * x[:2], "result"),
    "None": (lambda x: None, "result"),
    "a list": (lambda x: [2.0 * x, x], "result"),
    "three": (lambda x: (2.0 * x, x, x), "result"),
    "the tangent None": (lambda x: (2.0 * x, None), "y_dot"),
    "no tangent": (lambda x: (2.0 * x, NO_TANGENT), "y_dot"),
    "a matrix": (lambda x: (2.0 * x, np.ones((3, 3))), "y_dot"),
    "a number": (lambda x: (2.0 * x, 1.0), "y_dot"),
    "a list for a tangent": (lambda x: (2.0 * x, [1.0, 2.0, 3.0]), "y_dot"),
    "no tangent of a part": (lambda x: ((x, x), Tangent[tuple](x, NO_TANGENT)), "y_dot"),
}


@pytest.mark.parametrize(("result", "argument"), FORWARD_RESULTS.values(), ids=FORWARD_RESULTS)
@pytest.mark.parametrize("forward", FORWARD.values(), ids=FORWARD)
def test_a_forward_rule_that_returns_no_value_with_its_tangent(result, argument, forward):
    def careless_frule(dots, x: Array):
        return result(x)

    with pytest.raises(RuleContractError) as caught:
        forward(table_with("frule", careless_frule))
    assert caught.value.argument == argument
    assert caught.value.rule.function is careless_frule
    assert (caught.value.instead == "return (y, y_dot)") is (argument == "result")


# What a pullback returns. Found by the next pullback, it would be the next rule that is named.
COTANGENTS = {
    "matrix": ((np.ones((3, 3)),), 0),
    "short": ((np.ones(2),), 0),
    "number": ((1.0,), 0),
    "list": (([1.0, 2.0, 3.0],), 0),
    "text": (("abc",), 0),
    "none": ((), None),
    "too many": ((X, X), None),
    "a list of them": ([X], None),
    "one, and no tuple": (X, None),
    "None": (None, None),
}


@pytest.mark.parametrize(("bars", "argument"), COTANGENTS.values(), ids=COTANGENTS)
@pytest.mark.parametrize("reverse", REVERSE.values(), ids=REVERSE)
def test_a_pullback_that_returns_no_cotangents(bars, argument, reverse):
    def careless_rrule(x: Array):
        return 2.0 * x, lambda y_bar: bars

    with pytest.raises(RuleContractError) as caught:
        reverse(table_with("rrule", careless_rrule))
    assert caught.value.rule.function is careless_rrule
    if argument == 0:
        assert (caught.value.argument, caught.value.expected) == (0, (3,))
    else:
        assert re.search(r"cotangents|a list|an? ndarray|a NoneType", str(caught.value))


def test_the_cotangent_of_a_number_that_was_broadcast_has_to_be_summed():
    def times_rrule(a: Scalar, x: Array):
        return a * x, lambda y_bar: (y_bar * x, a * y_bar)

    table = table_with("rrule", times_rrule, times)
    with pytest.raises(RuleContractError) as caught:
        grad(lambda a: np.sum(times(a, X)), rules=table)(2.0)
    assert (caught.value.argument, caught.value.expected) == (0, ())


@dataclass
class Held:
    """A number in an object."""

    k: Any


WITH_TANGENTS = {"array": X, "number": 2.0, "list": [X, 2.0], "object": Held(X)}
WITHOUT_TANGENTS = {
    "integers": np.arange(3),
    "integer": 2,
    "text": "abc",
    "list": [2],
    "function": np.sin,
}


def no_tangent_rrule(a: object, x: Array):
    return 2.0 * x, lambda y_bar: (NO_TANGENT, 2.0 * y_bar)


@pytest.mark.parametrize("a", WITH_TANGENTS.values(), ids=WITH_TANGENTS)
@pytest.mark.parametrize("needs", [None, (True, True)], ids=["all", "needed"])
def test_an_argument_that_has_tangents_is_not_said_to_have_none(a, needs):
    """It would be a zero gradient in silence."""
    table = table_with("rrule", no_tangent_rrule, times)
    with pytest.raises(RuleContractError, match="return ZERO if") as caught:
        table.rrule(times, a, X, needs=needs)[1](X)
    assert (caught.value.argument, caught.value.value) == (0, NO_TANGENT)
    assert table.rrule(times, a, X, needs=(False, True))[1](X)[1].tolist() == (2.0 * X).tolist()


@pytest.mark.parametrize("a", WITHOUT_TANGENTS.values(), ids=WITHOUT_TANGENTS)
def test_an_argument_without_tangents_is_said_to_have_none(a):
    table = table_with("rrule", no_tangent_rrule, times)
    assert table.rrule(times, a, X)[1](X)[0] is NO_TANGENT


def test_an_array_is_no_tangent_of_a_list():
    def product_rrule(factors, y):
        return times(*factors), lambda y_bar: (np.array([y_bar * 3.0, y_bar * 2.0]), ZERO)

    table = table_with("rrule", product_rrule, times)
    with pytest.raises(RuleContractError) as caught:
        table.rrule(times, [2.0, 3.0], 1.0)[1](1.0)
    assert (caught.value.rule.function, caught.value.argument) == (product_rrule, 0)
    np.testing.assert_array_equal(caught.value.value, [3.0, 2.0])


def test_a_tangent_has_all_parts_of_a_tuple():
    def first(pair):
        return pair[0]

    table = table_with("rrule", lambda p: (p[0], lambda y_bar: (Tangent[tuple](y_bar),)), first)
    with pytest.raises(RuleContractError, match="a Tangent with parts of shapes"):
        table.rrule(first, (1.0, 2.0))[1](1.0)
