"""Compiled gradients next to the tape's, to those by hand and to JAX's own.

All take turns in one process, and agree before they are timed. Each program is compiled once for
all figures of it, but for those of compiling itself.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from time import process_time
from typing import Any

import numpy as np

from benchmarks.cases import Measured, in_units_of_each, measured_cases, ratios_of
from benchmarks.cases import Ratios as Figures
from benchmarks.comparison import require_agreement
from benchmarks.engines import BY_HAND, ENGINES, OURS, Gradient
from benchmarks.measure import peak_bytes, ratio, take_turns
from benchmarks.programs import PROGRAMS
from benchmarks.programs.program import Program
from benchmarks.titles import titled
from chainrules_tape import compiled, value_and_grad

COMPILED = "compiled"
SMALL = tuple(name for name in PROGRAMS if "1000000" not in name and "LSTM" not in name)


def gradient_of(program: Program) -> tuple[Callable[[Any], Any], Any]:
    """The value and gradient of a program as a function of its parameters, and these."""
    parameters, data = program.inputs()

    def objective(parameters: Any) -> Any:
        return program.objective(np, parameters, data)

    return value_and_grad(objective), parameters


def prepared(program: Program, to: str = "numpy") -> Gradient:
    """The compiled gradient of a program, which has been compiled."""
    function, parameters = gradient_of(program)
    step = compiled(function, to=to)
    step.prepare(parameters)
    return partial(step, parameters)


def runs_of(program: Program) -> dict[str, Gradient]:
    """The gradients of a program that are compared, which agree."""
    runs = {OURS: ENGINES[OURS].gradient(program), COMPILED: prepared(program)}
    if program.by_hand is not None:
        runs[BY_HAND] = ENGINES[BY_HAND].gradient(program)
    require_agreement(program, runs)
    return runs


def figures_of(name: str) -> Figures:
    """All figures of a program, each in units of something else that computes its gradient."""
    program = PROGRAMS[name]
    runs = runs_of(program)
    figures = in_units_of_each(COMPILED, runs)
    figures["peak"] = peak_bytes(runs[COMPILED]) / peak_bytes(runs[OURS])
    if find_spec("jax") is not None:
        by_jax = ENGINES["jax-jit"].gradient(program)
        figures["jax"] = ratio(prepared(program, to="jax"), by_jax)
    return {**figures, **figures_of_first_calls(program)}


def figures_of_first_calls(program: Program) -> Figures:
    """Everything until the first result, and until a program is compiled, in calls of the tape."""
    function, parameters = gradient_of(program)
    of_tape = least_time([partial(function, parameters)] * 9)
    calls = [partial(compiled(function), parameters) for _ in range(3)]
    preparations = [partial(compiled(function).prepare, parameters) for _ in range(3)]
    return {
        "first result": least_time(calls) / of_tape,
        "until compiled": least_time(preparations) / of_tape,
    }


def least_time(runs: list[Callable[[], Any]]) -> float:
    """The processor time of the quickest of some calls."""
    times = []
    for run in runs:
        begin = process_time()
        run()
        times.append(process_time() - begin)
    return min(times)


class Base:
    """The figures of all programs, which the benchmarks below read off."""

    params = SMALL
    param_names = ("program",)

    def setup_cache(self) -> Measured:
        return measured_cases(figures_of, SMALL)

    setup_cache.timeout = 900  # type: ignore[attr-defined]

    def setup(self, measured: Measured, name: str) -> None:
        self.figures = ratios_of(measured, name)


class Ratios(Base):
    """Time of a compiled gradient in units of others, in NumPy."""

    @titled("compiled value and gradient / tape", "ratio")
    def track_of_the_tape(self, measured: Measured, name: str) -> float:
        return self.figures[OURS]

    @titled("compiled value and gradient / by hand", "ratio")
    def track_of_the_hand_written(self, measured: Measured, name: str) -> float:
        if BY_HAND not in self.figures:
            raise NotImplementedError("nobody wrote this gradient by hand")
        return self.figures[BY_HAND]


class Peak(Base):
    """Peak memory of a compiled gradient in units of the tape's."""

    @titled("compiled peak memory / tape's", "ratio")
    def track_peak(self, measured: Measured, name: str) -> float:
        return self.figures["peak"]


class ByXla(Base):
    """Time of a gradient compiled by XLA in units of JAX's own, NumPy's arrays in and out."""

    @titled("compiled by XLA / jax.jit", "ratio")
    def track_of_jax(self, measured: Measured, name: str) -> float:
        return self.figures.get("jax", np.nan)


class FirstCall(Base):
    """Recording and compiling, in units of the tape's call."""

    @titled("first call of compiled / tape", "ratio")
    def track_first_result(self, measured: Measured, name: str) -> float:
        return self.figures["first result"]

    @titled("recording and compiling / tape", "ratio")
    def track_until_compiled(self, measured: Measured, name: str) -> float:
        return self.figures["until compiled"]


class Overhead:
    """Time of a call of a compiled function above that of its program, for one array."""

    timeout = 60

    @titled("compiled call above its program", "seconds")
    def track_overhead(self) -> float:
        step = compiled(lambda x: x + 1.0)
        x = np.ones(3)
        step.prepare(x)
        (program,) = step.programs()
        samples = take_turns({"call": partial(step, x), "program": partial(program.run, x)})
        return min(samples["call"]) - min(samples["program"])
