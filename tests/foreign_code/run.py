"""Try each call of the lists with and without the scope, and write what came out as a table: ``make
test-packages``.

The packages are those of ``requirements.txt``, in a folder of their own, which is the first
argument; further arguments name some of them, and then no table is written.
"""

import contextlib
import sys
from collections import Counter, defaultdict
from pathlib import Path

from attempts import (
    DIFFERS,
    RIGHT,
    calls_that_run,
    first_word,
    judged,
    site_of_packages,
    table,
    version_of,
)

from chainrules_tape import seen_through, value_and_grad

PAGE = Path(__file__).parents[2] / "docs" / "packages.md"
HEAD = """# Packages that were tried

Calls into packages from PyPI whose authors never heard of this one, differentiated as they stand, without and with
[`seen_through`](users/other_code.md#other-peoples-modules). *Right* is a gradient that agrees with central differences. What is
not is refused with an error that names the line and the way out, except where *differs* counts it. Packages that compile parts
of themselves with Numba, where it is installed, run without it. This page is written by `make test-packages`.
[Packages in JAX and PyTorch](packages_in_engines.md) has the same calls in these engines.

"""
COLUMNS = ["package", "kind", "calls", "right without", "right", "differs", "refused with"]
DIFFERING = """
## What differs, by name

An iteration that stops early has the derivative of its last steps, and not that of the solution. That is not seen, because each
of its operations is differentiated as it stands. (A search by comparisons alone, a bisection, say, is seen and refused.) The
remedy is to say which equation the result solves, by [`implicit_function`](rules/writing.md#functions-defined-by-an-equation).

"""


def outcome(call):
    """What a call gives without the scope and with it."""

    def differentiate(scope):
        with scope:
            return value_and_grad(call.total, argnums=tuple(range(len(call.points))))(*call.points)

    scopes = contextlib.nullcontext(), seen_through(*call.packages)
    return tuple([judged(call, lambda scope=scope: differentiate(scope)) for scope in scopes])


def row(name, kind, results):
    """A line of the table."""
    before, after = (Counter(first_word(result[k]) for result in results) for k in (0, 1))
    refused = sorted({first_word(result[1]) for result in results}.difference([RIGHT, DIFFERS]))
    counts = len(results), before[RIGHT], after[RIGHT], after[DIFFERS]
    return [name, kind, *counts, ", ".join(refused)]


def main():
    site_of_packages(sys.argv[1])
    results, kinds, differing = defaultdict(list), {}, []
    for call in calls_that_run(sys.argv[2:]):
        found = outcome(call)
        results[call.root].append(found)
        kinds.setdefault(call.root, call.kind)
        if found[1] != RIGHT:
            print(f"{call.module}: {call.expression}\n    {found[1][:300]}")
        if first_word(found[1]) == DIFFERS:
            why = found[1].partition(": ")[2]
            differing.append(f"* `{call.expression}` of `{call.module}`: {why}")

    rows = [
        row(version_of(root), kinds[root], results[root]) for root in sorted(results, key=str.lower)
    ]
    every = [found for one in results.values() for found in one]
    before, after = (sum(found[k] == RIGHT for found in every) for k in (0, 1))
    refused = len(every) - after - len(differing)
    counts = len(every), before, after, len(differing)
    rows.append([f"**{len(results)} packages**", "", *counts, f"{refused} calls"])
    if not sys.argv[2:]:
        by_name = DIFFERING + "\n".join(differing) + "\n" if differing else ""
        PAGE.write_text(HEAD + table(COLUMNS, rows) + by_name)
    print(f"{after} of {len(every)} right ({after / len(every):.0%}), {before} without the scope")
    return any(before == RIGHT and after != RIGHT for before, after in every)


if __name__ == "__main__":
    sys.exit(main())
