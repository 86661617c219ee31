"""What is written in place: cotangents added into a buffer that the sweep owns, against making a new array each time.

And programs that write into arrays entry by entry, ours against PyTorch's code in place and JAX's ``.at`` under `jit`.
"""

import operator
import time
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


def recurrence(x: Any, y: Any) -> Any:
    """Write each entry of `y` from the one before, and return the last."""
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + x[i]
    return y[len(x) - 1]


def ours(x: Any) -> Any:
    """The gradient of the recurrence by this library."""
    import chainrules_tape.numpy as tnp
    from chainrules_tape import grad

    return grad(lambda x: recurrence(x, tnp.zeros(x.size)))(x)


def by_torch(x: Any) -> Any:
    """The gradient of the recurrence by PyTorch, written in place."""
    import torch

    leaf = torch.tensor(x, requires_grad=True)
    recurrence(leaf, torch.zeros(len(x), dtype=torch.float64)).backward()
    return leaf.grad.numpy()


def by_jax(loop: bool) -> Any:
    """The gradient of the recurrence, to be compiled by JAX, with ``.at`` for each write: unrolled, or in a loop of JAX's."""
    import jax

    jax.config.update("jax_enable_x64", True)

    def step(i: Any, y: Any, x: Any) -> Any:
        return y.at[i].set(y[i - 1] * 0.5 + x[i])

    def with_at(x: Any) -> Any:
        y = jax.numpy.zeros(len(x)).at[0].set(x[0])
        if loop:
            y = jax.lax.fori_loop(1, len(x), lambda i, y: step(i, y, x), y)
        else:
            for i in range(1, len(x)):
                y = step(i, y, x)
        return y[len(x) - 1]

    return jax.jit(jax.grad(with_at))


class SingleWrites:
    """A program that writes n entries one by one, with its gradient, per write."""

    params = (1_000, 10_000, 100_000)
    param_names = ("entries",)
    timeout = 120

    def setup(self, size: int) -> None:
        self.x = np.ones(size)
        np.testing.assert_allclose(ours(np.ones(5)), 0.5 ** np.arange(4.0, -1.0, -1.0))

    @titled("time per single write, with its gradient", "microseconds")
    def track_time_per_write(self, size: int) -> float:
        start = time.process_time()
        ours(self.x)
        return (time.process_time() - start) / size * 1e6


class WritesOfPeers:
    """The recurrence by PyTorch's code in place, which costs n per write."""

    timeout = 300

    @titled("single writes: time / PyTorch in place", "ratio")
    def track_torch_ratio(self) -> float:
        x = np.ones(1_000)
        np.testing.assert_allclose(ours(x), by_torch(x))
        return ratio(lambda: ours(x), lambda: by_torch(x), budget=4.0)


class WritesOfJAX:
    """The recurrence by JAX's ``.at`` under `jit`, what it compiles and what each call takes afterwards apart."""

    params = ("unrolled, 100", "in its loop, 1000")
    param_names = ("writes",)
    timeout = 300

    def setup(self, writes: str) -> None:
        form, _, size = writes.partition(", ")
        self.x = np.ones(int(size))
        start = time.process_time()
        self.compiled = by_jax(form == "in its loop").lower(self.x).compile()
        self.seconds = time.process_time() - start
        np.testing.assert_allclose(ours(self.x), np.asarray(self.compiled(self.x)))

    @titled("single writes: JAX compiles / a call", "ratio")
    def track_compilation(self, writes: str) -> float:
        start = time.process_time()
        ours(self.x)
        return self.seconds / (time.process_time() - start)

    @titled("single writes: time / JAX once compiled", "ratio")
    def track_call_ratio(self, writes: str) -> float:
        return ratio(lambda: ours(self.x), lambda: np.asarray(self.compiled(self.x)), budget=4.0)
