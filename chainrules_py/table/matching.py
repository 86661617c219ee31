"""Which rule of a primal is the one for given classes.

The class of the engine's config is asked about first, then the classes of the arguments. A rule
that is narrower than every other rule that matches is the one. Where no rule is, plum decides
(`precedence`), which takes as long to import as NumPy: few programs ever need it.

Classes are compared by `issubclass`, which sees a class that joined `Array` a moment ago.
"""

from collections.abc import Iterable
from typing import Any, get_args

from numpy import ndarray

from chainrules_py.rules.config import RuleConfig
from chainrules_py.rules.rule import Rule

Classes = tuple[type, ...]
PLAIN = ndarray, float, complex, int


def most_specific(rules: Iterable[Rule], config: type[RuleConfig], types: Classes) -> Rule | None:
    """Find the rule for these classes, an opt-out included, or raise AmbiguousRuleError.

    `rules` are those of one primal and mode in one table.
    """
    matching = [rule for rule in rules if matches(rule, config, types)]
    if not matching:
        return None
    for rule in matching:
        if all(rule is other or is_narrower(rule, other, len(types)) for other in matching):
            return rule
    # plum imports beartype and rich, 400 modules
    from chainrules_py.table.precedence import preferred

    return preferred(matching, config, types)


def hidden_by(rule: Rule, others: Iterable[Rule]) -> list[Rule]:
    """List those of other rules that are narrower than a rule for arrays of NumPy's and numbers.

    Rules for classes of somebody's own are left out: they are there to be narrower.
    """
    if not is_of_plain_values(rule):
        return []
    count = len(rule.types)
    return [
        other
        for other in others
        if len(other.types) == count
        and other.function is not None
        and is_of_plain_values(other)
        and is_narrower(other, rule, count)
    ]


def is_of_plain_values(rule: Rule) -> bool:
    """Whether a rule is for arrays of NumPy's or for Python's numbers at each place."""
    return all(any(is_within(plain, cls) for plain in PLAIN) for cls in rule.types)


def matches(rule: Rule, config: type[RuleConfig], types: Classes) -> bool:
    """Whether a rule dispatches on as many arguments, and each is of its class."""
    missing = len(types) - len(rule.types)
    if missing < 0 or (missing and rule.variadic is None) or not rule.suits(config):
        return False
    _, *wanted = _classes_for(rule, len(types))
    return all(map(is_within, types, wanted))


def is_narrower(rule: Rule, other: Rule, count: int) -> bool:
    """Whether all that a rule takes of so many arguments the other takes, but not the reverse.

    Among the same classes, those that are named one by one are narrower than any number of them.
    """
    own, others = _classes_for(rule, count), _classes_for(other, count)
    if not all(map(is_within, own, others)):
        return False
    if all(map(is_within, others, own)):
        return rule.variadic is None and other.variadic is not None
    return rule.variadic is None or other.variadic is None


def _classes_for(rule: Rule, count: int) -> tuple[Any, ...]:
    """The config's class, and the classes or unions of classes of so many arguments."""
    repeated = (rule.variadic,) * (count - len(rule.types))
    return (rule.config, *rule.types, *repeated)


def is_within(narrow, wide) -> bool:
    """Whether a class, or each class of a union, is a subclass of a class or of one of a union."""
    classes = wide if isinstance(wide, type) else get_args(wide)
    if isinstance(narrow, type):
        return issubclass(narrow, classes)
    return all(issubclass(one, classes) for one in get_args(narrow))
