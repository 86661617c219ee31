"""Which rules are older than which, and whether a rule has lost the partner that it came with.

A function has a rule in each mode, and both say what its derivative is. Who replaces that of one
mode alone, in a table of their own or in the same, leaves the other behind: it says what the
derivative was before. It is *outdated*, and not used where it can be made of the newer one.

Two rules are partners where they come from one line, which a maker has made both of, or else from
one file, or from this distribution.
"""

import itertools
import os
from collections.abc import Iterable
from typing import Any

from chainrules_py.rules.rule import Rule

_OURS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")  # where our rules are written
_count = itertools.count(1)


def is_rule_of_ours(where: str) -> bool:
    """Whether a rule at this place is one of this distribution."""
    return where.startswith(_OURS)


def put_after(rule: Rule, replaced: Rule | None, depth: int) -> Rule:
    """A rule with what its table knows of its age, and of what it replaces there."""
    if is_rule_of_ours(rule.where) and not depth:
        return rule
    known: dict[str, Any] = {"depth": depth, "since": next(_count)}
    if replaced is not None:
        known["replaces"] = replaced if is_rule_of_ours(replaced.where) else replaced.replaces
        known["instead_of"] = replaced.instead_of | {replaced.where}
    return rule.replaced(**known)


def is_outdated(rule: Rule, newer: Rule, others: Iterable[Rule]) -> bool:
    """Whether a rule is older than that of the other mode, which stands in the place of its partner.

    `others` are the rules of the other mode.
    """
    if newer.function is None or (newer.depth, newer.since) <= (rule.depth, rule.since):
        return False
    distance = closeness(newer.where, rule.where)
    if distance < 2 and newer.depth != rule.depth:  # of one line it is a changed copy
        distance = 0
    places = newer.instead_of.union(other.where for other in others if other is not newer)
    if newer.where in places and closeness(
        newer.where, rule.where
    ):  # a changed copy of the partner
        return False
    return any(closeness(place, rule.where) > distance for place in places)


def closeness(one: str, other: str) -> int:
    """How near to each other two rules are written."""
    if one == other:
        return 2
    are_together = one.rpartition(":")[0] == other.rpartition(":")[0]
    return int(are_together or (is_rule_of_ours(one) and is_rule_of_ours(other)))
