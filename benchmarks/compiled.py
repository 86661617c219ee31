"""Compiled gradients next to the tape's, to those by hand and to JAX's own.

All take turns in one process, and agree before they are timed.
"""

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.comparison import require_agreement
from benchmarks.engines import BY_HAND, ENGINES, OURS, Gradient
from benchmarks.measure import paired_ratio, peak_bytes, ratio, take_turns
from benchmarks.programs import PROGRAMS
from benchmarks.programs.program import Program
from benchmarks.titles import titled
from chainrules_tape import compiled, value_and_grad

COMPILED = "compiled"
SMALL = tuple(name for name in PROGRAMS if "1000000" not in name and "LSTM" not in name)


def prepared(program: Program, to: str = "numpy") -> Gradient:
    """The compiled gradient of a program, which has been compiled."""
    parameters, data = program.inputs()

    def objective(parameters: Any) -> Any:
        return program.objective(np, parameters, data)

    step = compiled(value_and_grad(objective), to=to)
    step.prepare(parameters)
    return partial(step, parameters)


class Ratios:
    """Time of a compiled gradient in units of others, in NumPy."""

    params = SMALL
    param_names = ("program",)
    timeout = 300

    def setup(self, name: str) -> None:
        program = PROGRAMS[name]
        runs = {OURS: ENGINES[OURS].gradient(program), COMPILED: prepared(program)}
        if program.by_hand is not None:
            runs[BY_HAND] = ENGINES[BY_HAND].gradient(program)
        require_agreement(program, runs)
        self.samples = take_turns(runs)

    @titled("compiled value and gradient / tape", "ratio")
    def track_of_the_tape(self, name: str) -> float:
        return paired_ratio(self.samples[COMPILED], self.samples[OURS])

    @titled("compiled value and gradient / by hand", "ratio")
    def track_of_the_hand_written(self, name: str) -> float:
        if BY_HAND not in self.samples:
            raise NotImplementedError("nobody wrote this gradient by hand")
        return paired_ratio(self.samples[COMPILED], self.samples[BY_HAND])


class Peak:
    """Peak memory of a compiled gradient in units of the tape's."""

    params = SMALL
    param_names = ("program",)
    timeout = 300

    @titled("compiled peak memory / tape's", "ratio")
    def track_peak(self, name: str) -> float:
        program = PROGRAMS[name]
        ours = peak_bytes(ENGINES[OURS].gradient(program))
        return peak_bytes(prepared(program)) / ours


class ByXla:
    """Time of a gradient compiled by XLA in units of JAX's own, NumPy's arrays in and out."""

    params = SMALL
    param_names = ("program",)
    timeout = 600

    @titled("compiled by XLA / jax.jit", "ratio")
    def track_of_jax(self, name: str) -> float:
        program = PROGRAMS[name]
        return ratio(prepared(program, to="jax"), ENGINES["jax-jit"].gradient(program))


class FirstCall:
    """Everything until the first result, and until a program runs, in units of the tape's call."""

    params = SMALL
    param_names = ("program",)
    timeout = 300

    def setup(self, name: str) -> None:
        self.program = PROGRAMS[name]
        self.parameters, data = self.program.inputs()
        self.function = value_and_grad(
            lambda parameters: self.program.objective(np, parameters, data)
        )
        prepared(self.program)  # imports, and rules that are written out once
        self.of_tape = min(self.seconds(lambda: self.function(self.parameters)) for _ in range(9))

    def seconds(self, run: Callable[[], Any]) -> float:
        """How long a call takes this process."""
        begin = process_time()
        run()
        return process_time() - begin

    @titled("first call of compiled / tape", "ratio")
    def track_first_result(self, name: str) -> float:
        runs = [partial(compiled(self.function), self.parameters) for _ in range(3)]
        return min(map(self.seconds, runs)) / self.of_tape

    @titled("recording and compiling / tape", "ratio")
    def track_until_compiled(self, name: str) -> float:
        steps = [compiled(self.function) for _ in range(3)]
        runs = [partial(step.prepare, self.parameters) for step in steps]
        return min(map(self.seconds, runs)) / self.of_tape


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
