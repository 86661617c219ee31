"""``chainrules check some.module``: check every rule that importing a module registers, against its samples.

A module in the current folder is found, as by ``python -m``; a file may be named by its path, ``chainrules check ./rules.py``.
Rules are found by where they are written: in the module, or in a package's modules once they are imported. A primal with a
rule and without samples fails. The exit status is 0 when everything passes, 1 when something fails, 2 for a module that
cannot be imported or registers nothing.

``chainrules try some_package.function 1.0 "[2.0, 3.0]"``: whether a call of other people's code is differentiated as it stands,
and if not, which constructs are in the way. The arguments are Python's numbers and lists; lists are arrays.
"""

import argparse
import importlib
import sys
from ast import literal_eval
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from chainrules_py.identity import qualified_name
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.rule import Rule
from chainrules_py.testing.cases import Case, cases_of, outcome
from chainrules_py.testing.failures import MissingSamplesError
from chainrules_py.testing.progress import Bar
from chainrules_py.testing.samples import load_shipped
from chainrules_py.testing.settings import Settings

OWN = str(Path(__file__).parent.parent)


@dataclass
class Summary:
    """What a run found."""

    passed: int = 0
    failures: list[tuple[str, Exception]] = field(default_factory=list)

    def add(self, name: str, error: Exception | None) -> None:
        """Count one case."""
        if error is None:
            self.passed += 1
        else:
            self.failures.append((name, error))


def main(arguments: Sequence[str] | None = None, *, out: TextIO | None = None, progress: TextIO | None = None) -> int:
    """The console script ``chainrules``; returns the exit status."""
    options = _parser().parse_args(arguments)
    written: TextIO = sys.stdout if out is None else out
    with _importable(options):
        if "args" in options:
            return _try(options, written)
        return _check(options, written, sys.stderr if progress is None else progress)


@contextmanager
def _importable(options: argparse.Namespace) -> Iterator[None]:
    """While it lasts, the folder of the module is on the path: of a file its own, otherwise the current one."""
    named = Path(options.module)
    folder, options.module = (named.parent, named.stem) if named.suffix == ".py" else (Path(), options.module)
    sys.path.insert(0, str(folder.resolve()))
    try:
        yield
    finally:
        sys.path.remove(str(folder.resolve()))


def _check(options: argparse.Namespace, out: TextIO, progress: TextIO) -> int:
    try:
        rules = rules_of(options.module, default_rules)
    except ImportError as error:
        print(f"chainrules check: {options.module} cannot be imported: {error}", file=out)
        return 2
    if not rules:
        print(f"chainrules check: importing {options.module} registers no rule; name the module that does", file=out)
        return 2
    load_shipped()
    settings = Settings(seed=options.seed, second_order="required" if options.second_order else "where rules exist")
    summary = run(rules, settings, options.dtype, Bar(progress), stop=options.fail_fast)
    _report(summary, out)
    return 1 if summary.failures else 0


def _try(options: argparse.Namespace, out: TextIO) -> int:
    """Try a call; the engine is imported here, because this package knows none."""
    module, _, name = options.module.rpartition(".")
    try:
        function = getattr(importlib.import_module(module), name)
        trying = importlib.import_module("chainrules_tape.seeing.trying")
    except (ImportError, AttributeError, ValueError) as error:
        print(f"chainrules try: {options.module} cannot be imported: {error}", file=out)
        return 2
    trial = trying.tried(function, list(map(literal_eval, options.args)), [module.partition(".")[0], *(options.see or ())])
    print(trying.report(trial), file=out)
    return 0 if trial.is_right else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="chainrules", description="Tools for derivative rules.")
    commands = parser.add_subparsers(required=True)
    check = commands.add_parser("check", help="check every rule that importing a module registers")
    check.add_argument("module", help="a module or package as it is imported, or a file as in ./rules.py")
    check.add_argument("--dtype", action="append", help="only this dtype (may be repeated)")
    check.add_argument("--seed", type=int, default=0, help="another set of random numbers")
    check.add_argument("--fail-fast", action="store_true", help="stop at the first failure")
    check.add_argument("--second-order", action="store_true", help="an operation without a rule inside a rule is a failure")
    trial = commands.add_parser("try", help="differentiate a call of a package as it stands, and compare with differences")
    trial.add_argument("module", metavar="function", help="a function by its full name, as in package.module.function")
    trial.add_argument("args", nargs="*", help="its arguments, numbers and lists, by which it is differentiated")
    trial.add_argument("--see", action="append", help="another package to see through (may be repeated)")
    return parser


def rules_of(module: str, table: RuleTable) -> list[Rule]:
    """The rules that importing a module registers, and those written in its files if it was imported before."""
    arrived: list[Rule] = []
    stop = table.subscribe(arrived.append, replay=False)
    try:
        imported = importlib.import_module(module)
    finally:
        stop()
    home = _files_of(imported)
    foreign = [rule for rule in arrived if rule.where.startswith(OWN) and not OWN.startswith(home)]
    found = [rule for rule in table.rules() if rule.where.startswith(home)] + [r for r in arrived if r not in foreign]
    return list(dict.fromkeys(found))


def _files_of(module: Any) -> str:
    """The file of a module, or the folder of a package."""
    path = Path(getattr(module, "__file__", None) or module.__name__)
    return f"{path.parent}/" if hasattr(module, "__path__") else f"{path}:"


def run(rules: Iterable[Rule], settings: Settings, dtypes: Sequence[str] | None, bar: Bar, *, stop: bool = False) -> Summary:
    """Run the cases of every primal of these rules."""
    summary = Summary()
    todo = list(_cases(rules, settings, dtypes, summary))
    for number, case in enumerate(todo):
        bar.show(number, len(todo), case.name)
        summary.add(case.name, outcome(case))
        if stop and summary.failures:
            break
    bar.clear()
    return summary


def _cases(rules: Iterable[Rule], settings: Settings, dtypes: Sequence[str] | None, summary: Summary) -> Iterable[Case]:
    modes: dict[Any, set[str]] = {}
    for rule in rules:
        modes.setdefault(rule.primal, set()).add(rule.mode)
    for primal, wanted in modes.items():
        try:
            yield from (case for case in cases_of(primal, settings=settings, dtypes=dtypes) if case.mode in wanted)
        except MissingSamplesError as error:
            summary.add(qualified_name(primal), error)


def _report(summary: Summary, out: TextIO) -> None:
    for name, error in summary.failures:
        print(f"FAILED {name}\n  {error}\n", file=out)
    print(f"{summary.passed} passed, {len(summary.failures)} failed", file=out)


if __name__ == "__main__":
    sys.exit(main())
