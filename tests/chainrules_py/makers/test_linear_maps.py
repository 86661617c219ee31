"""Functions that were to return linear maps, or an adjoint, and returned something else: whose they
are is said.
"""

import numpy as np
import pytest

from chainrules_py import (
    Array,
    ExpressionError,
    LinearMap,
    RegistrationError,
    RuleContractError,
    RuleTable,
    Space,
    default_rules,
    linear_rule,
    linearised_rule,
    primitive,
    scalar_rule,
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


@pytest.fixture
def table():
    return RuleTable(parent=default_rules)


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


@pytest.mark.parametrize("maps", WRONG_MAPS.values(), ids=WRONG_MAPS)
def test_what_is_no_map_of_a_derivative(maps, table):
    """NumPy makes nan of None: without a word it was the tangent."""

    def square_derivative(x: Array, *, out):
        return maps(x)

    linearised_rule(square, table=table)(square_derivative)
    for differentiate in every_way(table):
        with pytest.raises(RuleContractError) as caught:
            differentiate()
        is_blamed(caught, square_derivative)


# None: no tangent space
@pytest.mark.parametrize("maps", list(WRONG_MAPS.values())[1:], ids=list(WRONG_MAPS)[1:])
def test_what_is_no_map_beside_a_value(maps, table):
    def square_linearised(x: Array):
        return x * x, maps(x)

    linearised_rule(square, table=table)(square_linearised)
    for differentiate in every_way(table):
        with pytest.raises(RuleContractError) as caught:
            differentiate()
        is_blamed(caught, square_linearised)


def every_way(table):
    yield lambda: table.rrule(square, X)[1](X)
    yield lambda: table.frule((X,), square, X)
    yield lambda: grad(lambda x: np.sum(square(np.exp(x))), rules=table)(X)
    yield lambda: jvp(square, (X,), (X,), rules=table)


@pytest.mark.parametrize(
    "result", [lambda x: None, lambda x: x * x, lambda x: good(x), lambda x: ()], ids=range(4)
)
def test_a_value_and_maps_that_are_not(result, table):
    def square_linearised(x: Array):
        return result(x)

    linearised_rule(square, table=table)(square_linearised)
    for differentiate in every_way(table):
        with pytest.raises(RuleContractError) as caught:
            differentiate()
        is_blamed(caught, square_linearised)


@pytest.mark.parametrize("needs", [(True, False), (False, True), (True, True)])
def test_one_map_for_two_arguments_is_that_of_neither(needs, table):
    """It was taken for the map of whichever argument was asked for."""

    def times_derivative(x: Array, y: Array, *, out):
        return LinearMap(lambda x_dot: y * x_dot, lambda out_bar: y * out_bar)

    linearised_rule(times, table=table)(times_derivative)
    with pytest.raises(RuleContractError) as caught:
        table.rrule(times, X, 2 * X, needs=needs)[1](X)
    is_blamed(caught, times_derivative)


def test_an_error_of_the_maps_own_goes_on_as_it_is(table):
    @linearised_rule(square, table=table)
    def square_derivative(x: Array, *, out):
        return LinearMap(lambda x_dot: x_dot.no_such_method(), lambda y_bar: y_bar.no_such_method())

    for differentiate in every_way(table):
        with pytest.raises(AttributeError, match="no_such_method"):
            differentiate()


@pytest.mark.parametrize("x_bar", [None, (X,), MATRIX, "abc"], ids=range(4))
def test_the_adjoint_is_named_that_returns_no_cotangent(x_bar, table):
    def halved_adjoint(y_bar, x: Space):
        return x_bar

    linear_rule(square, halved_adjoint, table=table)
    ways = (
        lambda: table.rrule(square, X)[1](X),
        lambda: grad(lambda x: np.sum(square(np.exp(x))), rules=table)(X),
    )
    for differentiate in ways:
        with pytest.raises(RuleContractError) as caught:
            differentiate()
        assert caught.value.rule.primal is square
        assert "test_linear_maps.py:" in caught.value.location


def test_a_joint_adjoint_may_do_without_the_namespace(table):
    def total(arrays):
        return arrays[0] + arrays[1]

    @linear_rule(total, table=table)
    def total_adjoint(y_bar, arrays: list):
        return [y_bar, y_bar]

    (bars,) = table.rrule(total, [X, X])[1](2 * X)
    assert [bar.tolist() for bar in bars] == [[2.0, 4.0, 6.0]] * 2


@pytest.mark.parametrize(("partial", "column"), [("out[0]", 0), ("2 * x[0]", 4), ("out[1] * x", 0)])
def test_an_expression_reads_no_entries(partial, column, table):
    """`out[0]` is the first of several outputs; of a single one it would be the first row."""
    with pytest.raises(ExpressionError) as caught:
        scalar_rule(square, "x", partial, table=table)
    assert caught.value.column == column


def test_an_option_in_an_expression_is_called_one(table):
    def power(x, *, p=2):
        return x**p

    with pytest.raises(ExpressionError) as caught:
        scalar_rule(power, "x", "p * x ** (p - 1)", table=table)
    assert caught.value.name == "p"
    assert "linearised_rule" in caught.value.instead


def test_argument_names_in_a_list(table):
    with pytest.raises(RegistrationError):
        scalar_rule(times, ["x", "y"], "y", "x", table=table)
