"""The peak memory of a gradient next to one by hand, and the bytes that each operation records."""

import tracemalloc
from functools import partial
from typing import Any

import numpy as np

from benchmarks.engines import BY_HAND, ENGINES, OURS
from benchmarks.measure import peak_bytes
from benchmarks.programs import LARGE_CHAIN, PROGRAMS
from benchmarks.tape import sines
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


class Kept:
    """A recording of 100,000 operations that is being held."""

    operations = 100_000

    @titled("engine's bytes per recorded operation", "bytes")
    def track_bytes_per_operation(self) -> float:
        vjp(partial(sines, 10), np.full(1, 0.5))
        return (held_by(self.recorded) - held_by(self.computed)) / self.operations

    def recorded(self) -> Any:
        return vjp(partial(sines, self.operations), np.full(1, 0.5))

    def computed(self) -> Any:
        values = [np.full(1, 0.5)]
        for _ in range(self.operations):
            values.append(np.sin(values[-1]))
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
