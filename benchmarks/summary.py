"""The table that `make bench` prints last, and the document around it that it keeps in
docs/performance.md.
"""

import os
import platform
from importlib.metadata import version
from itertools import product
from math import isnan
from statistics import geometric_mean
from timeit import repeat

from benchmarks import compiled, equations, inplace, numbers
from benchmarks.contenders.tables import dashes, known_table, waiting_table
from benchmarks.engines import ENGINES
from benchmarks.figures import Figures
from benchmarks.keeping import newest
from benchmarks.markdown import number, seconds, table
from benchmarks.picture import picture
from benchmarks.surroundings import ROOT
from benchmarks.targets import TARGETS, Target, key

SOLVERS = (
    equations.Sensitivities,
    equations.Sums,
    equations.Fit,
    equations.BesideDifferences,
    equations.Integrals,
    equations.Solvers,
    equations.Stiff,
    equations.Adjoint,
)
DOCUMENT = ROOT / "docs" / "performance.md"
PICTURE = ROOT / "docs" / "images" / "speed.svg"
TEMPLATE = """\
# Performance

![How many times as fast as grad(f) each library is, on {count} programs](images/speed.svg)

Times of a value and its gradient, in units of those of `grad(f)`, which runs the NumPy program as it stands: 0.25 takes a
quarter of the time. The fastest of each line is bold. The first column is what `value_and_grad(f)` takes here.

{known}

`compiled` and `to="jax"` are [`compiled(value_and_grad(f))`](users/compiled.md), without and with `to="jax"`; by hand is a
gradient that a person wrote in NumPy. Ours, autograd, advect and PyTorch run one and the same program, with loops of
Python's. JAX is `jax.jit`, with `lax.scan` for loops, PyTensor has its `scan`, and CasADi has each program in its own terms.
JAX, PyTorch and CasADi have arrays of their own, ours are NumPy's. JAX's sparse Jacobian is that of asdex, which is built on
it. All compute in double precision, on one thread: {versions}.

Who compiles takes time for it, at the first calls: what the first two calls take, in calls of `grad(f)`.

{waiting}

{dashes}
How this changed is in [its history](performance_history.md); how it is measured, and what may be concluded, in
[design/benchmarks.md](design/benchmarks.md); figures on a CUDA device are with [CuPy](cupy.md#what-was-checked-and-how).
`make bench` wrote this page. Times are of the machine that ran it, ratios are medians over runs that took turns. {about}

## Loops over numbers

Gradients of loops that compute with single numbers, such as a neuron's or a recursion: our time, in units of each. The tape of
partials is 20 lines that store a partial derivative for each argument of an operation, and nothing else; JAX's is a `lax.scan`.
The last column is a Hessian in units of a gradient.

{numbers}

What else loops do, in units of the tape of partials, too. In double precision: `abs`, `//`, `%` and `divmod` take 2, powers
2.3 to 3.8. Functions of one number take 3, of two numbers 3.4 to 4.5, NumPy's and those of `math` in a file that is seen
through; of NumPy's, half is its own: 0.5 µs to find out that a number is traced, and 1.7 µs for `np.maximum` of two.
`np.where` between two products takes 4; a sum of entries `x[i]` 4, or 2 where a few are read again and again; `np.sum` of a
list 2. Numbers written into an array take 7, because the tape of partials has a list, which costs nothing. All take 4 to 10
in single precision.

Compile a loop whose gradient is taken more than some 20 times, as in a fit: so many gradients take the first two calls of
`compiled`, and each later one a fraction. A loop with branches by its numbers is recorded anew for each course that these
take. One whose steps branch by data is many short loops: after the time of 20 calls a warning names the line, and the tape
runs. Write `np.where` there.

## Programs that write

Gradients by all arrays of solvers and stencils that write into arrays, entry by entry and row by row, in units of the program:
as it stands, compiled, and as a person writes them in NumPy. What they compute is what kernels of PolyBench compute.

{writing}

## Compiled gradients

[`compiled(value_and_grad(f))`](users/compiled.md): its time, and that in units of others'; the time of
`compiled(..., to="jax")`, on NumPy's arrays, in units of `jax.jit(jax.value_and_grad(f))` on JAX's; peak memory in units of the
tape's. In calls of the tape: the first call, which records, and all that it takes until a program is compiled.

{compiled}

## Solvers

Derivatives of what `scipy.integrate` and `scipy.optimize` solve, in units of what stands beside them.
[How they are computed](design/linalg.md#roots-and-minima).

{solvers}

## What is not as quick as asked

Of {asked} figures that we ask of ourselves, {met} are met. These are not; `make bench` prints all, and says why.

{missed}
"""


