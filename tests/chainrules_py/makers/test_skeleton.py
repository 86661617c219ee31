"""What the rules of all makers have in common: names, places, and one binding for all tables."""

import numpy as np
import pytest

from chainrules_py import (
    Array,
    LinearMap,
    RuleTable,
    linear_rule,
    linearised_rule,
    non_differentiable,
    scalar_rule,
)


def same(x):
    return +x


def maps(x: Array):
    return +x, LinearMap(lambda x_dot: x_dot, lambda y_bar: y_bar)


DECLARED = {
    "scalar": lambda table: scalar_rule(same, "x", "1", table=table),
    "linear": lambda table: linear_rule(same, lambda y_bar, x: y_bar, table=table),
    "of a sequence": lambda table: linear_rule(same, of_sequence, table=table),
    "linearised": lambda table: linearised_rule(same, table=table)(maps),
    "without derivative": lambda table: non_differentiable(same, table=table),
}


def of_sequence(y_bar, arrays: list | Array):
    return y_bar


@pytest.fixture(params=DECLARED.values(), ids=DECLARED)
def table(request):
    rules = RuleTable()
    request.param(rules)
    return rules


def test_rules_have_the_name_of_the_function_and_the_place_of_the_declaration(table):
    rules = list(table.rules(same))
    assert [(rule.mode, rule.name) for rule in rules] == [
        ("reverse", "same_rrule"),
        ("forward", "same_frule"),
    ]
    for rule in rules:
        bound = table.resolve(rule.mode, same, (np.ndarray,))
        assert bound.__name__ == bound.__qualname__ == rule.name
        assert __file__ in rule.where
        assert bound.__rule_location__ == rule.where


def test_what_a_listing_shows_is_not_to_be_called(table):
    for rule in table.rules(same):
        with pytest.raises(TypeError, match="resolve"):
            rule.function(1.0)


def test_a_pattern_is_bound_once_for_all_tables(table):
    for mode in ("reverse", "forward"):
        bound = table.resolve(mode, same, (np.ndarray,))
        assert RuleTable(parent=table).resolve(mode, same, (np.ndarray,)) is bound
