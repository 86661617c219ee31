"""Write docs/coverage_of_libraries.md: which of NumPy's functions are differentiated on which
library's arrays.

``PYTHONPATH=tests/shared python tests/libraries/measure_libraries.py`` runs every sample
on all libraries, in two processes; with names after it, on those alone, and keeps what was measured
of the others. ``--every 20`` runs each twentieth primal, and changes no figure: it shows how long
the whole takes.
"""

import argparse
import json
import os
import warnings
from collections import Counter, defaultdict
from functools import cache
from itertools import islice, product
from multiprocessing import get_context
from pathlib import Path
from time import process_time

from chainrules_py.values.identity import qualified_name
from stand_ins.device_runs import Device
from stand_ins.library_runs import DEVICES, outcomes, primals

ROOT = Path(__file__).parents[2]
FIGURES = Path(__file__).with_name("measured.json")
DOCUMENT = ROOT / "docs" / "coverage_of_libraries.md"
MODES = "rf2"
PROCESSES = 2
HEAD = """\
# What runs on which library

This page says which NumPy functions you can differentiate on which library's arrays. Each sample call that the library itself
can compute is compared with NumPy's derivative. `tests/libraries/measure_libraries.py` writes it. CuPy has
[a page of its own](cupy.md); SciPy's functions are on the [coverage page](coverage.md), with a line for each.

`r` is reverse mode, `f` forward mode, `2` second derivatives; in brackets, what runs in some samples only. `none` means that
nothing runs, a dash that the library lacks the function (on Dask: lazily), a question mark that it has nan for zero times
infinity.

"""

Outcomes = dict[str, int]  # how many samples of a function have which modes


def measured(place: tuple[str, int]) -> tuple[str, int, Outcomes, float]:
    """What runs of a primal on a library, by the library's name and the primal's place, and the
    seconds that it took.
    """
    name, index = place
    begin = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = runs_of(device_of(name), all_primals()[index])
    return name, index, found, process_time() - begin


device_of = cache(lambda name: DEVICES[name]())
all_primals = cache(primals)


def runs_of(device: Device, primal, most: int | None = None) -> Outcomes:
    """How many samples of a primal have which modes on a library: of all, or of the first ones that
    the library computes.
    """
    return dict(Counter(islice(outcomes(device, primal), most)))


def shares(found: dict[str, Outcomes]) -> list[tuple[int, int]]:
    """How many samples run in each mode, of how many that the library has; at second order, that
    NumPy differentiates.
    """
    pairs = [(modes, count) for outcome in found.values() for modes, count in outcome.items()]
    of = [
        [(modes, count) for modes, count in pairs if mode != "2" or "." not in modes]
        for mode in MODES
    ]
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
    lines = [
        "| library | functions that it has | samples | reverse | forward | second order |",
        "|---|---|---|---|---|---|",
    ]
    for name in names:
        percentages = [f"{100 * runs / of:.1f} %" for runs, of in shares(figures[name])]
        functions, samples = sum(map(bool, figures[name].values())), shares(figures[name])[0][1]
        lines.append(f"| {name} | {functions} | {samples:,} | {' | '.join(percentages)} |")
    lines += ["", f"| {' | '.join(names)} | functions |", f"|{'---|' * len(names)}---|"]
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for primal in sorted(set().union(*figures.values())):
        cells = tuple(cell(figures[name].get(primal, {})) for name in names)
        alike[cells].append(f"`{primal.removeprefix('numpy.')}`")
    for cells in sorted(alike, key=lambda cells: -len(alike[cells])):
        lines.append(f"| {' | '.join(cells)} | {', '.join(alike[cells])} |")
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


def keep(figures: dict[str, dict[str, Outcomes]]):
    """Write the figures of some libraries next to what is known of the others, and the document."""
    known = {**(json.loads(FIGURES.read_text()) if FIGURES.exists() else {}), **figures}
    ordered = {name: known[name] for name in DEVICES if name in known}
    FIGURES.write_text(as_json(ordered))
    DOCUMENT.write_text(document(ordered))


def main(names: list[str], every: int):
    """Measure libraries, and keep the figures of each as soon as all of its primals are measured."""
    os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # what is compiled here runs once
    chosen = range(0, len(all_primals()), every)
    found: dict[str, dict[int, Outcomes]] = defaultdict(dict)
    seconds: Counter[str] = Counter()
    # JAX keeps what it compiled
    with get_context("spawn").Pool(PROCESSES, maxtasksperchild=200) as pool:
        for name, index, outcome, duration in pool.imap_unordered(measured, product(names, chosen)):
            found[name][index] = outcome
            seconds[name] += duration
            if len(found[name]) == len(chosen):
                figures = {
                    qualified_name(all_primals()[place]): found[name][place] for place in chosen
                }
                print(f"{name}, {seconds[name]:.0f} s of processor time:", shares(figures))
                print(
                    {
                        primal: runs
                        for primal, runs in figures.items()
                        if set(runs) - {"rf2", "rf."}
                    },
                    flush=True,
                )
                keep({name: figures} if every == 1 else {})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="library")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    main(options.names or [*DEVICES], options.every)
