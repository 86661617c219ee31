"""`python -m benchmarks.states OLD [NEW]`: what gradients cost on the code of one commit in units of
another's, NEW being the files as they are here if it is not named. `make bench-compare BASE=OLD` runs it.

Each commit has a process, and the two take turns: a machine that is busy is so for both. Where the
modules of a process lie in memory makes up to 5 %, so that there are several pairs of processes. Beside
time stand the instructions that Python's interpreter ran, which no other program disturbs: the same
number on every run, of Python's part alone. It imports nothing of ours but what has been public from
the first commits on.
"""

import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import geometric_mean, median
from types import FrameType
from typing import Any

import numpy as np

from benchmarks.measure import apart_from_libraries, calibrated, sample
from benchmarks.programs import PROGRAMS, Program
from benchmarks.programs.numbers import PROGRAMS as LOOPS_OVER_NUMBERS, NumberProgram
from benchmarks.programs.writes import WRITING, WritingProgram
from benchmarks.surroundings import KEEP_MEMORY, ONE_THREAD, ROOT, tree_of

PAIRS = 3  # of processes
ROUNDS = 12  # of each pair, for each case
FEW = 4  # rounds, where a sample is long
LONG = 0.1  # seconds
SECONDS = 0.02  # of a sample
LEFT_OUT = {"chain, size 1000000"}  # which measures memory


def of_program(program: Program) -> Callable[[], Any]:
    """The value and the gradient of a program by all its parameters."""
    from chainrules_tape import value_and_grad

    parameters, data = program.inputs()
    every = tuple(range(len(parameters)))
    computed = value_and_grad(lambda *at: program.objective(np, at, data), argnums=every)
    return lambda: computed(*parameters)


def of_numbers(program: NumberProgram) -> Callable[[], Any]:
    """The gradient of a loop over numbers."""
    from chainrules_tape import grad

    given = program.argument
    gradient, x = grad(program.loop(np)), np.array(given) if isinstance(given, tuple) else given
    return partial(gradient, x)


def of_writes(program: WritingProgram) -> Callable[[], Any]:
    """The gradient of a program that writes."""
    from chainrules_tape import grad, seen_through

    arrays = program.arrays()
    gradient = grad(seen_through(program.function), argnums=tuple(range(len(arrays))))
    return partial(gradient, *arrays)


def three(x: Any) -> Any:
    """Three operations."""
    return np.sin(x) * x + 2.0


def ten(x: Any) -> Any:
    """Ten operations."""
    y = np.exp(three(x) / 3.0) - x * 0.5
    return np.tanh(y) * y + np.log(x)


def summed(x: Any) -> Any:
    """Three operations and a sum."""
    return np.sum(three(x))


def small_calls() -> dict[str, Callable[[], Any]]:
    """Derivatives that cost tens of microseconds, of a new function each time."""
    from chainrules_tape import compiled, grad, hessian, jvp, vjp, vmap

    x, many = 0.7, np.array([0.3, 0.5, 0.7])
    examples = np.linspace(0.1, 0.9, 12).reshape(4, 3)
    return {
        "grad, 1 operation": lambda: grad(lambda x: np.sin(x))(x),
        "grad, 3 operations": lambda: grad(lambda x: three(x))(x),
        "grad, 10 operations": lambda: grad(lambda x: ten(x))(x),
        "grad, 1 operation and a sum": lambda: grad(lambda x: np.sum(np.sin(x)))(many),
        "grad, 3 operations and a sum": lambda: grad(lambda x: np.sum(three(x)))(many),
        "grad, 10 operations and a sum": lambda: grad(lambda x: np.sum(ten(x)))(many),
        "vjp, 3 operations": lambda: vjp(three, many)[1](many),
        "jvp, 3 operations": lambda: jvp(three, (many,), (many,)),
        "grad of grad, 3 operations": lambda: grad(grad(three))(x),
        "hessian, 3 operations": lambda: hessian(lambda x: summed(x))(many),
        "vmap of grad, 3 operations": lambda: vmap(grad(summed))(examples),
        "first call of compiled": lambda: compiled(grad(lambda x: np.sum(ten(x))))(many),
    }


