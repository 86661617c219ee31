"""Calls as other engines are given them: arrays laid flat, the rest a part of what the call is."""

import operator
from functools import partial

import numpy as np
import pytest

import chainrules_tape
from chainrules_py import (
    NO_TANGENT,
    ZERO,
    Array,
    HasReverseMode,
    NoRuleError,
    OptionError,
    RuleContractError,
    RuleTable,
    Tangent,
    default_rules,
    is_zero,
    scalar_rule,
)
from chainrules_py.engines import FlatCall, FlatValue
from chainrules_py.rules.config import NO_CONFIG


@pytest.fixture
def rules():
    return RuleTable(parent=default_rules, name="test")


def is_array(x):
    return isinstance(x, np.ndarray)


def flat(primal, *args, **options):
    return FlatCall.of(primal, args, options, is_array)


def test_arrays_in_containers_and_numbers_are_leaves():
    a, b = np.ones(2), np.zeros((1, 2))
    call, (first, second) = flat(np.vstack, [a, b])
    assert first is a
    assert second is b
    assert call.leaves_of_arguments == ({0, 1},)
    assert flat(np.multiply, a, 2.0)[1][1] == 2.0
    # the indices are an option of the rule
    call, leaves = flat(np.take, a, np.array([0, 1]), axis=0)
    assert len(leaves) == 2
    assert call.leaves_of_arguments == ({0},)
    assert call.options["axis"] == 0


def test_arguments_are_filled_again():
    call, leaves = flat(np.take, np.ones(2), np.array([0, 1]), axis=0)
    args, options = call.arguments([x + 1 for x in leaves])
    assert args[0].tolist() == [2.0, 2.0]
    assert (options["indices"].tolist(), options["axis"]) == ([1, 2], 0)


def test_too_few_cotangents_are_the_rules_error(rules):
    def product(x, y):
        return x * y

    @rules.rrule.register(product)
    def product_rrule(x: Array, y: Array):
        return x * y, lambda y_bar: (y_bar * y,)

    call, leaves = FlatCall.of(product, (np.ones(2), np.ones(2)), {}, is_array, rules)
    with pytest.raises(RuleContractError, match="a tuple of 2"):
        call.rrule(leaves)[1]([np.ones(2)])


def test_numbers_stay_numbers_and_0d_arrays_become_them():
    call, leaves = flat(np.multiply, np.array(2.0), 3.0)
    assert [type(x) for x in call.as_numbers(leaves, "reverse")] == [np.ndarray, float]
    assert type(call.as_numbers([leaves[0], np.array(3.0)], "reverse")[1]) is float


def test_calls_of_one_kind_are_equal_and_others_are_not():
    first, _ = flat(np.sum, np.ones(2), axis=0)
    again, _ = flat(np.sum, np.zeros(5), axis=0)
    other, _ = flat(np.sum, np.ones(2), axis=None)
    assert first == again
    assert hash(first) == hash(again)
    assert first != other


def test_a_slice_is_a_part_of_what_the_call_is():
    first, _ = flat(operator.getitem, np.arange(4.0), slice(0, 2))
    assert first == flat(operator.getitem, np.ones(3), slice(0, 2))[0]
    assert first != flat(operator.getitem, np.ones(3), slice(0, 3))[0]


def test_value_and_rules_on_other_leaves():
    call, _ = flat(np.concatenate, [np.ones(2), np.ones(1)], axis=0)
    leaves = [np.array([1.0, 2.0]), np.array([5.0])]
    assert call.value(leaves).with_leaves([0.0]) == 0.0
    y, dots = call.frule(leaves, [ZERO, np.array([3.0])])
    assert y.leaves[0].tolist() == [1.0, 2.0, 5.0]
    assert dots[0].tolist() == [0.0, 0.0, 3.0]
    y, pull = call.rrule(leaves, [True, False])
    a_bar, _ = pull([np.array([1.0, 2.0, 3.0])])
    assert a_bar.tolist() == [1.0, 2.0]


