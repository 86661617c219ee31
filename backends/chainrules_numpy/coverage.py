"""Each function of NumPy that can be intercepted is in exactly one of four categories.

    has a rule             derived from the table of rules, here and in docs alike
    non-differentiable     the same, and what is listed in NOTHING_TO_DIFFERENTIATE: neither arguments nor results have tangents
    done by another        reached only through a function that is classified itself
    no rule yet            listed with the reason, for people who want to write it

A test holds this against NumPy's own list, so that a new release of NumPy is news.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Any

import numpy as np

from chainrules_py.rules.rule import Rule
from chainrules_py.table.registry import RuleTable, default_rules


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


TEXT = "it works on text"
TEXT_MODULES = ("numpy.strings.", "numpy.char.")

NOTHING_TO_DIFFERENTIATE: dict[str, tuple[str, ...]] = {
    TEXT: (
        *("_center", "_expandtabs", "_expandtabs_length"),
        *("_ljust", "_lstrip_chars", "_lstrip_whitespace"),
        *("_partition", "_partition_index", "_replace"),
        *("_rjust", "_rpartition", "_rpartition_index"),
        *("_rstrip_chars", "_rstrip_whitespace", "_slice"),
        *("_strip_chars", "_strip_whitespace", "_zfill"),
        *("count", "endswith", "find", "index", "isalnum"),
        *("isalpha", "isdecimal", "isdigit", "islower", "isnumeric"),
        *("isspace", "istitle", "isupper", "rfind", "rindex", "startswith", "str_len"),
    ),
    "it makes an array from a shape, a file, a buffer or text": (
        *("numpy.arange", "numpy.empty", "numpy.eye", "numpy.identity", "numpy.ones", "numpy.tri"),
        *("numpy.zeros", "numpy.frombuffer", "numpy.fromfile"),
        *("numpy.fromiter", "numpy.fromstring", "numpy.fromfunction"),
        *("numpy.genfromtxt", "numpy.loadtxt"),
    ),
    "it writes a file": ("numpy.save", "numpy.savetxt", "numpy.savez", "numpy.savez_compressed"),
    "records have no tangent space": tuple(
        f"numpy.lib.recfunctions.{name}"
        for name in (
            *("append_fields", "apply_along_fields", "assign_fields_by_name"),
            *("drop_fields", "find_duplicates", "join_by"),
            *("merge_arrays", "rec_append_fields", "rec_drop_fields"),
            *("rec_join", "recursive_fill_fields", "rename_fields"),
            *("repack_fields", "require_fields", "stack_arrays"),
            *("structured_to_unstructured", "unstructured_to_structured"),
        )
    ),
}

INTERNAL = {
    "_ones_like": "only numpy.ones_like calls it",
    **{
        name: f"numpy.{name} has the rule; this is the ufunc under it"
        for name in ("clip", "real", "imag")
    },
}

NO_RULE_YET: dict[str, str] = {
    "numpy.in1d": "it is deprecated; numpy.isin has the rule",
    "numpy.require": (
        "it is numpy.asarray, which has the rule, with demands on the memory that no derivative"
        " knows"
    ),
}

# Listed above, and not in every version that is supported: since 2.3, since 2.5, until 2.3.
OF_SOME_VERSIONS = frozenset({"_slice", "real", "imag", "numpy.in1d"})


def overridable() -> dict[str, Any]:
    """List NumPy's overridable functions by name, from NumPy's own list."""
    for module in ("char", "fft", "lib.recfunctions", "polynomial", "strings"):
        import_module(f"numpy.{module}")  # NumPy's list has what has been imported
    overrides = import_module("numpy.testing.overrides")  # 20 ms that only this needs

    found = {ufunc.__name__: ufunc for ufunc in overrides.get_overridable_numpy_ufuncs()}
    for function in overrides.get_overridable_numpy_array_functions():
        name = f"{function.__module__}.{function.__name__}"
        found[name] = _public(name, function)
    return found


def _public(name: str, function) -> Any:
    """Return the object of a public name: NumPy lists another one where there is a `like`."""
    target: Any = np
    for part in name.split(".")[1:]:
        target = getattr(target, part, function)
    return target


def classify(name: str, function, rules: RuleTable = default_rules) -> Classified | None:
    """The category of one function; None where it is in none."""
    own = [rule for rule in rules.rules(function) if rule.function is not None]
    if own:
        return classified_by_rules(name, function, own, rules)
    for reason, names in NOTHING_TO_DIFFERENTIATE.items():
        if name in names or (reason == TEXT and name.startswith(TEXT_MODULES)):
            return Classified(name, Coverage.CONSTANT, reason)
    if name in INTERNAL:
        return Classified(name, Coverage.INTERNAL, INTERNAL[name])
    return Classified(name, Coverage.MISSING, NO_RULE_YET[name]) if name in NO_RULE_YET else None


def classified_by_rules(name: str, function, own: list[Rule], rules: RuleTable) -> Classified:
    """The category of a function that has rules of its own."""
    differentiable = any(rule.differentiable for rule in own)
    category = Coverage.RULE if differentiable else Coverage.CONSTANT
    return Classified(name, category, batches=has_batching(function, rules))


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


def listed() -> dict[str, str]:
    """List every name in the lists here that the installed NumPy may have, with its reason."""
    constants = {
        name: reason for reason, names in NOTHING_TO_DIFFERENTIATE.items() for name in names
    }
    absent = OF_SOME_VERSIONS.difference(overridable())
    return {
        name: reason
        for name, reason in (constants | INTERNAL | NO_RULE_YET).items()
        if name not in absent
    }
