"""Which rule is meant: what this package finds by itself is what plum finds."""

import random
import typing

import numpy as np
import pytest

from chainrules_py import HasForwardsMode, HasReverseMode, RuleConfig, default_rules
from chainrules_py.errors import AmbiguousRuleError
from chainrules_py.table.matching import matches, most_specific
from chainrules_py.table.precedence import preferred


class Both(HasReverseMode, HasForwardsMode):
    """An engine with both modes."""


class Own(np.ndarray):
    """A user's class of arrays."""


CLASSES = (np.ndarray, Own, np.float64, float, int, list, tuple, str, type(None))
CALLS = 20  # drawn for each number of arguments


def named_classes(rules):
    hints = [hint for rule in rules for hint in (*rule.types, rule.variadic) if hint is not None]
    return {cls for hint in hints for cls in typing.get_args(hint) or (hint,)}


def numbers_of_arguments(rules):
    lengths = {len(rule.types) for rule in rules}
    more = {len(rule.types) + 2 for rule in rules if rule.variadic is not None}
    return sorted(lengths | more)


def answer(choose):
    try:
        return choose()
    except AmbiguousRuleError:
        return AmbiguousRuleError


def by_plum(rules, config, types):
    matching = [rule for rule in rules if matches(rule, config, types)]
    return preferred(matching, config, types) if matching else None


@pytest.mark.long
def test_plum_chooses_the_same_rule_of_all_that_match():
    draw = random.Random(0)
    asked = 0
    for rules in list(default_rules.load_all()._rules.values()):
        if len(rules) < 2:
            continue
        classes = sorted({*CLASSES, *named_classes(rules)}, key=str)
        for length in numbers_of_arguments(rules):
            for _ in range(CALLS):
                types = tuple(draw.choices(classes, k=length))
                config = draw.choice((RuleConfig, HasReverseMode, Both))
                own = answer(lambda: most_specific(rules, config, types))  # noqa: B023
                asked += own is not None
                assert own is answer(lambda: by_plum(rules, config, types)), types  # noqa: B023
    assert asked > 1000
