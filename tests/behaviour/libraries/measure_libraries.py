"""Write docs/coverage_of_libraries.md: which of NumPy's functions are differentiated on which library's arrays.

``PYTHONPATH=tests/shared python tests/behaviour/libraries/measure_libraries.py`` runs all libraries; with names after it, those
alone, and keeps what was measured of the others.
"""

import json
import os
import sys
import warnings
from pathlib import Path

from chainrules_py.identity import qualified_name
from stand_ins.library_runs import DEVICES, outcome, primals

ROOT = Path(__file__).parents[3]
FIGURES = Path(__file__).with_name("measured.json")
DOCUMENT = ROOT / "docs" / "coverage_of_libraries.md"
HEAD = """\
# What runs on which library

Written by `tests/behaviour/libraries/measure_libraries.py`, and held by `test_measure_libraries.py` beside it. The first sample
call of each of NumPy's functions with a rule that the library itself can compute, with NumPy's value, is differentiated on the
library's arrays and compared with NumPy's derivative. CuPy has tests of its own over all samples ([cupy.md](cupy.md)).

`r` is reverse mode, `f` forward mode, `2` second derivatives, forward over reverse; a dash stands where the library lacks the
function (on Dask: lazily). Functions whose first argument is a list, or complex, have no `2`.

"""


def measured(name: str) -> dict[str, str]:
    """What runs of each primal on a library."""
    device = DEVICES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {qualified_name(primal): outcome(device, primal) for primal in primals()}


def shares(found: dict[str, str]) -> list[tuple[int, int]]:
    """How many functions run in each mode, of how many that the library has."""
    has = [modes for modes in found.values() if modes != "-"]
    return [(sum(mode in modes for modes in has), len(has)) for mode in "rf"]


def document(figures: dict[str, dict[str, str]]) -> str:
    """The text of the document."""
    names = list(figures)
    lines = ["| library | functions that it has | reverse | forward |", "|---|---|---|---|"]
    for name in names:
        (reverse, of), (forward, _) = shares(figures[name])
        lines.append(f"| {name} | {of} | {100 * reverse / of:.1f} % | {100 * forward / of:.1f} % |")
    lines += ["", f"| function | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for primal in sorted(set().union(*figures.values())):
        cells = (figures[name].get(primal, "-") or "none" for name in names)
        lines.append(f"| `{primal}` | {' | '.join(cells)} |")
    return HEAD + "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    """Measure libraries, keep the figures, write the document."""
    os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # what is compiled here runs once
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    for name in names or DEVICES:
        figures[name] = measured(name)
        print(name, shares(figures[name]), [primal for primal, modes in figures[name].items() if "?" in modes])
        print("   ", {primal: modes for primal, modes in figures[name].items() if modes not in ("-", "rf2")})
        ordered = {key: figures[key] for key in DEVICES if key in figures}
        FIGURES.write_text(json.dumps(ordered, indent=1) + "\n")
        DOCUMENT.write_text(document(ordered))


if __name__ == "__main__":
    main(sys.argv[1:])