def document(figures: Figures, commit: str, changed: bool = False) -> str:
    """All of docs/performance.md; its first tables are what is kept of all libraries."""
    kept = newest()
    programs = kept["programs"]
    return TEMPLATE.format(
        count=len(programs),
        known=known_table(programs),
        waiting=waiting_table(programs),
        dashes=dashes(programs),
        versions=", ".join(f"{name} {which}" for name, which in kept["versions"].items()),
        about=about(commit, changed),
        numbers=numbers_table(figures),
        writing=writing_table(figures),
        compiled=compiled_table(figures),
        solvers=solvers_table(figures),
        asked=len(TARGETS),
        met=sum(verdict(target, figures) == "met" for target in TARGETS),
        missed=missed_table(figures),
    )


def write(figures: Figures, commit: str, changed: bool = False) -> str:
    """Keep the document and its picture, and return the tables that are printed."""
    DOCUMENT.write_text(document(figures, commit, changed), encoding="utf-8")
    programs = newest()["programs"]
    PICTURE.write_text(picture(programs), encoding="utf-8")
    return f"{known_table(programs)}\n\n{targets_table(figures)}\n{why_not(figures)}"


def about(commit: str, changed: bool) -> str:
    """Describe commit, versions and machine; `changed` says that files differ from the commit's."""
    libraries = {engine.library for engine in ENGINES.values() if engine.installed} | {
        "plum-dispatch"
    }
    versions = ", ".join(f"{name} {version(name)}" for name in sorted(libraries))
    machine = (
        f"Python {platform.python_version()} on {len(os.sched_getaffinity(0))} cores of"
        f" {platform.machine()}"
    )
    code = f"{commit[:10]}{' and uncommitted changes' if changed else ''}"
    yardstick = f"There, calling an empty Python function takes {empty_call():.0f} ns."
    return f"This is commit\n{code}, with {machine}, {versions}.\n{yardstick}"


def empty_call() -> float:
    """The nanoseconds of an empty Python call on this machine: a yardstick for the times."""
    return min(repeat("nothing()", "def nothing(): pass", repeat=5, number=200_000)) / 200_000 * 1e9


def verdict(target: Target, figures: Figures) -> str:
    """Tell whether the figure is what was asked."""
    value = figures.get(target.figure)
    if value is None:
        return "not measured"
    return "met" if value <= target.limit else "not met"


def targets_table(figures: Figures) -> str:
    """The table of goals, each with what was measured."""
    rows = (target_row(target, figures) for target in TARGETS)
    return table(("measure", "ours", "peer", "ratio", "asked", "verdict"), rows)


def asked(target: Target) -> str:
    """The limit of a goal."""
    return f"≤ {target.limit:g} {target.unit}".rstrip()


def target_row(target: Target, figures: Figures) -> tuple[str, ...]:
    """A quotient with what it is the quotient of, or a figure in a unit of its own."""
    value = figures.get(target.figure)
    ours, peer = (
        seconds(figures.get(place)) if place else "–" for place in (target.ours, target.peer)
    )
    if target.unit:
        return (
            target.measure,
            f"{number(value)} {target.unit}",
            "–",
            "–",
            asked(target),
            verdict(target, figures),
        )
    return target.measure, ours, peer, number(value), asked(target), verdict(target, figures)


