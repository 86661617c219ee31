"""The chain on a CUDA device, against CuPy by hand; left out where there is no CuPy or no device."""

from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.measure import ratio
from benchmarks.programs.chain import FACTOR, LENGTH
from benchmarks.titles import titled
from chainrules_tape import value_and_grad


def cupy_with_device() -> Any:
    """CuPy; raises what asv takes for 'left out' where it cannot run."""
    if find_spec("cupy") is None:
        raise NotImplementedError("cupy is not installed")
    import cupy

    if not cupy.cuda.is_available():
        raise NotImplementedError("no CUDA device")
    return cupy


class Chain:
    """100 × (sin, multiply) on the device, in 64-bit numbers."""

    params = (1, 10_000, 1_000_000)
    param_names = ("size",)

    def setup(self, size: int) -> None:
        self.cupy = cupy_with_device()
        self.x = self.cupy.linspace(0.5, 1.5, size)
        self.gradient = value_and_grad(self.objective)
        self.cupy.testing.assert_allclose(self.ours()[1], self.by_hand()[1])

    def objective(self, x: Any) -> Any:
        for _ in range(LENGTH):
            x = np.sin(x) * FACTOR
        return np.sum(x)

    def ours(self) -> Any:
        found = self.gradient(self.x)
        self.cupy.cuda.get_current_stream().synchronize()
        return found

    def by_hand(self) -> Any:
        x, kept = self.x, []
        for _ in range(LENGTH):
            kept.append(x)
            x = self.cupy.sin(x) * FACTOR
        y, x_bar = self.cupy.sum(x), self.cupy.ones_like(x)
        while kept:
            x_bar = x_bar * FACTOR * self.cupy.cos(kept.pop())
        self.cupy.cuda.get_current_stream().synchronize()
        return y, x_bar

    @titled("CuPy: value and gradient / by hand", "ratio")
    def track_ratio(self, size: int) -> float:
        return ratio(self.ours, self.by_hand)
