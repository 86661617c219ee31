"""Write docs/coverage_of_libraries.md: which of NumPy's functions are differentiated on which library's arrays.

``PYTHONPATH=tests/shared python tests/behaviour/libraries/measure_libraries.py`` runs all libraries; with names after it, those
alone, and keeps what was measured of the others.
"""

import json
import os
import sys
import warnings
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from chainrules_py.identity import qualified_name
from stand_ins.device_runs import Device
from stand_ins.library_runs import DEVICES, outcomes, primals

ROOT = Path(__file__).parents[3]
FIGURES = Path(__file__).with_name("measured.json")
DOCUMENT = ROOT / "docs" / "coverage_of_libraries.md"
MODES = "rf2"
SAMPLES = {"JAX": 1, "Dask": 1, "array API": 1}  # where not all are asked for
HEAD = """\
# What runs on which library

Written by `tests/behaviour/libraries/measure_libraries.py`, and held by `test_measure_libraries.py` beside it. Each sample call
of each of NumPy's functions with a rule that the library itself can compute, with NumPy's value, is differentiated on the
library's arrays and compared with NumPy's derivative: every sample on PyTorch, and the first one on the other libraries.
CuPy has tests of its own over all samples, in these modes and others ([cupy.md](cupy.md)).

`r` is reverse mode, `f` forward mode, `2` second derivatives in all arguments at once, forward over reverse. In brackets stands
what runs in some samples and not in all; a question mark where PyTorch has nan for zero times infinity; `none` where nothing
runs, and a dash where the library lacks the function (on Dask: lazily).

"""

Outcomes = dict[str, int]  # how many samples of a function have which modes


def measured(name: str) -> dict[str, Outcomes]:
    """What runs of each primal on a library."""
    device = DEVICES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {qualified_name(primal): runs_of(name, device, primal) for primal in primals()}


def runs_of(name: str, device: Device, primal: Any) -> Outcomes:
    """How many samples of a primal have which modes on a library, of as many as are asked for."""
    return dict(Counter(islice(outcomes(device, primal), SAMPLES.get(name))))


def shares(found: dict[str, Outcomes]) -> list[tuple[int, int]]:
    """How many samples run in each mode, of how many that the library has; at second order, that NumPy differentiates."""
    pairs = [(modes, count) for outcome in found.values() for modes, count in outcome.items()]
    of = [[(modes, count) for modes, count in pairs if mode != "2" or "." not in modes] for mode in MODES]
    return [
        (sum(count for modes, count in part if mode in modes), sum(count for _, count in part))
        for mode, part in zip(MODES, of, strict=True)
    ]


def cell(outcome: Outcomes) -> str:
    """What runs in all samples of a function, and in brackets what runs in some."""
    if not outcome:
        return "-"
    found = ""
    for mode in MODES:
        runs = [mode in modes for modes in outcome if mode != "2" or "." not in modes]
        found += mode if runs and all(runs) else f"({mode})" if any(runs) else ""
    return found + "?" * any("?" in modes for modes in outcome) or "none"


def document(figures: dict[str, dict[str, Outcomes]]) -> str:
    """The text of the document."""
    names = list(figures)
    lines = ["| library | functions that it has | samples | reverse | forward | second order |", "|---|---|---|---|---|---|"]
    for name in names:
        percentages = [f"{100 * runs / of:.1f} %" for runs, of in shares(figures[name])]
        functions, samples = sum(map(bool, figures[name].values())), shares(figures[name])[0][1]
        lines.append(f"| {name} | {functions} | {samples:,} | {' | '.join(percentages)} |")
    lines += ["", f"| function | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for primal in sorted(set().union(*figures.values())):
        lines.append(f"| `{primal}` | {' | '.join(cell(figures[name].get(primal, {})) for name in names)} |")
    return HEAD + "\n".join(lines) + "\n"


def as_json(figures: dict[str, dict[str, Outcomes]]) -> str:
    """The figures with a line for each function."""
    parts = (
        f" {json.dumps(name)}: {{\n"
        + ",\n".join(f"  {json.dumps(key)}: {json.dumps(runs)}" for key, runs in found.items())
        + "\n }"
        for name, found in figures.items()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(names: list[str]) -> None:
    """Measure libraries, keep the figures, write the document."""
    os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # what is compiled here runs once
    for name in names or DEVICES:
        found = measured(name)
        print(
            name, shares(found), {primal: modes for primal, modes in found.items() if set(modes) - {"rf2", "rf."}}, flush=True
        )
        figures = {**(json.loads(FIGURES.read_text()) if FIGURES.exists() else {}), name: found}
        ordered = {key: figures[key] for key in DEVICES if key in figures}
        FIGURES.write_text(as_json(ordered))
        DOCUMENT.write_text(document(ordered))


if __name__ == "__main__":
    main(sys.argv[1:])
