"""Compiled gradients next to the tape's, to those by hand, to peers and to JAX's own.

Two at a time take turns in one process, and all agree before they are timed. Each program is
compiled once for all figures of it, but for those of compiling itself.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from time import process_time
from typing import Any

import numpy as np

from benchmarks.cases import Measured, Ratios as Figures, measured_cases, ratios_of
from benchmarks.comparison import require_agreement
from benchmarks.engines import BY_HAND, ENGINES, OURS, Gradient
from benchmarks.measure import paired_ratio, peak_bytes, ratio, take_turns
from benchmarks.programs import PROGRAMS
from benchmarks.programs.logistic import logistic
from benchmarks.programs.program import Program
from benchmarks.titles import titled
from chainrules_programs.recording.record import record
from chainrules_tape import compiled, value_and_grad

COMPILED = "compiled"
BUDGET = 0.3  # seconds for each two: there are six of them for each program
PEERS = (OURS, BY_HAND, "autograd", "torch")
LOGISTIC = {program.name: program for program in map(logistic, (100_000, 1_000_000))}
LSTM = "LSTM, 1024 characters"  # XLA compiles it for minutes
LEFT_OUT = {"chain, size 1000000": "recording holds on to all arrays of a run, 2.4 GB"}
MEASURED = {
    name: program for name, program in {**PROGRAMS, **LOGISTIC}.items() if name not in LEFT_OUT
}


def gradient_of(program: Program) -> tuple[Callable[[Any], Any], Any]:
    """The value and gradient of a program as a function of its parameters, and these."""
    parameters, data = program.inputs()
    function = program.objective  # not `program`, whose methods would be checked at each call

    def objective(parameters: Any) -> Any:
        return function(np, parameters, data)

    return value_and_grad(objective), parameters


def prepared(program: Program, to: str = "numpy") -> Gradient:
    """The compiled gradient of a program, which has been compiled."""
    function, parameters = gradient_of(program)
    step = compiled(function, to=to)
    step.prepare(parameters)
    return partial(step, parameters)


def runs_of(program: Program) -> dict[str, Gradient]:
    """The gradients of a program that are compared, which agree."""
    runs = {
        name: ENGINES[name].gradient(program)
        for name in PEERS
        if ENGINES[name].reason_to_leave_out(program) is None
    }
    runs[COMPILED] = prepared(program)
    require_agreement(program, runs)
    return runs


def figures_of(name: str) -> Figures:
    """All figures of a program, each in units of something else that computes its gradient."""
    program = MEASURED[name]
    runs = runs_of(program)
    figures = {}
    for peer in PEERS:
        if peer in runs:
            pair = {each: runs[each] for each in (COMPILED, peer)}
            samples = take_turns(pair, BUDGET)
            figures[peer] = paired_ratio(samples[COMPILED], samples[peer])
            figures["seconds"] = min(samples[COMPILED])
    figures["peak"] = peak_bytes(runs[COMPILED]) / peak_bytes(runs[OURS])
    if name != LSTM and find_spec("jax") is not None:
        by_jax, by_xla = ENGINES["jax-jit"].gradient(program), prepared(program, to="jax")
        figures["jax"] = ratio(by_xla, by_jax, BUDGET)
        figures["numpy / jax"] = ratio(runs[COMPILED], by_jax, BUDGET)
    return {**figures, **figures_of_first_calls(program)}


def figures_of_first_calls(program: Program) -> Figures:
    """Recording, everything until the first result, and until a program is compiled, in calls of the
    tape.
    """
    function, parameters = gradient_of(program)
    of_tape = least_time([partial(function, parameters)] * 5)
    recordings = [partial(record, function, (parameters,))] * 2
    calls = [partial(compiled(function), parameters) for _ in range(2)]
    preparations = [partial(compiled(function).prepare, parameters) for _ in range(2)]
    return {
        "recording": least_time(recordings) / of_tape,
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

    params: tuple[Any, ...] = (tuple(MEASURED),)
    param_names: tuple[str, ...] = ("program",)

    def setup_cache(self) -> Measured:
        return measured_cases(figures_of, MEASURED)

    setup_cache.timeout = 900  # type: ignore[attr-defined]

    def setup(self, measured: Measured, name: str) -> None:
        self.figures = ratios_of(measured, name)


class Ratios(Base):
    """Time of a compiled gradient in units of others, in NumPy."""

    params = (tuple(MEASURED), PEERS)
    param_names = ("program", "engine")

    def setup(self, measured: Measured, name: str, engine: str) -> None:  # type: ignore[override]
        self.figures = ratios_of(measured, name)
        if engine not in self.figures:
            raise NotImplementedError(f"{engine} does not run it")

    @titled("compiled value and gradient / others", "ratio")
    def track_ratio(self, measured: Measured, name: str, engine: str) -> float:
        return self.figures[engine]


class Times(Base):
    """Time of a compiled gradient, for orientation: it drifts with the machine."""

    @titled("compiled value and gradient", "seconds")
    def track_seconds(self, measured: Measured, name: str) -> float:
        return self.figures["seconds"]


class Peak(Base):
    """Peak memory of a compiled gradient in units of the tape's."""

    @titled("compiled peak memory / tape's", "ratio")
    def track_peak(self, measured: Measured, name: str) -> float:
        return self.figures["peak"]


