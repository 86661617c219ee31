"""Each function of NumPy that can be intercepted is in exactly one of four categories.

    has a rule             derived from the table of rules, here and in docs alike
    non-differentiable     the same, and what is listed: neither arguments nor results have tangents
    done by another        reached only through a function that is classified itself
    no rule yet            listed with the reason, for people who want to write it

The lists are in `chainrules_py/rulesets/without_rules.toml`, with those of SciPy. A test holds this
against NumPy's own list, so that a new release of NumPy is news.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Any

import numpy as np

from chainrules_py.rulesets.polynomial.families import FAMILIES
from chainrules_py.rulesets.without_rules import reason_of
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.late_names import found_at


class Coverage(StrEnum):
    """The category of a function of NumPy; each one is in exactly one."""

    RULE = "has a rule"
    CONSTANT = "non-differentiable"
    INTERNAL = "done by another"
    MISSING = "no rule yet"


@dataclass(frozen=True)
class Classified:
    """A function of NumPy under its public name, with its coverage and the reason.

    `batches` says that many examples are computed at once, without a loop.
    """

    name: str
    coverage: Coverage
    reason: str = ""
    batches: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.coverage}" + (f", because {self.reason}" if self.reason else "")


def overridable() -> dict[str, Any]:
    """List NumPy's overridable functions by name, from NumPy's own list."""
    for module in ("char", "fft", "lib.recfunctions", "polynomial", "strings"):
        import_module(f"numpy.{module}")  # NumPy's list has what has been imported
    overrides = import_module("numpy.testing.overrides")  # 20 ms that only this needs

    found = {ufunc.__name__: ufunc for ufunc in overrides.get_overridable_numpy_ufuncs()}
    for function in overrides.get_overridable_numpy_array_functions():
        name = f"{function.__module__}.{function.__name__}"
        # NumPy lists another one where there is a `like`
        found[name] = found_at(np, name.removeprefix("numpy.")) or function
    return found


def classify(
    name: str,
    function,
    rules: RuleTable = default_rules,
    *,
    module: str = "numpy",
    listed: str | None = None,
) -> Classified | None:
    """The category of one function, which the lists have as `listed` in a module; None where it is
    in none.
    """
    own = [rule for rule in rules.rules(function) if rule.function is not None]
    if own:
        differentiable = any(rule.differentiable for rule in own)
        category = Coverage.RULE if differentiable else Coverage.CONSTANT
        return Classified(name, category, batches=has_batching(function, rules))
    for category in (Coverage.CONSTANT, Coverage.INTERNAL, Coverage.MISSING):
        reason = reason_of(category, module, name if listed is None else listed)
        if reason is not None:
            return Classified(name, category, reason)
    return None


def has_batching(function, rules: RuleTable = default_rules) -> bool:
    """Whether a function has a rule for batching; many examples of it are a loop otherwise."""
    return any(rule.function is not None for rule in rules.rules(function, ("batching",)))


def coverage(rules: RuleTable = default_rules) -> Iterator[Classified]:
    """Every function that is in a category, in alphabetical order.

    >>> {c.name: str(c.coverage) for c in coverage()}["numpy.sort"]
    'has a rule'
    """
    for name, function in sorted(overridable().items()):
        found = classify(name, function, rules)
        if found is not None:
            yield found


def series_functions() -> Iterator[tuple[str, str, Any]]:
    """Return each function of `numpy.polynomial`, with its name and the part of that after the prefix.

    The six modules have the same functions, each under its own prefix.
    """
    for family in FAMILIES:
        for name in family.module.__all__:
            function = getattr(family.module, name)
            if callable(function) and not isinstance(function, type):
                yield f"{family.module.__name__}.{name}", name.removeprefix(family.prefix), function


def series_coverage(rules: RuleTable = default_rules) -> Iterator[Classified]:
    """Return every function of `numpy.polynomial` that is in a category.

    NumPy lets other classes of arrays override two of them only: the others are on no list of its
    own.

    >>> {c.name: str(c.coverage) for c in series_coverage()}["numpy.polynomial.legendre.legval3d"]
    'has a rule'
    """
    for name, suffix, function in series_functions():
        found = classify(name, function, rules, module="numpy.polynomial", listed=suffix)
        if found is not None:
            yield found
