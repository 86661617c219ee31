"""`chainrules coverage [pattern]`: what becomes of each function of NumPy and SciPy."""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any, TextIO

from chainrules_command.answers import Answer, Table
from chainrules_command.commands.rules import matches
from chainrules_numpy.coverage import (
    Classified,
    Coverage,
    classify,
    coverage,
    series_coverage,
)
from chainrules_py.rulesets.without_rules import reason_of, sections
from chainrules_py.values.discovery import is_installed

EXAMPLES = """\
  chainrules coverage                          a row per module
  chainrules coverage "scipy.optimize.*"       a row per function, with reasons
  chainrules coverage --missing                the functions that have no rule yet, with reasons
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "pattern", nargs="?", help="a part of a name, or with * a pattern for the whole of it"
    )
    parser.add_argument(
        "--missing", action="store_true", help="only functions that have no rule yet, one by one"
    )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Count by module, or list one by one what matches; the status is 1 where nothing does."""
    pattern = options.pattern or ""
    by_name = {each.name: each for each in everything() if matches(each.name, pattern)}
    found = sorted(by_name.values(), key=str)
    if options.missing:
        found = [each for each in found if each.coverage is Coverage.MISSING]
    data = [
        {
            "function": each.name,
            "coverage": str(each.coverage),
            "reason": each.reason,
            "batches": each.batches,
        }
        for each in found
    ]
    if options.pattern is None and not options.missing:
        return Answer(data, [summary(found)])
    rows = [(each.name, str(each.coverage), examples_at_once(each), each.reason) for each in found]
    columns = ("function", "coverage", "many examples", "because")
    absent = "" if is_installed("scipy") else ", and SciPy is not installed"
    parts = [Table(columns, rows)] if rows else [f"no function matches{absent}"]
    return Answer(data, parts, 0 if rows or options.missing else 1)


def examples_at_once(each: Classified) -> str:
    """Say how many examples of a function are computed, if it has rules."""
    if each.coverage is not Coverage.RULE:
        return ""
    return "at once" if each.batches else "in a loop"


def everything() -> Iterator[Classified]:
    """Return every function of NumPy, and of SciPy where it is installed."""
    for each in coverage():
        name = f"numpy.{each.name.removeprefix('numpy.')}"
        yield replace(each, name=name)
    yield from series_coverage()
    if is_installed("scipy"):
        for module in sections()[Coverage.MISSING]:
            if module.startswith("scipy."):
                yield from scipy_coverage(module)
        yield from distance_coverage()


def count() -> int:
    """Count the functions of NumPy and SciPy that have a rule with a derivative, by the names under
    which people import them.
    """
    return len({each.name for each in everything() if each.coverage is Coverage.RULE})


def distance_coverage() -> Iterator[Classified]:
    """Return every public function of `scipy.spatial.distance`, some of which `chainrules_tape`
    writes in NumPy's functions.
    """
    theirs = import_module("scipy.spatial.distance")
    for name in theirs.__all__:
        full = f"scipy.spatial.distance.{name}"
        why = reason_of(Coverage.CONSTANT, theirs.__name__, name)
        if why is None:
            reason = f"chainrules_tape.{full} computes it by NumPy's functions, which have rules"
            yield Classified(full, Coverage.INTERNAL, reason)
        else:
            yield Classified(full, Coverage.CONSTANT, why)


def scipy_coverage(home: str) -> Iterator[Classified]:
    """Return every public function of a module of SciPy."""
    module = import_module(home)
    for name in module.__all__:
        function = getattr(module, name)
        if not callable(function):
            continue
        full = f"{home}.{name}"
        found = classify(full, with_the_rules(function), module=home, listed=name)
        if found is None:  # another name of a function that is listed
            reason = reason_of(Coverage.MISSING, home, getattr(function, "__name__", name))
            found = Classified(full, Coverage.MISSING, reason or "")
        yield found


def with_the_rules(function) -> Any:
    """A function or, of a distribution, its density, which has the rules."""
    densities = [getattr(type(function), name, None) for name in ("logpdf", "logpmf")]
    return next(filter(None, densities), function)


def summary(found: list[Classified]) -> Table:
    """Count the functions of each module in each category, and those with a derivative and without
    a loop over many examples.
    """
    counts: dict[str, Counter[Coverage]] = {}
    at_once: Counter[str] = Counter()
    for each in found:
        module = each.name.rpartition(".")[0]
        counts.setdefault(module, Counter())[each.coverage] += 1
        at_once[module] += each.batches and each.coverage is Coverage.RULE
    counts["all"], at_once["all"] = sum(counts.values(), Counter()), at_once.total()
    columns = [*map(str, Coverage), "functions", "many examples at once"]
    rows = [
        (name, *(str(own[kind]) for kind in Coverage), str(own.total()), str(at_once[name]))
        for name, own in counts.items()
    ]
    return Table(("module", *columns), rows, right=columns)
