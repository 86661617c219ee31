"""Functions that were to return linear maps, or an adjoint, and returned something else: whose they
are is said.
"""

import numpy as np
import pytest

from chainrules_py import (
    Array,
    LinearMap,
    RuleContractError,
    Space,
    linear_rule,
    linearised_rule,
    primitive,
)
from chainrules_tape import grad, jvp

X = np.array([1.0, 2.0, 3.0])
MATRIX = np.ones((3, 3))


@primitive
def square(x):
    return x * x


@primitive
def times(x, y):
    return x * y


def good(x):
    return LinearMap(lambda x_dot: 2 * x * x_dot, lambda y_bar: 2 * x * y_bar)


WRONG_MAPS = {
    "nothing": lambda x: None,
    "two functions": lambda x: tuple(good(x)),
    "the value": lambda x: x,
    "maps without functions": lambda x: LinearMap(None, None),
    "no arrays": lambda x: LinearMap(lambda x_dot: None, lambda y_bar: None),
    "lists": lambda x: LinearMap(lambda x_dot: [1.0, 2.0, 3.0], lambda y_bar: [1.0, 2.0, 3.0]),
    "other shapes": lambda x: LinearMap(lambda x_dot: MATRIX, lambda y_bar: MATRIX),
}


def is_blamed(caught, function):
    assert caught.value.argument == "maps"
    assert function.__name__ in caught.value.where
    assert f"test_linear_maps.py:{function.__code__.co_firstlineno}" in caught.value.location


def alone(maps):
    def square_derivative(x: Array, *, out):
        return maps(x)

    return square_derivative


def beside_a_value(result):
    def square_linearised(x: Array):
        return result(x)

    return square_linearised


BLAMED = {
    **{f"{name}, alone": alone(maps) for name, maps in WRONG_MAPS.items()},
    **{
        f"{name}, beside a value": beside_a_value(lambda x, maps=maps: (x * x, maps(x)))
        for name, maps in WRONG_MAPS.items()
        if name != "nothing"  # None: no tangent space
    },
    "nothing at all": beside_a_value(lambda x: None),
    "a value alone": beside_a_value(lambda x: x * x),
    "maps in place of both": beside_a_value(good),
    "an empty tuple": beside_a_value(lambda x: ()),
}


def every_way(rules):
    yield lambda: rules.rrule(square, X)[1](X)
    yield lambda: rules.frule((X,), square, X)
    yield lambda: grad(lambda x: np.sum(square(np.exp(x))), rules=rules)(X)
    yield lambda: jvp(square, (X,), (X,), rules=rules)


@pytest.mark.parametrize("function", BLAMED.values(), ids=BLAMED)
def test_what_is_no_map_of_a_derivative(function, rules):
    """NumPy makes nan of None: without a word it was the tangent."""
    linearised_rule(square, table=rules)(function)
    for differentiate in every_way(rules):
        with pytest.raises(RuleContractError) as caught:
            differentiate()
        is_blamed(caught, function)


@pytest.mark.parametrize("needs", [(True, False), (False, True), (True, True)])
def test_one_map_for_two_arguments_is_that_of_neither(needs, rules):
    """It was taken for the map of whichever argument was asked for."""

    def times_derivative(x: Array, y: Array, *, out):
        return LinearMap(lambda x_dot: y * x_dot, lambda out_bar: y * out_bar)

    linearised_rule(times, table=rules)(times_derivative)
    with pytest.raises(RuleContractError) as caught:
        rules.rrule(times, X, 2 * X, needs=needs)[1](X)
    is_blamed(caught, times_derivative)


def test_an_error_of_the_maps_own_goes_on_as_it_is(rules):
    @linearised_rule(square, table=rules)
    def square_derivative(x: Array, *, out):
        return LinearMap(lambda x_dot: x_dot.no_such_method(), lambda y_bar: y_bar.no_such_method())

    for differentiate in every_way(rules):
        with pytest.raises(AttributeError, match="no_such_method"):
            differentiate()


@pytest.mark.parametrize("x_bar", [None, (X,), MATRIX, "abc"], ids=range(4))
def test_the_adjoint_is_named_that_returns_no_cotangent(x_bar, rules):
    def halved_adjoint(y_bar, x: Space):
        return x_bar

    linear_rule(square, halved_adjoint, table=rules)
    ways = (
        lambda: rules.rrule(square, X)[1](X),
        lambda: grad(lambda x: np.sum(square(np.exp(x))), rules=rules)(X),
    )
    for differentiate in ways:
        with pytest.raises(RuleContractError) as caught:
            differentiate()
        assert caught.value.rule.primal is square
        assert "test_linear_maps.py:" in caught.value.location