class ByXla(Base):
    """Times in units of JAX's own compiled gradient, from arrays of JAX's to arrays of JAX's."""

    @titled("compiled by XLA / jax.jit", "ratio")
    def track_of_jax(self, measured: Measured, name: str) -> float:
        return self.figures.get("jax", np.nan)

    @titled("compiled in NumPy / jax.jit", "ratio")
    def track_in_numpy(self, measured: Measured, name: str) -> float:
        return self.figures.get("numpy / jax", np.nan)


class FirstCall(Base):
    """Recording and compiling, in units of the tape's call."""

    @titled("recording / tape", "ratio")
    def track_recording(self, measured: Measured, name: str) -> float:
        return self.figures.get("recording", np.nan)

    @titled("first call of compiled / tape", "ratio")
    def track_first_result(self, measured: Measured, name: str) -> float:
        return self.figures.get("first result", np.nan)

    @titled("recording and compiling / tape", "ratio")
    def track_until_compiled(self, measured: Measured, name: str) -> float:
        return self.figures.get("until compiled", np.nan)


def sines(x: float) -> float:
    """A chain of a hundred sines."""
    for _ in range(100):
        x = np.sin(x)
    return x


def newton(x: float) -> float:
    """The square root by thirty steps of Newton's."""
    y = x
    for _ in range(30):
        y = 0.5 * (y + x / y)
    return y


def logarithms(x: float) -> float:
    """Exponentials and logarithms in turn."""
    y = x
    for _ in range(50):
        y = np.log(1.0 + np.exp(-y)) * x
    return y


NUMBERS = {function.__name__: function for function in (sines, newton, logarithms)}


class Numbers:
    """Programs of one number, compiled, in units of the tape."""

    params = tuple(NUMBERS)
    param_names = ("program",)
    timeout = 60

    @titled("compiled, of one number / tape", "ratio")
    def track_of_tape(self, name: str) -> float:
        return self.measured(name, "numpy")

    @titled("compiled by math, of one number / tape", "ratio")
    def track_by_math(self, name: str) -> float:
        return self.measured(name, "math")

    def measured(self, name: str, to: str) -> float:
        """The quotient of two calls that agree."""
        function = value_and_grad(NUMBERS[name])
        step = compiled(function, to=to)
        step.prepare(1.3)
        assert step.count_of_programs() == 1
        np.testing.assert_allclose(step(1.3), function(1.3), rtol=1e-14)
        return ratio(partial(step, 1.3), partial(function, 1.3))


class Overhead:
    """Time of a call of a compiled function above that of its program, for one array."""

    timeout = 60

    @titled("compiled call above its program", "microseconds")
    def track_overhead(self) -> float:
        step = compiled(lambda x: x + 1.0)
        x = np.ones(3)
        step.prepare(x)
        (program,) = step.programs()
        samples = take_turns({"call": partial(step, x), "program": partial(program.run, x)})
        return 1e6 * (min(samples["call"]) - min(samples["program"]))
