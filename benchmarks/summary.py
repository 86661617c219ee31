"""The table that `make bench` prints last, and the document around it that it keeps in
docs/performance.md.
"""

import os
import platform
from importlib.metadata import version
from itertools import product
from timeit import repeat

from benchmarks import compiled, equations
from benchmarks.contenders.tables import dashes, known_table, waiting_table
from benchmarks.engines import ELSEWHERE, ENGINES, OURS, PEERS
from benchmarks.figures import Figures
from benchmarks.keeping import newest
from benchmarks.layers import NAMES
from benchmarks.markdown import number, seconds, table
from benchmarks.operations import OPERATIONS
from benchmarks.picture import picture
from benchmarks.profile import profile
from benchmarks.programs import PROGRAMS
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

## What we ask of ourselves

{targets}
{why}
## Against each peer

Our time for a value and a gradient, and that in units of each peer's.

{peers}

Our engine on the arrays of another library, in units of that library's own gradient of the same program, or where it has
none, of ours on NumPy's arrays.

{elsewhere}

Dashes:

{left_out}

## Compiled gradients

[`compiled(value_and_grad(f))`](users/compiled.md): its time, and that in units of others'; the time of
`compiled(..., to="jax")`, from NumPy's arrays to NumPy's, in units of `jax.jit(jax.value_and_grad(f))` that stays with JAX's;
peak memory in units of the tape's. Two at a time take turns. The first call returns a result and records; the last column is
all that it takes until a program is compiled, at the second call or in `prepare`. Both are in calls of the tape.

{compiled}

## Solvers