def test_several_outputs_are_leaves_and_zero_cotangents_ask_nobody():
    call, leaves = flat(np.linalg.slogdet, np.diag([2.0, 3.0]))
    y, pull = call.rrule(leaves)
    assert len(y.leaves) == 2
    (a_bar,) = pull([ZERO, np.array(1.0)])
    assert np.allclose(a_bar, np.diag([1 / 2, 1 / 3]))
    assert is_zero(pull([ZERO, ZERO])[0])
    assert type(y.with_leaves(y.leaves)).__name__ == "SlogdetResult"


def test_leaves_of_options_have_no_derivative():
    call, leaves = flat(np.sum, np.ones(3), where=np.array([True, False, True]))
    assert call.rrule(leaves, [True, False])[1]([np.array(2.0)])[0].tolist() == [2.0, 0.0, 2.0]
    with pytest.raises(OptionError) as error:
        call.rrule(leaves, [True, True])
    assert error.value.option == "where"


def test_numbers_stand_where_numbers_stood():
    call, _ = flat(np.multiply, np.ones(2), 2.0)
    a, b = call.as_numbers([np.ones(2), np.array(3.0)], "reverse")
    assert isinstance(b, float)
    assert isinstance(a, np.ndarray)


def test_a_value_is_taken_apart_and_its_tangents_too():
    value = FlatValue.of((np.ones(2), [3, None]))
    assert len(value.leaves) == 2
    tangent = Tangent[tuple](np.zeros(2), Tangent[list](NO_TANGENT, NO_TANGENT))
    assert value.tangents(tangent)[1] is NO_TANGENT
    assert value.with_leaves([1, 2]) == (1, [2, None])


class Differentiating(HasReverseMode):
    """An engine with reverse mode, which the tape lends."""

    def rrule_via_ad(self, function, *args, **options):
        return chainrules_tape.vjp(partial(function, **options), *args)


def test_a_rule_in_one_mode_serves_both_for_engines_with_reverse_mode():
    table = RuleTable(parent=default_rules, name="one mode")

    def tripled(x):
        return 3 * x

    @table.rrule.register(tripled)
    def tripled_rrule(x: np.ndarray):
        return 3 * x, lambda y_bar: (3 * y_bar,)

    call, leaves = FlatCall.of(tripled, (np.ones(2),), {}, is_array, table)
    y, (y_dot,) = call.frule(leaves, [np.array([1.0, 5.0])], Differentiating())
    assert y.leaves[0].tolist() == [3.0, 3.0]
    assert y_dot.tolist() == [3.0, 15.0]
    with pytest.raises(NoRuleError):
        call.frule(leaves, [np.array([1.0, 5.0])])


def test_the_rule_of_a_plain_call_is_a_function_of_its_leaves():
    a, b = np.ones(2), np.full(2, 3.0)
    call, leaves = flat(np.multiply, a, b)
    assert call.rule("reverse", leaves).primal is np.multiply
    y, pullback = call.direct("reverse", leaves, (True, False), NO_CONFIG)(a, b)
    assert pullback(b)[0].tolist() == [9.0, 9.0]
    assert (
        flat(np.concatenate, [a, b])[0].direct("reverse", leaves, (True, True), NO_CONFIG) is None
    )
    assert flat(np.sum, a, axis=0)[0].direct("reverse", [a], (True,), NO_CONFIG) is None


def test_a_rule_that_arrives_later_counts():
    table = RuleTable(parent=default_rules)
    call, leaves = FlatCall.of(np.negative, (np.ones(1),), {}, is_array, table)
    assert call.rrule(leaves)[1]([np.ones(1)])[0].tolist() == [-1.0]
    scalar_rule(np.negative, "x", "5", table=table)
    assert call.rrule(leaves)[1]([np.ones(1)])[0].tolist() == [5.0]


def test_a_rule_that_needs_an_engine_is_found_by_its_config(rules):
    def applied(x):
        return x

    @rules.rrule.register(applied)
    def applied_rrule(x: Array, *, config: HasReverseMode):
        return x, lambda y_bar: (y_bar,)

    call, leaves = FlatCall.of(applied, (np.ones(2),), {}, is_array, rules)
    assert call.rule("reverse", leaves) is None
    assert call.rule("reverse", leaves, config=HasReverseMode()).name == "applied_rrule"
