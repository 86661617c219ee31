"""`chainrules check some.module`: check every rule that importing a module registers, against its
samples.

Rules are found by where they are written: in the module, or in a package's modules once they are
imported. A primal with a rule and without samples fails.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import chainrules_py
from chainrules_command.answers import Answer
from chainrules_command.misuse import MisuseError
from chainrules_command.names import module_named
from chainrules_py.errors import ChainRulesError
from chainrules_py.rules.rule import Rule
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.testing.cases import Case, cases_of, outcome
from chainrules_py.testing.samples import dtypes_of, load_shipped
from chainrules_py.testing.settings import Settings
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.progress import Progress

EXAMPLES = """\
  chainrules check my_package.rules
  chainrules check ./rules.py --dtype float64 --fail-fast
"""
OWN = str(Path(chainrules_py.__file__).parent)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "module", help="a module or package as it is imported, or a file as in ./rules.py"
    )
    parser.add_argument("--dtype", action="append", help="only this dtype (may be repeated)")
    parser.add_argument("--seed", type=int, default=0, help="another set of random numbers")
    parser.add_argument("--fail-fast", action="store_true", help="stop at the first failure")
    parser.add_argument(
        "--second-order",
        action="store_true",
        help="an operation without a rule inside a rule is a failure",
    )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Check the rules of a module; the status is 1 where something fails."""
    rules = rules_of(options.module, default_rules)
    if not rules:
        raise MisuseError(
            options.module, "importing it registers no rule", "name the module that does"
        )
    load_shipped(required=False)
    known = sorted({dtype for rule in rules for dtype in dtypes_of(rule.primal)})
    for dtype in options.dtype or ():
        if known and dtype not in known:
            raise MisuseError(
                "--dtype", f"there is no sample of {dtype}", f"write one of {', '.join(known)}"
            )
    settings = Settings(
        seed=options.seed, second_order="required" if options.second_order else "where rules exist"
    )
    passed, failures = 0, []
    todo = list(cases_or_errors(rules, settings, options.dtype))
    with Progress("samples", len(todo), err) as progress:
        for number, (name, case) in enumerate(todo):
            progress.at(number)
            error = outcome(case) if isinstance(case, Case) else case
            if error is None:
                passed += 1
                continue
            failures.append({"case": name, "error": said(error)})
            if options.fail_fast:
                break
    parts = ["FAILED {case}\n  {error}\n".format(**failure) for failure in failures]
    counts = f"{passed} passed, {len(failures)} failed"
    return Answer({"passed": passed, "failures": failures}, [*parts, counts], bool(failures))


def said(error: Exception) -> str:
    """Return the text of an error, after its class unless it is an error of this library."""
    return str(error) if isinstance(error, ChainRulesError) else f"{type(error).__name__}: {error}"


def rules_of(module: str, table: RuleTable) -> list[Rule]:
    """The rules that importing a module registers, and those written in its files if it was
    imported before.
    """
    arrived: list[Rule] = []
    stop = table.on_new_rule(arrived.append, replay=False)
    try:
        imported = module_named(module)
    finally:
        stop()
    home = _start_of_places(imported)
    written_there = [rule for rule in table.rules() if rule.where.startswith(home)]
    # importing it may have loaded rules of this distribution, which it only uses
    is_ours = OWN.startswith(home)
    others = [rule for rule in arrived if is_ours or not rule.where.startswith(OWN)]
    return list(dict.fromkeys([*written_there, *others]))


def _start_of_places(module) -> str:
    """How the places, ``file:line``, of all rules begin that are written in a module or package."""
    path = Path(getattr(module, "__file__", None) or module.__name__)
    return f"{path.parent}/" if hasattr(module, "__path__") else f"{path}:"


def cases_or_errors(
    rules: Iterable[Rule], settings: Settings, dtypes: Sequence[str] | None
) -> Iterator[tuple[str, Case | Exception]]:
    """The cases of every primal in the modes in which it has rules, with their names; where making
    them fails, the error with the name of the primal.
    """
    modes: dict[Any, set[str]] = {}
    for rule in rules:
        modes.setdefault(rule.primal, set()).add(rule.mode)
    for primal, wanted in modes.items():
        try:
            for case in cases_of(primal, settings=settings, dtypes=dtypes):
                if case.mode in wanted:
                    yield case.name, case
        except Exception as error:  # samples are missing, or whoever wrote them made a mistake
            yield qualified_name(primal), error