Derivatives of what `scipy.integrate` and `scipy.optimize` solve, in units of what stands beside them.
[How they are computed](design/linalg.md#roots-and-minima).

{solvers}

## Where the time of an operation goes

The chain of size 1, per operation, forward and reverse.

{layers}

Single operations on twelve numbers, in microseconds.

{operations}

## The rules with the largest cost

On a handful of numbers, in units of the bare function: medians over the primals of a file.

{rules}
"""
PROFILES = """
## Programs that miss what was asked

Functions by their own time, per gradient, as Python's profiler sees them: NumPy's ufuncs count for the rule that calls them.

{profiles}
"""


def document(figures: Figures, commit: str, changed: bool = False) -> str:
    """All of docs/performance.md; its first tables are what is kept of all libraries."""
    kept = newest()
    programs = kept["programs"]
    text = TEMPLATE.format(
        count=len(programs),
        known=known_table(programs),
        waiting=waiting_table(programs),
        dashes=dashes(programs),
        versions=", ".join(f"{name} {which}" for name, which in kept["versions"].items()),
        about=about(commit, changed),
        targets=targets_table(figures),
        why=why_not(figures),
        peers=peers_table(figures),
        elsewhere=elsewhere_table(figures),
        left_out=left_out(),
        compiled=compiled_table(figures),
        solvers=solvers_table(figures),
        layers=layers_table(figures),
        operations=operations_table(figures),
        rules=rules_table(figures),
    )
    missed = dict.fromkeys(
        target.program
        for target in TARGETS
        if target.program and verdict(target, figures) == "not met"
    )
    profiles = "\n\n".join(f"### {program}\n\n{profile_table(program)}" for program in missed)
    return text + (PROFILES.format(profiles=profiles) if profiles else "")


def write(figures: Figures, commit: str, changed: bool = False) -> str:
    """Keep the document and its picture, and return the tables that are printed."""
    DOCUMENT.write_text(document(figures, commit, changed), encoding="utf-8")
    programs = newest()["programs"]
    PICTURE.write_text(picture(programs), encoding="utf-8")
    return f"{known_table(programs)}\n\n{targets_table(figures)}"


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


def target_row(target: Target, figures: Figures) -> tuple[str, ...]:
    """A quotient with what it is the quotient of, or a figure in a unit of its own."""
    value = figures.get(target.figure)
    ours, peer = (
        seconds(figures.get(place)) if place else "–" for place in (target.ours, target.peer)
    )
    asked = f"≤ {target.limit:g} {target.unit}".rstrip()
    if target.unit:
        return (
            target.measure,
            f"{number(value)} {target.unit}",
            "–",
            "–",
            asked,
            verdict(target, figures),
        )
    return target.measure, ours, peer, number(value), asked, verdict(target, figures)


def why_not(figures: Figures) -> str:
    """Explain the goals that are not met."""
    reasons: dict[str, dict[str, None]] = {}  # the names of what is missed, each once, by reason
    for target in TARGETS:
        if verdict(target, figures) == "not met":
            names = reasons.setdefault(target.why or "not yet understood.", {})
            names[target.program or target.measure] = None
    lines = "".join(f"\n- {'; '.join(names)}: {why}" for why, names in reasons.items())
    return lines + "\n" if lines else ""


def peers_table(figures: Figures) -> str:
    """Every program and every peer."""
    rows = []
    for name in PROGRAMS:
        ours = seconds(figures.get(key("peers.Times.track_seconds", name, OURS)))
        ratios = (figures.get(key("peers.Ratios.track_ratio", name, peer.name)) for peer in PEERS)
        rows.append((name, ours, *map(number, ratios)))
    return table(("program", "ours", *(f"/ {peer.name}" for peer in PEERS)), rows)


def elsewhere_table(figures: Figures) -> str:
    """Every program on each library that has a gradient of its own."""
    rows = []
    for name in PROGRAMS:
        found = (
            figures.get(key("peers.Elsewhere.track_own_ratio", name, library))
            for library in ELSEWHERE
        )
        rows.append((name, *map(number, found)))
    units = (
        f"{engine.name} / {library if library in ENGINES else OURS}"
        for library, engine in ELSEWHERE.items()
    )
    return table(("program", *units), rows)


def left_out() -> str:
    """Why there are dashes in the table of peers: by reason, program and engines."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name, program in PROGRAMS.items():
        for engine in ENGINES.values():
            if (reason := engine.reason_to_leave_out(program)) is not None:
                reasons.setdefault((name, reason), []).append(engine.name)
    return "\n".join(
        f"- {name}, {', '.join(engines)}: {reason}" for (name, reason), engines in reasons.items()
    )


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


def layers_table(figures: Figures) -> str:
    """The table that says where the time of one operation goes."""
    rows = (
        (layer, number(figures.get(key("layers.PerOperation.track_layer", layer))))
        for layer in NAMES
    )
    return table(("layer", "µs"), rows)


def operations_table(figures: Figures) -> str:
    """The table of the costs of single operations."""
    benchmarks = ("operations.Operations.track_plain", "operations.Operations.track_gradient")
    rows = (
        (f"`{name}`", *(number(figures.get(key(benchmark, name)), 1) for benchmark in benchmarks))
        for name in OPERATIONS
    )
    return table(("operation", "NumPy", "with its gradient"), rows)


def rules_table(figures: Figures) -> str:
    """The ten files whose rules cost the most in units of the bare function."""
    reverse = {
        params: value
        for (name, params), value in figures.items()
        if name == "rules.Rules.track_reverse"
    }
    slowest = sorted(reverse, key=lambda file: -reverse[file])[:10]
    forward = {file: figures.get(("rules.Rules.track_forward", file)) for file in slowest}
    rows = (
        (file[0].strip("'"), number(reverse[file], 1), number(forward[file], 1)) for file in slowest
    )
    return table(("file", "rule and pullback", "pushforward"), rows)


def profile_table(program: str) -> str:
    """The table that says where one program spends its time."""
    rows = (
        (entry.function, f"{entry.calls:.0f}", f"{100 * entry.share:.0f} %")
        for entry in profile(program)
    )
    return table(("function", "calls", "share"), rows)
