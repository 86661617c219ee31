"""Calls as other engines are given them: arrays laid flat, the rest a part of what the call is."""

import operator

import numpy as np
import pytest

from chainrules_py import (
    Array,
    HasReverseMode,
    OptionError,
    RuleContractError,
    scalar_rule,
)
from chainrules_py.engines import FlatCall
from chainrules_py.rules.config import NO_CONFIG


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


def test_too_few_cotangents_are_the_rules_error(rules):
    def product(x, y):
        return x * y

    @rules.rrule.register(product)
    def product_rrule(x: Array, y: Array):
        return x * y, lambda y_bar: (y_bar * y,)

    call, leaves = FlatCall.of(product, (np.ones(2), np.ones(2)), {}, is_array, rules)
    with pytest.raises(RuleContractError, match="a tuple of 2"):
        call.rrule(leaves)[1]([np.ones(2)])


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


def test_a_rule_that_arrives_later_counts(rules):
    call, leaves = FlatCall.of(np.negative, (np.ones(1),), {}, is_array, rules)
    assert call.rrule(leaves)[1]([np.ones(1)])[0].tolist() == [-1.0]
    scalar_rule(np.negative, "x", "5", table=rules)
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
