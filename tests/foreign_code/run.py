"""Try each call of `calls` with and without the scope, and write what came out as a table: ``make
test-packages``.

The packages are those of ``requirements.txt``, in a folder of their own, which is the first
argument.
"""

import contextlib
import importlib
import site
import sys
import warnings
from collections import Counter, defaultdict
from importlib import metadata
from pathlib import Path
from string import ascii_lowercase

import numpy as np
from calls import ALSO, BEFORE, CALLS, MODEL, SERIES
from differences import central_differences, largest_difference
from more_calls import ALSO_MORE, MORE_CALLS, VALUES
from other_calls import ALSO_OTHER, OTHER_CALLS

from chainrules_tape import seen_through, value_and_grad
from chainrules_tape.foreign_code.report import weighted_sum

TABLE = Path(__file__).parents[2] / "docs" / "packages.md"
HEAD = """# Packages that were tried

Calls into packages from PyPI whose authors never heard of this one, differentiated as they stand, without and with
[`seen_through`](users/other_code.md#other-peoples-modules). *Right* is a gradient that agrees with central differences. What is
not is refused with an error that names the line and the way out, except where *differs* counts it. Packages that compile parts
of themselves with Numba, where it is installed, run without it. This page is written by `make test-packages`.

"""
DIFFERING = """
## What differs, by name

An iteration that stops early has the derivative of its last steps, and not that of the solution. That is not seen, because each
of its operations is differentiated as it stands. (A search by comparisons alone, a bisection, say, is seen and refused.) The
remedy is to say which equation the result solves, by [`implicit_function`](rules/writing.md#functions-defined-by-an-equation).

"""


def outcome(module, expression, point):
    """What a call gives without the scope and with it: "right", "differs", or an error; None where
    it does not run.
    """
    try:
        variables = {
            "m": importlib.import_module(module),
            "np": np,
            "SERIES": SERIES,
            "MODEL": MODEL,
            **VALUES,
        }
        eval(BEFORE.get(module, "None"), variables)
        code = compile(expression, module, "eval")
        points = [np.array(x, float) if isinstance(x, list) else x for x in point]

        def function(*values):
            return weighted_sum(
                eval(code, variables | dict(zip(ascii_lowercase, values, strict=False)))
            )

        slopes = central_differences(function, points)
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    root = module.partition(".")[0]
    return tuple(
        gradient(function, points, slopes, scope)
        for scope in (
            contextlib.nullcontext(),
            seen_through(root, *(ALSO | ALSO_MORE | ALSO_OTHER).get(root, ())),
        )
    )


def gradient(function, points, slopes, scope):
    """What one gradient comes to."""
    try:
        with scope:
            value, bars = value_and_grad(function, argnums=tuple(range(len(points))))(*points)
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    same = np.isclose(float(value), float(function(*points)), rtol=1e-9, atol=1e-12)
    if same and largest_difference(bars, slopes) < 1e-4:
        return "right"
    near = largest_difference(bars, central_differences(function, points, 1e-7)) < 1e-4
    return "differs: " + (
        "the program's derivative, to which differences of small steps agree"
        if near
        else "not explained"
    )


def row(name, kind, results):
    """A line of the table."""
    before, after = (Counter(result[k].split(":")[0] for result in results) for k in (0, 1))
    refused = sorted(
        {result[1].split(":")[0] for result in results}.difference(["right", "differs"])
    )
    cells = (
        name,
        kind,
        len(results),
        before["right"],
        after["right"],
        after["differs"],
        ", ".join(refused),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def versions(root):
    """The name of a package's distribution, with its version."""
    found = metadata.packages_distributions().get(root, [root])[0]
    return f"{found} {metadata.version(found)}"


def main():
    site.addsitedir(sys.argv[1])
    sys.modules["numba"] = None  # is not found, so that it does not matter whether it is there
    warnings.simplefilter("ignore")
    results, kinds, differing = defaultdict(list), {}, []
    for module, kind, expression, point in CALLS + MORE_CALLS + OTHER_CALLS:
        root = module.partition(".")[0]
        with np.errstate(all="ignore"):
            found = outcome(module, expression, point)
        if found[0] is None:
            print(f"not run: {module}: {expression}: {found[1]}")
            continue
        results[root].append(found)
        kinds.setdefault(root, kind)
        if found[1] != "right":
            print(f"{module}: {expression}\n    {found[1][:300]}")
        if found[1].startswith("differs"):
            differing.append(f"* `{expression}` of `{module}`: {found[1].partition(': ')[2]}")
    lines = [
        row(versions(root), kinds[root], results[root]) for root in sorted(results, key=str.lower)
    ]
    every = [found for one in results.values() for found in one]
    refused = sum(not b.startswith(("right", "differs")) for _, b in every)
    cells = (
        len(every),
        *(sum(found[k] == "right" for found in every) for k in (0, 1)),
        len(differing),
        f"{refused} calls",
    )
    lines.append(f"| **{len(results)} packages** |  | " + " | ".join(map(str, cells)) + " |")
    head = (
        "| package | kind | calls | right without | right | differs | refused with"
        " |\n|---|---|---|---|---|---|---|\n"
    )
    by_name = DIFFERING + "\n".join(differing) + "\n" if differing else ""
    TABLE.write_text(HEAD + head + "\n".join(lines) + "\n" + by_name)
    before, after = (sum(found[k] == "right" for found in every) for k in (0, 1))
    print(f"{after} of {len(every)} right ({after / len(every):.0%}), {before} without the scope")
    return any(before == "right" and after != "right" for before, after in every)


if __name__ == "__main__":
    sys.exit(main())
