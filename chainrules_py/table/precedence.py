"""Choose among rules of which none is narrower than all others, as plum's precedence says.

Position 0 of each signature is the class of the engine's config. Plum's precedence is minus the
depth of that class: where neither of two rules is more specific, the one that asks less of the
engine wins (see docs/design/core.md).

Plum matches arguments; all that dispatch may look at is their class, so it is given stand-ins that
say which class they are. Comparing plum's signatures would not see a class that joined `Array` a
moment ago, because what beartype once found out about two classes it remembers for good.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import plum

from chainrules_py.rules.config import RuleConfig
from chainrules_py.rules.explanation import ambiguous_rule_error
from chainrules_py.rules.rule import Rule


def preferred(rules: Sequence[Rule], config: type[RuleConfig], types: tuple[type, ...]) -> Rule:
    """Return the rule that plum prefers of those that match, or raise AmbiguousRuleError."""
    function = plum.Function(_Implementation(None))
    for rule in rules:
        varargs = {} if rule.variadic is None else {"varargs": rule.variadic}
        signature = plum.Signature(
            rule.config, *rule.types, **varargs, precedence=-len(rule.config.__mro__)
        )
        function.register(_Implementation(rule), signature)
    stand_ins = tuple(map(_InstanceOf, (config, *types)))
    try:
        implementation: Any = function.resolve_method(stand_ins)[0]
    except plum.AmbiguousLookupError as error:
        methods: list[Any] = [method.implementation for method in error.methods]
        candidates = [method.rule for method in methods]
        raise ambiguous_rule_error(rules[0].mode, rules[0].primal, types, candidates) from None
    return implementation.rule


class _Implementation:
    """A callable with a signature of its own, which plum wants to be given for each rule."""

    __slots__ = ("rule",)
    __name__ = "rule"
    __qualname__ = "rule"

    def __init__(self, rule: Rule | None) -> None:
        self.rule = rule

    def __call__(self, *args) -> Any:
        raise TypeError("rules are called through resolve, not through plum")


_InstanceOf: Any = type(
    "_InstanceOf",
    (),
    {
        "__init__": lambda self, cls: setattr(self, "cls", cls),
        "__class__": property(attrgetter("cls")),
    },
)
