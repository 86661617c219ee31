"""The rows of the coverage page: every function with its modes, the order to which it is checked,
and its formulas.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainrules_py import default_rules
from chainrules_py.rules.formulas import in_latex
from chainrules_py.rules.latex import latex
from chainrules_py.rules.rule import MODES, Rule
from chainrules_py.testing import load_shipped, samples_of
from chainrules_py.values.identity import home_module, qualified_name

ROOT = Path(__file__).parents[2]
# the rules that ship; a process may have registered others
RULESETS = ROOT / "chainrules_py" / "rulesets"


def by_engine() -> dict[str, dict[str, str]]:
    """How each function runs in other engines, by engine, as it was measured."""
    path = ROOT / "tests" / "engines" / "measured.json"
    figures: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return figures


def by_library() -> dict[str, dict[str, str]]:
    """How each function runs on the arrays of other libraries, by library, from the page that shows
    what was measured: the functions that run alike stand in one row.
    """
    lines = (ROOT / "docs" / "coverage_of_libraries.md").read_text(encoding="utf-8").splitlines()
    table = [line.strip("| ").split(" | ") for line in lines if line.endswith("` |")]
    (head,) = [line for line in lines if line.endswith("| functions |")]
    libraries = head.strip("| ").split(" | ")[:-1]
    return {
        library: {
            f"numpy.{name}": row[k] for row in table for name in re.findall("`(.+?)`", row[-1])
        }
        for k, library in enumerate(libraries)
    }


ENGINES, LIBRARIES = by_engine(), by_library()


@dataclass(frozen=True)
class Row:
    """What the page says of one function; `formulas` are pairs of LaTeX, the partial derivative and
    what it is equal to.
    """

    name: str
    modes: dict[str, bool]
    batches: bool
    order: str
    formulas: tuple[tuple[str, str], ...]
    engines: dict[str, str]
    libraries: dict[str, str]
    file: str
    line: int


def rows() -> Iterator[Row]:
    """Every primal with a derivative, in alphabetical order; functions of the rules' own are left
    out.
    """
    found = [row(public_name(primal), primal, rules) for primal, rules in differentiable().items()]
    yield from sorted(found, key=lambda row: row.name)


def differentiable() -> dict[Any, list[Rule]]:
    """The functions that people call and that have derivatives, each with its rules."""
    load_shipped()
    rules = defaultdict(list)
    for rule in default_rules.load_all().rules():
        if (
            rule.differentiable
            and rule.function is not None
            and rule.where.startswith(str(RULESETS))
        ):
            rules[rule.primal].append(rule)
    return {
        primal: own
        for primal, own in rules.items()
        if not public_name(primal).startswith("chainrules_")
    }


def row(name: str, primal: Any, rules: list[Rule]) -> Row:
    """Describe one function by its rules."""
    path, _, line = rules[0].where.rpartition(":")
    key = qualified_name(primal)
    return Row(
        name,
        {mode: any(rule.mode == mode for rule in rules) for mode in MODES},
        any(default_rules.rules(primal, ("batching",))),
        checked_order(primal),
        formulas(next((rule for rule in rules if rule.written_partials), None)),
        {engine: found.get(key, "") for engine, found in ENGINES.items()},
        {library: found.get(key, "") for library, found in LIBRARIES.items()},
        str(Path(path).relative_to(ROOT)),
        int(line),
    )


def checked_order(primal: Any) -> str:
    """The order of derivatives to which the samples of a function are checked; empty where it is
    tested in another way.
    """
    try:
        samples = list(samples_of(primal, "float64"))
    except Exception:  # a sample of another dtype
        samples = []
    if not samples:
        return ""
    return "2" if any(sample.second_order for sample in samples) else "1"


def formulas(rule: Rule | None) -> tuple[tuple[str, str], ...]:
    """The partial derivatives of a scalar rule that are expressions."""
    if rule is None or rule.written_partials is None:
        return ()
    rows, out = rule.written_partials(), "y" if "y" not in rule.names else "f"
    found = []
    for k, row in enumerate(rows):
        output = out if len(rows) == 1 else f"y_{{{k}}}"
        for argument, partial in zip(rule.names, row, strict=True):
            formula = in_latex(partial, out)
            if "mathtt" not in formula:
                found.append(
                    (rf"\frac{{\partial {output}}}{{\partial {latex(argument)}}}", formula)
                )
    return tuple(found)


def public_name(primal: Any) -> str:
    """The name of a function without the private modules that it is written in:
    `scipy.signal.convolve`.
    """
    module, name = home_module(primal), qualified_name(primal)
    if name.startswith(f"{module}."):
        return module.partition("._")[0] + name.removeprefix(module)
    return name
