"""The memory that `checkpoint` saves in long loops and the time it costs, where some steps are one call."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from benchmarks.measure import peak_bytes, ratio
from benchmarks.titles import titled
from chainrules_tape import checkpoint, value_and_grad

PIECES, LENGTH = 20, 10


def separated(u: Any) -> Any:
    """A step of Allen and Cahn's equation in a square, which writes."""
    new, inner = u.copy(), u[1:-1, 1:-1]
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * inner
    new[1:-1, 1:-1] = inner + 0.1 * around + 0.05 * (inner - inner**3)
    return new


def drawn_together(bodies: Any) -> Any:
    """A step of bodies that draw each other, of their places and velocities."""
    x, v = bodies
    d = x[:, None, :] - x[None, :, :]
    v = v - 0.01 * np.sum(d / (np.sum(d * d, axis=2) + 0.1)[:, :, None] ** 1.5, axis=1)
    return np.stack([x + 0.01 * v, v])


# by name: a step, and the shape of the state
SIMULATIONS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "links of a chain": (lambda x: np.sin(x) * 1.01, (20_000,)),
    "phases that separate": (separated, (128, 128)),
    "bodies": (drawn_together, (2, 100, 3)),
}


class Checkpoint:
    """Against the same loop without."""

    params = tuple(SIMULATIONS)
    param_names: ClassVar[list[str]] = ["simulation"]

    def setup(self, simulation: str) -> None:
        step, shape = SIMULATIONS[simulation]
        self.x = np.random.default_rng(0).uniform(size=shape)

        def piece(x: Any) -> Any:
            for _ in range(LENGTH):
                x = step(x)
            return x

        def total(piece: Any, x: Any) -> Any:
            for _ in range(PIECES):
                x = piece(x)
            return np.sum(x * x)

        recomputing = checkpoint(piece)
        self.plain = value_and_grad(lambda x: total(piece, x))
        self.with_checkpoints = value_and_grad(lambda x: total(recomputing, x))
        np.testing.assert_allclose(self.with_checkpoints(self.x)[1], self.plain(self.x)[1])

    @titled("checkpoint: time / without", "ratio")
    def track_time_ratio(self, simulation: str) -> float:
        return ratio(lambda: self.with_checkpoints(self.x), lambda: self.plain(self.x), budget=3.0)

    @titled("checkpoint: peak memory / without", "ratio")
    def track_peak_ratio(self, simulation: str) -> float:
        return peak_bytes(lambda: self.with_checkpoints(self.x)) / peak_bytes(
            lambda: self.plain(self.x)
        )
