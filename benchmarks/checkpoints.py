"""The memory that `checkpoint` saves and the time it costs, on a chain in ten recomputed pieces."""

from typing import Any

import numpy as np

from benchmarks.measure import peak_bytes, ratio
from benchmarks.titles import titled
from chainrules_tape import checkpoint, value_and_grad

PIECES, LENGTH = 10, 20


def piece(x: Any) -> Any:
    """`LENGTH` links of the chain."""
    for _ in range(LENGTH):
        x = np.sin(x) * 1.01
    return x


def chained(link: Any, x: Any) -> Any:
    """The chain made of pieces."""
    for _ in range(PIECES):
        x = link(x)
    return np.sum(x)


class Checkpoint:
    """Against the same chain without."""

    def setup(self) -> None:
        self.x = np.linspace(0.5, 1.5, 20_000)
        recomputing = checkpoint(piece)
        self.plain = value_and_grad(lambda x: chained(piece, x))
        self.with_checkpoints = value_and_grad(lambda x: chained(recomputing, x))
        np.testing.assert_allclose(self.with_checkpoints(self.x)[1], self.plain(self.x)[1])

    @titled("checkpoint: time / without", "ratio")
    def track_time_ratio(self) -> float:
        return ratio(lambda: self.with_checkpoints(self.x), lambda: self.plain(self.x), budget=3.0)

    @titled("checkpoint: peak memory / without", "ratio")
    def track_peak_ratio(self) -> float:
        return peak_bytes(lambda: self.with_checkpoints(self.x)) / peak_bytes(
            lambda: self.plain(self.x)
        )
