"""What is written in place: cotangents added into a buffer that the sweep owns, against making a new array each time.

Traced code itself cannot write in place yet; when it can, its benchmarks belong here.
"""

import operator
from typing import Any

import numpy as np

from benchmarks.measure import peak_bytes, ratio
from benchmarks.titles import titled
from chainrules_py import ZERO, accumulate, accumulated, default_rules

ARRIVALS = 16


class Accumulation:
    """Sixteen cotangents of one array, summed."""

    params = (1, 10_000, 1_000_000)
    param_names = ("size",)

    def setup(self, size: int) -> None:
        self.bars = [np.full(size, float(k)) for k in range(ARRIVALS)]
        np.testing.assert_array_equal(self.owned(), self.renewed())

    def owned(self) -> Any:
        total: Any = ZERO
        for bar in self.bars:
            total = accumulate(total, bar)
        return accumulated(total)

    def renewed(self) -> Any:
        total = self.bars[0]
        for bar in self.bars[1:]:
            total = total + bar
        return total

    @titled("in-place sum: time / new arrays", "ratio")
    def track_time_ratio(self, size: int) -> float:
        return ratio(self.owned, self.renewed, budget=1.0)

    @titled("in-place sum: peak memory / new arrays", "ratio")
    def track_peak_ratio(self, size: int) -> float:
        return peak_bytes(self.owned) / peak_bytes(self.renewed)


class Scatter:
    """Cotangents of reads of one array, scattered into one buffer, against a dense array for each read."""

    params = ("entries", "slices", "repeated integers")
    param_names = ("index",)

    def setup(self, kind: str) -> None:
        a = np.arange(2_000.0)
        indices: dict[str, list[Any]] = {
            "entries": [7 * k for k in range(ARRIVALS)],
            "slices": [slice(k, k + 1_000) for k in range(ARRIVALS)],
            "repeated integers": [np.arange(1_000) % (k + 2) for k in range(ARRIVALS)],
        }
        read = default_rules.resolve("reverse", operator.getitem, (np.ndarray, type(indices[kind][0])), (True, False))
        reads = [read(a, index) for index in indices[kind]]
        self.thunks = [lambda y=y, pull=pull: pull(np.ones_like(y))[0] for y, pull in reads]
        np.testing.assert_array_equal(self.scattered(), self.dense())

    def scattered(self) -> Any:
        total: Any = ZERO
        for thunk in self.thunks:
            total = accumulate(total, thunk())
        return accumulated(total)

    def dense(self) -> Any:
        total = self.thunks[0]().force()
        for thunk in self.thunks[1:]:
            total = total + thunk().force()
        return total

    @titled("scatter: time / dense arrays", "ratio")
    def track_time_ratio(self, kind: str) -> float:
        return ratio(self.scattered, self.dense, budget=1.0)
