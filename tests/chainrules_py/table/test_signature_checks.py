"""A rule whose signature does not fit its primal's is refused when it is registered."""

import numpy as np
import pytest

from chainrules_py import (
    Array,
    LinearMap,
    RegistrationError,
    RuleTable,
    linear_rule,
    linearised_rule,
    scalar_rule,
)


def quotient(numerator, denominator, *, floor=False):
    return numerator / denominator


def powers(x, exponent, base=1.0):
    return base * x**exponent


def too_many(dots, numerator: Array, denominator: Array): ...


def too_few(numerator: Array): ...


def the_other_way_round(denominator: Array, numerator: Array): ...


def without_what_is_required(x: Array, *, base=1.0): ...


def with_another_default(x: Array, *, exponent, base=2.0): ...


def with_no_value_for_a_default(a: Array, b: Array, *, floor=None): ...


@pytest.mark.parametrize(
    ("primal", "function"),
    [
        *((quotient, too_many), (quotient, too_few)),
        *((quotient, the_other_way_round), (powers, without_what_is_required)),
        *((powers, with_another_default), (quotient, with_no_value_for_a_default)),
    ],
    ids=lambda f: f.__name__,
)
def test_a_rule_that_no_call_of_its_primal_could_reach_as_meant(primal, function):
    table = RuleTable()
    with pytest.raises(RegistrationError) as caught:
        table.rrule.register(primal)(function)
    assert (caught.value.primal, caught.value.rule) == (primal, function)
    assert primal not in table


def by_other_names(a: Array, b: Array, *, floor=False): ...


def exponent_by_keyword(x: Array, *, exponent, base=1.0): ...


def any_options(x: Array, **options): ...


def of_a_ufunc(y: Array, x: Array): ...


@pytest.mark.parametrize(
    ("primal", "function"),
    [
        (quotient, by_other_names),
        (powers, exponent_by_keyword),
        (powers, any_options),
        (np.arctan2, of_a_ufunc),
    ],
    ids=lambda f: f.__name__,
)
def test_what_agrees_is_taken(primal, function):
    table = RuleTable()
    table.rrule.register(primal)(function)
    assert [rule.function for rule in table.rules(primal)] == [function]


def test_the_order_of_a_forward_rule_is_counted_after_the_tangents():
    table = RuleTable()

    @table.frule.register(quotient)
    def quotient_frule(dots, numerator: Array, denominator: Array): ...

    with pytest.raises(RegistrationError):

        @table.frule.register(quotient)
        def turned_frule(dots, denominator: np.ndarray, numerator: np.ndarray): ...


def test_a_forward_rule_without_a_place_for_the_tangents():
    for function in (lambda: None, too_few, the_other_way_round):
        with pytest.raises(RegistrationError) as caught:
            RuleTable().frule.register(quotient)(function)
        assert caught.value.rule is function


def test_a_cotangent_may_be_annotated_in_the_adjoint_of_a_linear_rule():
    from chainrules_py import Space, linear_rule

    table = RuleTable()

    def doubled(x):
        return 2 * x

    @linear_rule(doubled, table=table)
    def doubled_adjoint(y_bar: Array, x: Space):
        return 2 * y_bar

    assert table.rrule(doubled, np.ones(2))[1](np.ones(2))[0].tolist() == [2.0, 2.0]


def scaled(x, factor=2.0):
    return factor * x


@pytest.mark.parametrize(
    ("declare", "function"),
    [
        (linear_rule, lambda y_bar, x, *, factor=3.0: factor * y_bar),
        (
            linearised_rule,
            lambda x, *, factor=3.0: (factor * x, LinearMap(None, lambda y_bar: factor * y_bar)),
        ),
    ],
)
def test_the_default_of_a_declared_rule(declare, function):
    """What is passed at the primal's default does not reach the rule: ``scaled(x, factor=2.0)`` had
    the derivative 3.
    """
    with pytest.raises(RegistrationError) as caught:
        declare(scaled, table=RuleTable())(function)
    assert caught.value.primal is scaled
    function.__kwdefaults__["factor"] = 2.0
    declare(scaled, table=RuleTable())(function)


def test_a_sentinel_of_the_primal_may_be_anything_in_a_rule():
    unset = object()

    def shifted(x, by=unset):
        return x if by is unset else x + by

    table = RuleTable()
    linear_rule(shifted, lambda y_bar, x, *, by=0.0: y_bar, table=table)
    assert table.rrule(shifted, np.ones(2))[1](np.ones(2))[0].tolist() == [1.0, 1.0]


def difference(x, y):
    return x - y


TURNED = {
    "scalar": lambda table: scalar_rule(difference, "y, x", "-1", "1", table=table),
    "linearised": lambda table: linearised_rule(difference, table=table)(
        lambda y, x: (y - x, None, None)
    ),
    "from the value": lambda table: linearised_rule(difference, table=table)(
        lambda y, x, *, out: (None, None)
    ),
    "linear": lambda table: linear_rule(difference, lambda z_bar, y, x: z_bar, None, table=table),
}


@pytest.mark.parametrize("declare", TURNED.values(), ids=TURNED)
def test_a_declaration_with_the_arguments_the_other_way_round(declare):
    table = RuleTable()
    with pytest.raises(RegistrationError) as caught:
        declare(table)
    assert caught.value.primal is difference
    assert "order (x, y)" in caught.value.instead
    assert difference not in table


@pytest.mark.parametrize("names", ["x, y", "a, b", "x, b"])
def test_other_names_and_the_order_of_the_primal_are_taken(names):
    table = RuleTable()
    scalar_rule(difference, names, "1", "-1", table=table)
    assert difference in table