def why_not(figures: Figures) -> str:
    """Explain the goals that are not met."""
    reasons: dict[str, dict[str, None]] = {}  # the names of what is missed, each once, by reason
    for target in TARGETS:
        if verdict(target, figures) == "not met":
            names = reasons.setdefault(target.why or "not yet understood.", {})
            names[target.program or target.measure] = None
    lines = "".join(f"\n- {'; '.join(names)}: {why}" for why, names in reasons.items())
    return lines + "\n" if lines else ""


def missed_table(figures: Figures) -> str:
    """What is not met, with what was measured."""
    rows = [
        (
            target.measure,
            f"{number(figures.get(target.figure))} {target.unit}".rstrip(),
            asked(target),
        )
        for target in TARGETS
        if verdict(target, figures) == "not met"
    ]
    return table(("measure", "measured", "asked"), rows)


def numbers_table(figures: Figures) -> str:
    """Every loop over numbers beside each peer."""
    kinds = (
        "of_partials",
        "of_numpys",
        "of_autograd",
        "of_torch",
        "of_scan",
        "of_compiled",
        "second",
    )
    rows = []
    for name in numbers.Numbers.params:
        found = [figures.get(key(f"numbers.Numbers.track_{kind}", name)) for kind in kinds]
        rows.append((name, *map(number, found)))
    peers = ("/ autograd", "/ torch", "/ JAX", "/ compiled", "Hessian")
    return table(("loop", "/ partials", "of float64s / partials", *peers), rows)


def writing_table(figures: Figures) -> str:
    """Every program that writes, and the geometric means of gradients."""
    kinds = ("of_program", "compiled", "by_hand", "compiled_of_by_hand", "seconds")
    rows = []
    for name in inplace.Kernels.params:
        found = [figures.get(key(f"inplace.Kernels.track_{kind}", name)) for kind in kinds]
        rows.append([None if value is None or isnan(value) else value for value in found])
    columns = [*zip(*rows, strict=True)][:2]
    means = [None if None in column else geometric_mean(column) for column in columns]
    lines = zip(inplace.Kernels.params, rows, strict=True)
    table_rows = [(name, *map(number, row)) for name, row in lines]
    table_rows.append(("geometric mean", *map(number, [*means, None, None, None])))
    heads = ("grad / program", "compiled / program", "by hand / program", "compiled / by hand")
    return table(("program", *heads, "seconds to compile"), table_rows)


def compiled_table(figures: Figures) -> str:
    """The compiled gradient of every program, in units of others."""
    rows = []
    for name in compiled.MEASURED:
        time = seconds(figures.get(key("compiled.Times.track_seconds", name)))
        ratios = [
            figures.get(key("compiled.Ratios.track_ratio", name, peer)) for peer in compiled.PEERS
        ]
        others = [
            figures.get(key(f"compiled.{benchmark}", name))
            for benchmark in (
                *("ByXla.track_in_numpy", "ByXla.track_of_jax", "Peak.track_peak"),
                *("FirstCall.track_first_result", "FirstCall.track_until_compiled"),
            )
        ]
        rows.append((name, time, *map(number, (*ratios, *others))))
    peers = (f"/ {peer}" for peer in compiled.PEERS)
    last = ("/ jax-jit", 'to="jax" / jax-jit', "peak / ours", "first call", "until compiled")
    return table(("program", "compiled", *peers, *last), rows)


def solvers_table(figures: Figures) -> str:
    """Every measure of the suite of equations, for each of its parameters."""
    rows = []
    for suite in SOLVERS:
        (track,) = (name for name in vars(suite) if name.startswith("track_"))
        title = vars(suite)[track].pretty_name
        lists = getattr(suite, "params", ())
        lists = lists if lists and isinstance(lists[0], tuple) else (lists,) if lists else ()
        for chosen in product(*lists):
            value = figures.get(key(f"equations.{suite.__name__}.{track}", *chosen))
            rows.append((title, ", ".join(map(str, chosen)), number(value)))
    return table(("measure", "of", "ratio"), rows)
