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
from benchmarks.programs.writes import WRITING
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

How long does each library take for a value and its gradient? `grad(f)`, which runs your NumPy program as it stands, counts
as 1, so 0.25 is a quarter of the time. The fastest in each row is bold. The first column is our time of `value_and_grad(f)`.

{known}

`compiled` and `to="jax"` are [`compiled(value_and_grad(f))`](users/compiled.md), without and with `to="jax"`; "by hand" is a
gradient that a person wrote in NumPy. Our tape, autograd, advect and PyTorch run the same program, with Python's loops. JAX
is `jax.jit`, with `lax.scan` for loops; PyTensor uses its `scan`; for CasADi, each program was rewritten. JAX, PyTorch and
CasADi use their own arrays, we use NumPy's. JAX's sparse Jacobian is from asdex, which builds on JAX. All compute in double
precision, on one thread: {versions}.

Compiling takes time at first. This is the time of the first two calls, in calls of `grad(f)`:

{waiting}

{dashes} See also the [history](performance_history.md) of these figures, [how they are measured](design/benchmarks.md) and
what you may conclude, and figures on a [CUDA device](cupy.md#what-was-checked-and-how). `make bench` wrote this page. Times
are from the machine that ran it; ratios are medians over runs in turns. {about}

## Loops over numbers

Here are gradients of loops over single numbers, such as a neuron or a recursion: our time divided by that of each column.
The "tape of partials" is the least that a tape can do: 20 lines that store a partial derivative for each argument of an
operation. JAX uses `lax.scan`. The last column is the time of a Hessian, in gradients.

{numbers}

Other operations, also as multiples of the tape of partials, in double precision: `abs`, `//`, `%` and `divmod` take 2,
powers 2.3 to 3.8. Functions of one number take 3, of two numbers 3.4 to 4.5, both NumPy's and those of `math` in a file that
is seen through. Half of that, for NumPy's, is its own: 0.5 µs to find a traced number, 1.7 µs for `np.maximum` of two.
`np.where` between two products takes 4; a sum of entries `x[i]` 4, or 2 if it reads a few again and again; `np.sum` of a
list 2. Writing numbers into an array takes 7, because the tape of partials uses a list instead. In single precision, all
take 4 to 10.

If you take a loop's gradient more than some 20 times, as in a fit, compile it: the first two calls of `compiled` cost as
much as 20 gradients, later calls a fraction of one. If a loop branches by its numbers, each sequence of branches is
recorded. If each step branches by data, compiling gives up after the time of 20 calls: a warning names the line, and the
tape runs. Write `np.where` there.

## Programs that write

These solvers and stencils, like the kernels of PolyBench and NPBench that they are named after, write into arrays, entry by
entry and row by row. The table divides the time of the gradient with respect to all arrays by the program's: as it stands,
compiled, by `jax.jit`, and written by hand in NumPy. For JAX, they use `lax.scan`, with masks where rows grow.

{writing}

## Compiled gradients

The time of [`compiled(value_and_grad(f))`](users/compiled.md), and its ratio to others; then the time of
`compiled(..., to="jax")` on NumPy's arrays, divided by that of `jax.jit(jax.value_and_grad(f))` on JAX's; then peak memory,
divided by the tape's. The last columns count calls of the tape: for the first call, which records, and for all until a
program is compiled.

{compiled}

## Solvers

Derivatives of the solvers in `scipy.integrate` and `scipy.optimize`, divided by the time of what is named after the slash.
[How they are computed](design/linalg.md#roots-and-minima).

{solvers}

## What is slower than our goals

Of {asked} goals, {met} are met. These are not; `make bench` prints all, and says why.

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
    kinds = (
        *("of_program", "compiled", "jax", "by_hand", "compiled_of_by_hand"),
        *("seconds", "seconds_of_jax"),
    )
    rows = []
    for name in inplace.Kernels.params:
        found = [figures.get(key(f"inplace.Kernels.track_{kind}", name)) for kind in kinds]
        rows.append([None if value is None or isnan(value) else value for value in found])
    columns = [*zip(*rows, strict=True)][:2]
    means = [None if None in column else geometric_mean(column) for column in columns]
    lines = zip(WRITING.values(), rows, strict=True)
    table_rows = [(f"{one.kernel}: {one.name}", *map(number, row)) for one, row in lines]
    table_rows.append(("geometric mean", *map(number, [*means, *5 * [None]])))
    heads = ("grad / f", "compiled / f", "JAX / f", "by hand / f", "compiled / by hand")
    return table(("program f", *heads, "seconds to compile", "JAX's"), table_rows)


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
