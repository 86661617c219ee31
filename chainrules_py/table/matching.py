"""The methods of one primal and mode, and which of them is the rule for given classes.

Position 0 of each signature is the class of the engine's config. Plum's precedence is minus the
depth of that class: where neither of two rules is more specific, the one that asks less of the
engine wins (see docs/design/core.md).

Plum matches arguments; all that dispatch may look at is their class, so it is given stand-ins that
say which class they are. Matching by `isinstance` sees a class that joined `Array` a moment ago.
Comparing plum's signatures would not, because what beartype once found out about two classes it
remembers for good; for the same reason an ambiguity is looked at once more.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, get_args

import plum

from chainrules_py.rules.config import RuleConfig
from chainrules_py.rules.explanation import ambiguous_rule_error
from chainrules_py.rules.rule import Rule


class Methods:
    """The rules of one primal and mode in one table."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._function = plum.Function(_Implementation(None))
        for rule in rules:
            varargs = {} if rule.variadic is None else {"varargs": rule.variadic}
            signature = plum.Signature(
                rule.config, *rule.types, **varargs, precedence=-len(rule.config.__mro__)
            )
            self._function.register(_Implementation(rule), signature)

    def most_specific(self, config: type[RuleConfig], types: tuple[type, ...]) -> Rule | None:
        """Find the rule for these classes, an opt-out included, or raise AmbiguousRuleError."""
        try:
            implementation: Any = self._function.resolve_method(
                tuple(map(_InstanceOf, (config, *types)))
            )[0]
        except plum.NotFoundLookupError:
            return None
        except plum.AmbiguousLookupError as error:
            candidates: list[Any] = [method.implementation for method in error.methods]
            return _narrowest(types, [candidate.rule for candidate in candidates])
        rule: Rule = implementation.rule
        return rule


def same_signature(one: Rule, other: Rule) -> bool:
    """Whether two rules dispatch on the same classes."""
    return (
        one.types == other.types and one.variadic == other.variadic and one.config is other.config
    )


class _Implementation:
    """A callable with a signature of its own, which plum wants to be given for each rule."""

    __slots__ = ("rule",)
    __name__ = "rule"
    __qualname__ = "rule"

    def __init__(self, rule: Rule | None) -> None:
        self.rule = rule

    def __call__(self, *args: Any) -> Any:
        raise TypeError("rules are called through resolve, not through plum")


_InstanceOf: Any = type(
    "_InstanceOf",
    (),
    {
        "__init__": lambda self, cls: setattr(self, "cls", cls),
        "__class__": property(attrgetter("cls")),
    },
)


def _narrowest(types: tuple[type, ...], candidates: Sequence[Rule]) -> Rule:
    """Return the rule whose classes are narrower than all others', or raise AmbiguousRuleError."""
    for rule in candidates:
        if all(rule is other or _is_narrower(rule, other) for other in candidates):
            return rule
    raise ambiguous_rule_error(candidates[0].mode, candidates[0].primal, types, candidates)


def _is_narrower(rule: Rule, other: Rule) -> bool:
    pairs = zip((rule.config, *rule.types), (other.config, *other.types), strict=False)
    return len(rule.types) == len(other.types) and all(
        issubclass(one, get_args(wide) or wide)
        for narrow, wide in pairs
        for one in get_args(narrow) or (narrow,)
    )
