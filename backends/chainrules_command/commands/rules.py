"""`chainrules rules [pattern]`: which functions have rules; `--packs`: who else has declared some."""

import argparse
from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

from chainrules_command.answers import Answer, Table
from chainrules_command.misuse import did_you_mean
from chainrules_py.rules.rule import ENTRY_POINTS, MODES, Rule
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.discovery import declared_packs, load_rules
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.shipped import PACKS

EXAMPLES = """\
  chainrules rules sin                  every name with "sin" in it
  chainrules rules "numpy.linalg.*"     by a pattern for the whole name
  chainrules rules --json numpy.fft     each rule with its signature, options, formulas and place
  chainrules rules --packs              the packs of rules that other distributions declare
"""
CONSTANT = "no derivative"  # what stands in the place of the modes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "pattern",
        nargs="?",
        default="",
        help="a part of a name, or with * a pattern for the whole of it",
    )
    parser.add_argument(
        "--packs",
        action="store_true",
        help="list the packs of other distributions, and import none of them",
    )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """List the rules of the functions whose names match, or the packs that are declared for them."""
    if options.packs:
        return packs(options.pattern)
    rules = sorted(
        table_for(options.pattern).rules(), key=lambda rule: qualified_name(rule.primal).lower()
    )
    found = [rule for rule in rules if matches(qualified_name(rule.primal), options.pattern)]
    if not found:
        names = {qualified_name(rule.primal) for rule in rules}
        known = names if "." in options.pattern else {name.rpartition(".")[2] for name in names}
        instead = did_you_mean(options.pattern, known, "`chainrules rules` lists all")
        return Answer(
            [], [f"no function with a rule has a name like {options.pattern}; {instead}"], 1
        )
    rows = list(rows_of_rules(found))
    table = Table(("function", "rules", "arguments", "where"), rows)
    constant = sum(modes == CONSTANT for _, modes, _, _ in rows)
    functions = f"{len(rows)} functions" + (
        f" ({constant} of them without a derivative)" if constant else ""
    )
    return Answer([rule_data(rule) for rule in found], [table, f"{functions}, {len(found)} rules"])


def packs(pattern: str) -> Answer:
    """List what other distributions declare for modules whose names match, importing nothing."""
    found = [
        {
            "for": point.name,
            "module": point.value,
            "kind": point.group.rpartition(".")[2],
            "distribution": point.dist.name if point.dist else "",
            "version": point.dist.version if point.dist else "",
        }
        for point in declared_packs()
        if matches(point.name, pattern)
    ]
    if not found:
        of_name = f" for {pattern}" if pattern else ""
        return Answer([], [f"no other distribution declares a pack{of_name}"])
    rows = [list(pack.values()) for pack in found]
    return Answer(found, [Table(tuple(found[0]), rows)])


def table_for(pattern: str) -> RuleTable:
    """The table with all rules that can match: where a pattern begins with a library, those of the
    others are not loaded.
    """
    root, dot, _ = pattern.partition(".")
    homes = [home for home in PACKS if home.partition(".")[0] == root]
    if not dot or not homes or find_spec(root) is None:
        return default_rules.load_all()
    for home in homes:
        load_rules(home)
    return default_rules


def matches(name: str, pattern: str) -> bool:
    """Tell whether a name has a part, or is of a pattern; small and capital letters are one."""
    name, pattern = name.lower(), pattern.lower()
    return fnmatchcase(name, pattern) if any(sign in pattern for sign in "*?[") else pattern in name


def rows_of_rules(rules: list[Rule]) -> Iterator[tuple[str, str, str, str]]:
    """A row per function."""
    by_function: dict[str, list[Rule]] = {}
    for rule in rules:
        by_function.setdefault(qualified_name(rule.primal), []).append(rule)
    for name, own in by_function.items():
        modes = ", ".join(
            ENTRY_POINTS[mode] for mode in MODES if any(rule.mode == mode for rule in own)
        )
        signatures = " ".join(dict.fromkeys(rule.signature for rule in own))
        yield (
            name,
            modes if any(rule.differentiable for rule in own) else CONSTANT,
            signatures,
            short_place(own[0]),
        )


def rule_data(rule: Rule) -> dict[str, Any]:
    """A rule as data for JSON."""
    return {
        "function": qualified_name(rule.primal),
        "entry_point": ENTRY_POINTS[rule.mode],
        "rule": rule.name,
        "signature": rule.signature,
        "options": None if rule.options is None else sorted(rule.options),
        "differentiable": rule.differentiable and rule.function is not None,
        "formulas": rule.formulas(),
        "expressions": rule.expressions(),
        "where": rule.where,
    }


def short_place(rule: Rule) -> str:
    """Return the place of a rule as ``folder/file.py:12``, which an editor's search finds."""
    path = Path(rule.where)
    return f"{path.parent.name}/{path.name}"
