"""The category of each function of `numpy.polynomial`, in the words of `coverage`.

NumPy lets other classes of arrays override two of them only, so that they are on no list of its
own. The six modules have the same functions, each under its own prefix: here they are listed by
the rest of their names.
"""

from collections.abc import Iterator
from typing import Any

from chainrules_numpy.coverage import Classified, Coverage, classified_by_rules
from chainrules_py.rulesets.polynomial.families import FAMILIES
from chainrules_py.table.registry import RuleTable, default_rules

_OF_INTEGERS = "its arguments are integers"
NOTHING_TO_DIFFERENTIATE = {"gauss": _OF_INTEGERS, "pts1": _OF_INTEGERS, "pts2": _OF_INTEGERS}

NO_RULE_YET = {
    "interpolate": "it is *fit of the function's values at chebpts1, which has the rule",
}


def series_functions() -> Iterator[tuple[str, str, Any]]:
    """Return each function, with its name and the part of that after the prefix."""
    for family in FAMILIES:
        for name in family.module.__all__:
            function = getattr(family.module, name)
            if callable(function) and not isinstance(function, type):
                yield f"{family.module.__name__}.{name}", name.removeprefix(family.prefix), function


def series_coverage(rules: RuleTable = default_rules) -> Iterator[Classified]:
    """Return every function that is in a category.

    >>> {c.name: str(c.coverage) for c in series_coverage()}["numpy.polynomial.legendre.legval3d"]
    'has a rule'
    """
    for name, suffix, function in series_functions():
        own = [rule for rule in rules.rules(function) if rule.function is not None]
        if own:
            yield classified_by_rules(name, function, own, rules)
        elif suffix in NOTHING_TO_DIFFERENTIATE:
            yield Classified(name, Coverage.CONSTANT, NOTHING_TO_DIFFERENTIATE[suffix])
        elif suffix in NO_RULE_YET:
            yield Classified(name, Coverage.MISSING, NO_RULE_YET[suffix])
