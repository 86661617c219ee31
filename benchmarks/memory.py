"""The peak memory of a gradient next to one by hand, and the bytes that each operation records."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.engines import BY_HAND, ENGINES, OURS
from benchmarks.measure import peak_bytes
from benchmarks.programs import LARGE_CHAIN, PROGRAMS
from benchmarks.titles import titled
from chainrules_tape import vjp

BOTH = tuple(program.name for program in PROGRAMS.values() if program.by_hand is not None)


class Peak:
    """Forward and reverse, in tracemalloc's bytes."""

    params = BOTH
    param_names = ("program",)
    timeout = 300

    def setup(self, name: str) -> None:
        self.ours, self.by_hand = (
            ENGINES[engine].gradient(PROGRAMS[name]) for engine in (OURS, BY_HAND)
        )

    @titled("peak memory / hand-written gradient", "ratio")
    def track_peak_ratio(self, name: str) -> float:
        return peak_bytes(self.ours) / peak_bytes(self.by_hand)


class Resident:
    """The whole process, as the operating system sees it."""

    params = (OURS, BY_HAND)
    param_names = ("engine",)
    timeout = 300

    def setup(self, engine: str) -> None:
        self.run = ENGINES[engine].gradient(LARGE_CHAIN)

    @titled("resident memory, chain of 1,000,000", "bytes")
    def peakmem_chain(self, engine: str) -> None:
        self.run()


X = np.full((2, 2), 0.5)
STEPS: dict[str, Callable[[Any], Any]] = {  # functions of a (2, 2) array with such a result
    "np.sin(x) * 1.01": lambda x: np.sin(x) * 1.01,
    "x - a": lambda x: x - X,
    "x[:]": lambda x: x[:],
    "x.T": lambda x: x.T,
    "np.reshape(x, (2, 2))": lambda x: np.reshape(x, (2, 2)),
    "np.sum(x, axis=())": lambda x: np.sum(x, axis=(), keepdims=True),
    "np.max(x, axis=())": lambda x: np.max(x, axis=(), keepdims=True),
    "np.clip(x, -1.0, 2.0)": lambda x: np.clip(x, -1.0, 2.0),
    "np.where(x > 0.0, x, 0.0)": lambda x: np.where(x > 0.0, x, 0.0),
    "x @ a": lambda x: x @ X,
    "np.concatenate([x[:1], x[1:]])": lambda x: np.concatenate([x[:1], x[1:]]),
}


class Kept:
    """A recording of 5,000 steps that is being held, besides the values that the steps compute."""

    params = tuple(STEPS)
    param_names = ("step",)
    steps = 5_000

    def setup(self, name: str) -> None:
        self.step = STEPS[name]
        self.recorded()  # rules are loaded and compiled at their first call

    @titled("engine's bytes per recorded step", "bytes")
    def track_bytes_per_step(self, name: str) -> float:
        return (held_by(self.recorded) - held_by(self.computed)) / self.steps

    def recorded(self) -> Any:
        def steps(x: Any) -> Any:
            for _ in range(self.steps):
                x = self.step(x)
            return x

        return vjp(steps, X)

    def computed(self) -> Any:
        values = [X]
        for _ in range(self.steps):
            values.append(self.step(values[-1]))
        return values


def held_by(make: Any) -> int:
    """The bytes that a result keeps alive."""
    tracemalloc.start()
    try:
        result = make()
        size, _ = tracemalloc.get_traced_memory()
        del result
        return size
    finally:
        tracemalloc.stop()