def cases() -> dict[str, Callable[[], Any]]:
    """All that is timed, by name."""
    programs = {name: of_program(one) for name, one in PROGRAMS.items() if name not in LEFT_OUT}
    numbers = {name: of_numbers(one) for name, one in LOOPS_OVER_NUMBERS.items()}
    writing = {name: of_writes(one) for name, one in WRITING.items()}
    return {**small_calls(), **programs, **numbers, **writing}


def instructions(run: Callable[[], Any]) -> int:
    """How many instructions of Python's a call takes, once it has been called before."""
    count = 0

    def traced(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


def answer() -> None:
    """Read names of cases, a line each, and print how many seconds each took per call; after
    `count` and a name, how many instructions.
    """
    runs, calls = cases(), {}
    with apart_from_libraries():
        for line in sys.stdin:
            question, _, name = line.strip().rpartition("\t")
            run = runs[name]
            if run not in calls:
                run()
                calls[run] = calibrated(run, SECONDS)[0]
            if question == "count":
                print(instructions(run), flush=True)
                continue
            sample(run, calls[run] // 4 or 1)  # caches forget the other process
            print(sample(run, calls[run]), flush=True)


@contextmanager
def process_on(tree: Path) -> Iterator[Callable[[str], float]]:
    """A process that runs today's cases on the code of a folder."""
    start = (
        f"import sys; sys.path[:0] = {[str(tree), str(tree / 'backends')]}; import chainrules_tape"
    )
    start += f"; sys.path[:0] = [{str(ROOT)!r}]; import benchmarks.states as s; s.answer()"
    environment = {**os.environ, **ONE_THREAD, **KEEP_MEMORY}
    command = [sys.executable, "-P", "-c", start]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as process:

        def seconds(case: str) -> float:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{case}\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        yield seconds
        process.communicate()


def quotients(old: Path, new: Path, chosen: list[str]) -> dict[str, tuple[float, float]]:
    """For each case the median quotient of samples that were taken side by side, and the quotient of
    instructions.
    """
    found: dict[str, list[float]] = {name: [] for name in chosen}
    counts: dict[str, float] = {}
    for _ in range(PAIRS):
        with process_on(old) as of_old, process_on(new) as of_new:
            for name in chosen:
                if name not in counts:
                    asked = f"count\t{name}"
                    counts[name] = of_new(asked) / of_old(asked)
                for turn in range(FEW if of_new(name) > LONG else ROUNDS):
                    found[name].append(quotient(of_old, of_new, name, turn % 2 == 0))
    return {name: (median(each), counts[name]) for name, each in found.items()}


def quotient(
    of_old: Callable[[str], float], of_new: Callable[[str], float], name: str, is_old_first: bool
) -> float:
    """One sample of each commit, in either order."""
    if is_old_first:
        before = of_old(name)
        return of_new(name) / before
    after = of_new(name)
    return after / of_old(name)


def table(found: Mapping[str, tuple[float, float]]) -> str:
    """The quotients as lines of text, and their geometric means."""
    means = tuple(map(geometric_mean, zip(*found.values(), strict=True)))
    rows = {**found, "geometric mean": means}
    lines = [f"{name:40}{time:8.3f}{count:14.3f}" for name, (time, count) in rows.items()]
    return "\n".join([f"{'new / old':40}{'time':>8}{'instructions':>14}", *lines])


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("commits", nargs="+", metavar="commit", help="OLD, and NEW")
    commits = parser.parse_args().commits
    with ExitStack() as stack:
        trees = [stack.enter_context(tree_of(commit)) for commit in commits[:2]]
        old, new = [*trees, ROOT][:2]
        print(table(quotients(old, new, list(cases()))))
