"""No two rules of a primal may match one call without either, or a third, being the most specific.

Plum reports an ambiguity only when somebody runs into it; here every table is probed. Two
signatures of one length clash where each position has a common class (the narrower one) and neither
signature is narrower everywhere; a third rule for exactly those common classes settles it.
"""

import itertools
import typing

from chainrules_py import default_rules
from chainrules_py.errors import AmbiguousRuleError


def members(hint):
    return typing.get_args(hint) or (hint,)


def expanded(rule, length):
    """The signatures of a rule with `length` arguments, unions written out."""
    if len(rule.types) != length and not (rule.variadic and len(rule.types) <= length):
        return []
    types = (*rule.types, *[rule.variadic] * (length - len(rule.types)))
    return list(itertools.product([rule.config], *map(members, types)))


def narrower(one, other):
    if issubclass(one, other):
        return one
    return other if issubclass(other, one) else None


def clashes(rules, table):
    """The type tuples for which `table` cannot choose."""
    found = []
    for one, other in itertools.combinations(rules, 2):
        length = max(len(one.types), len(other.types))
        for left, right in itertools.product(expanded(one, length), expanded(other, length)):
            common = tuple(map(narrower, left, right))
            if None in common or common in (left, right):
                continue
            try:
                table._most_specific(one.mode, one.primal, common[1:], common[0])
            except AmbiguousRuleError:
                found.append((one, other, common))
    return found


def all_clashes(table):
    groups = {}
    for rule in table.rules():
        groups.setdefault((rule.mode, rule.primal), []).append(rule)
    return [clash for rules in groups.values() for clash in clashes(rules, table)]


def test_the_default_table_has_no_ambiguity():
    assert all_clashes(default_rules.load_all()) == []
