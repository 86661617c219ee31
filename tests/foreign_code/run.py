"""Try each call of the lists with nothing seen through, with nothing named, and with all named, and
write what came out as a table: ``make test-packages``.

The packages are those of ``requirements.txt``, in a folder of their own, which is the first
argument; further arguments name some of them, and then no table is written.
"""

import contextlib
import sys
from collections import defaultdict
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

from chainrules_tape import only_marked, seen_through, value_and_grad

PAGE = Path(__file__).parents[2] / "docs" / "packages.md"
HEAD = """# Packages that were tried

We differentiated calls into packages from PyPI as they stand; their authors do not know this library. *Right* is a gradient
that agrees with central differences: *without* anything seen through (`only_marked()`), with *nothing named*, as in a first
call, or with *all named*, inside [`seen_through`](users/other_code.md#other-peoples-modules) of all packages of the call. Other
calls raise an error that names the line and what to write, or are counted by *differs*. Packages that use Numba run without it.
`make test-packages` writes this page; [Packages in JAX and PyTorch](packages_in_engines.md) has the same calls there.

{packages} packages with {calls} calls: {without} are right without, {by_itself} with nothing named, {right} with all named;
of these {differing} differ, {refused} are refused. These packages have calls that are not right:

"""
ALL_RIGHT = """
All calls of these are right (`tests/foreign_code/requirements.txt` has their versions):

"""
COLUMNS = ["package", "calls", "without", "nothing named", "all named", "refused with"]
DIFFERING = """
## What differs, by name

An iteration that stops early has the derivative of its last steps, not that of the solution. (A search by comparisons alone
is detected and refused.) Declare the equation that the result solves, by
[`implicit_function`](rules/writing.md#functions-defined-by-an-equation).

"""


def outcomes(calls):
    """What each call gives with nothing seen through, with nothing named, and with its packages named.

    What is seen stays seen, so all calls are tried in one way before the next.
    """

    def outcome(call, scope):
        def differentiate():
            with scope:
                positions = tuple(range(len(call.points)))
                return value_and_grad(call.total, argnums=positions)(*call.points)

        return judged(call, differentiate)

    before = [outcome(call, only_marked()) for call in calls]
    by_itself = [outcome(call, contextlib.nullcontext()) for call in calls]
    named = [outcome(call, seen_through(*call.packages)) for call in calls]
    return list(zip(before, by_itself, named, strict=True))


def row(name, results):
    """A line of the table, of a package whose calls are not all right."""
    right = [sum(result[k] == RIGHT for result in results) for k in range(3)]
    refused = sorted({first_word(result[2]) for result in results}.difference([RIGHT, DIFFERS]))
    return [name, len(results), *right, ", ".join(refused)]


def page(results, kinds, counts, differing):
    """The text of the page."""
    rows, by_kind = [], defaultdict(list)
    for root in sorted(results, key=str.lower):
        if all({*result[1:]} == {RIGHT} for result in results[root]):
            by_kind[kinds[root]].append(version_of(root).partition(" ")[0])
        else:
            rows.append(row(version_of(root), results[root]))
    right = [f"* {kind}: {', '.join(names)}\n" for kind, names in sorted(by_kind.items())]
    by_name = DIFFERING + "\n".join(differing) + "\n" if differing else ""
    return HEAD.format(**counts) + table(COLUMNS, rows) + ALL_RIGHT + "".join(right) + by_name


def main():
    site_of_packages(sys.argv[1])
    results, kinds, differing = defaultdict(list), {}, []
    calls = list(calls_that_run(sys.argv[2:]))
    for call, found in zip(calls, outcomes(calls), strict=True):
        results[call.root].append(found)
        kinds.setdefault(call.root, call.kind)
        if found[2] != RIGHT:
            print(f"{call.module}: {call.expression}\n    {found[2][:300]}")
        if found[1] != found[2]:
            print(f"{call.module}: {call.expression}\n    with nothing named: {found[1][:300]}")
        for one, named in zip(found[1:], ("nothing", "all"), strict=True):
            if first_word(one) == DIFFERS:
                why = one.partition(": ")[2]
                differing.append(f"* `{call.expression}` of `{call.module}`, {named} named: {why}")

    every = [found for one in results.values() for found in one]
    before, by_itself, after = (sum(found[k] == RIGHT for found in every) for k in range(3))
    wrong = sum(first_word(found[2]) == DIFFERS for found in every)
    counts = {"packages": len(results), "calls": len(every), "without": before, "right": after}
    counts |= {"by_itself": by_itself, "differing": wrong, "refused": len(every) - after - wrong}
    if not sys.argv[2:]:
        PAGE.write_text(page(results, kinds, counts, differing))
    print(f"{after} of {len(every)} right ({after / len(every):.0%})")
    print(f"{by_itself} with nothing named, {before} with nothing seen through")
    ways = [[*map(first_word, found)] for found in every]
    new_wrong = any(way == DIFFERS not in (before, named) for before, way, named in ways)
    return new_wrong or any(found[0] == RIGHT and {*found} != {RIGHT} for found in every)


if __name__ == "__main__":
    sys.exit(main())
