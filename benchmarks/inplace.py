"""Cotangents added into one buffer of the sweep's, against a new array for each sum.

Also programs that write into arrays entry by entry, ours against PyTorch's code in place and JAX's
``.at`` under `jit`.
"""

import operator
import time
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.cases import (
    Measured,
    Ratios,
    in_units_of,
    in_units_of_each,
    measured_cases,
    ratios_of,
)
from benchmarks.measure import Run, peak_bytes, ratio
from benchmarks.programs.writes import WRITING, WritingProgram
from benchmarks.titles import titled
from chainrules_py import ZERO, accumulate, accumulated, default_rules
from chainrules_tape import compiled, grad, seen_through

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
    """Cotangents of reads of one array, scattered into one buffer, against a dense array for each
    read.
    """

    params = ("entries", "slices", "repeated integers")
    param_names = ("index",)

    def setup(self, kind: str) -> None:
        a = np.arange(2_000.0)
        indices: dict[str, list[Any]] = {
            "entries": [7 * k for k in range(ARRIVALS)],
            "slices": [slice(k, k + 1_000) for k in range(ARRIVALS)],
            "repeated integers": [np.arange(1_000) % (k + 2) for k in range(ARRIVALS)],
        }
        read = default_rules.resolve(
            "reverse", operator.getitem, (np.ndarray, type(indices[kind][0])), (True, False)
        )
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
        y[i] = y[i - 1] * 0.999 + x[i]
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
    """The gradient of the recurrence, to be compiled by JAX, with ``.at`` for each write: unrolled,
    or in a loop of JAX's.
    """
    import jax

    jax.config.update("jax_enable_x64", True)

    def step(i: Any, y: Any, x: Any) -> Any:
        return y.at[i].set(y[i - 1] * 0.999 + x[i])

    def with_at(x: Any) -> Any:
        y = jax.numpy.zeros(len(x)).at[0].set(x[0])
        if loop:
            y = jax.lax.fori_loop(1, len(x), lambda i, y: step(i, y, x), y)
        else:
            for i in range(1, len(x)):
                y = step(i, y, x)
        return y[len(x) - 1]

    return jax.jit(jax.grad(with_at))


def single_reads(x: Any) -> Any:
    """Read each entry of an ordinary array by itself, twice."""
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] * np.sin(x[i])
    return total


def in_place(x: Any) -> Any:
    """The square of the recurrence, in a buffer of ours: its second derivatives are not zero."""
    import chainrules_tape.numpy as tnp

    return recurrence(x, tnp.zeros(x.size)) ** 2


class SingleEntries:
    """Programs that write, or read, n entries one by one, with their derivatives, per entry: what
    is O(n) is constant here.
    """

    params = (("writes", "reads"), ("gradient", "Hessian-vector product"), (1_000, 10_000))
    param_names = ("program", "derivative", "entries")
    timeout = 300

    def setup(self, program: str, derivative: str, size: int) -> None:
        from chainrules_tape import grad, hvp

        f, self.x = {"writes": in_place, "reads": single_reads}[program], np.ones(size)
        self.run = grad(f) if derivative == "gradient" else lambda x: hvp(f, x, x)
        h, x = 1e-4, np.linspace(0.5, 1.0, 5)
        slope = (f(x + h * x) - f(x - h * x)) / (2 * h)
        curvature = (f(x + h * x) - 2 * f(x) + f(x - h * x)) / h**2
        np.testing.assert_allclose(
            x @ self.run(x), slope if derivative == "gradient" else curvature, rtol=1e-5
        )

    @titled("time per entry written or read", "microseconds")
    def track_time_per_entry(self, program: str, derivative: str, size: int) -> float:
        start = time.process_time()
        self.run(self.x)
        return (time.process_time() - start) / size * 1e6

    @titled("memory per entry written or read", "bytes")
    def track_memory_per_entry(self, program: str, derivative: str, size: int) -> float:
        return peak_bytes(lambda: self.run(self.x)) / size


class WritesOfPeers:
    """The recurrence by PyTorch's code in place, which costs n per write."""

    params = (1_000, 10_000)
    param_names = ("entries",)
    timeout = 300

    @titled("single writes: time / PyTorch in place", "ratio")
    def track_torch_ratio(self, size: int) -> float:
        x = np.ones(size)
        np.testing.assert_allclose(ours(x), by_torch(x))
        return ratio(lambda: ours(x), lambda: by_torch(x), budget=1.0)


class WritesOfJAX:
    """The recurrence by JAX's ``.at`` under `jit`: the first call, in which JAX compiles, and those
    afterwards.
    """

    params = ("unrolled, 100", "in its loop, 1000", "in its loop, 10000")
    param_names = ("writes",)
    timeout = 300

    def setup(self, writes: str) -> None:
        form, _, size = writes.partition(", ")
        self.x = np.ones(int(size))
        compiled = by_jax(form == "in its loop")
        start = time.process_time()
        found = np.asarray(compiled(self.x))
        self.theirs, self.call = time.process_time() - start, lambda: np.asarray(compiled(self.x))
        np.testing.assert_allclose(ours(self.x), found)
        start = time.process_time()
        # with the rules that it uses: they are looked up once in a process, not for each length
        ours(self.x)
        self.ours = time.process_time() - start

    @titled("single writes: first call / JAX's", "ratio")
    def track_first_call(self, writes: str) -> float:
        return self.ours / self.theirs

    @titled("single writes: later calls / JAX's", "ratio")
    def track_later_calls(self, writes: str) -> float:
        return ratio(lambda: ours(self.x), self.call, budget=1.0)


def figures_of(name: str) -> Ratios:
    """Gradients of a program that writes, in units of the program and of a person's."""
    program = WRITING[name]
    arrays, function = program.arrays(), seen_through(program.function)
    gradient = grad(function, argnums=tuple(range(len(arrays))))
    fast = compiled(gradient)
    start = time.process_time()
    fast.prepare(*arrays)
    figures = {"seconds": time.process_time() - start}
    candidates: dict[str, Run] = {
        "program": lambda: program.function(*map(np.copy, arrays)),
        "ours": partial(gradient, *arrays),
        "compiled": partial(fast, *arrays),
    }
    if program.by_hand is not None:
        candidates["by hand"] = partial(program.by_hand, *arrays)
    if program.in_jax is not None and find_spec("jax") is not None:
        candidates["jax"], figures["seconds of jax"] = gradient_in_jax(program)
    for run in [*candidates.values()][2:]:
        for found, known in zip(run(), candidates["ours"](), strict=True):
            np.testing.assert_allclose(found, known, rtol=1e-8, atol=1e-10)
    of_program = in_units_of("program", candidates)
    by_hand = in_units_of_each("compiled", candidates).get("by hand", np.nan)
    return {**figures, **of_program, "compiled / by hand": by_hand}


def gradient_in_jax(program: WritingProgram) -> tuple[Run, float]:
    """The gradient by JAX of its own arrays, and how long JAX compiles it."""
    import jax

    jax.config.update("jax_enable_x64", True)
    arrays = [jax.numpy.asarray(x, float) for x in program.arrays()]
    gradient = jax.jit(jax.grad(program.in_jax, argnums=tuple(range(len(arrays)))))
    start = time.process_time()
    compiled_gradient = gradient.lower(*arrays).compile()
    seconds = time.process_time() - start
    return lambda: jax.block_until_ready(compiled_gradient(*arrays)), seconds


class Kernels:
    """Solvers and stencils, as PolyBench and NPBench have them."""

    params = tuple(WRITING)
    param_names = ("program",)

    def setup_cache(self) -> Measured:
        return measured_cases(figures_of, WRITING)

    setup_cache.timeout = 300  # type: ignore[attr-defined]

    def setup(self, measured: Measured, name: str) -> None:
        self.figures = ratios_of(measured, name)

    @titled("kernel: gradient / program", "ratio")
    def track_of_program(self, measured: Measured, name: str) -> float:
        return self.figures["ours"]

    @titled("kernel: compiled gradient / program", "ratio")
    def track_compiled(self, measured: Measured, name: str) -> float:
        return self.figures["compiled"]

    @titled("kernel: gradient by hand / program", "ratio")
    def track_by_hand(self, measured: Measured, name: str) -> float:
        return self.figures.get("by hand", np.nan)

    @titled("kernel: compiled gradient / by hand", "ratio")
    def track_compiled_of_by_hand(self, measured: Measured, name: str) -> float:
        return self.figures["compiled / by hand"]

    @titled("kernel: gradient by JAX / program", "ratio")
    def track_jax(self, measured: Measured, name: str) -> float:
        return self.figures.get("jax", np.nan)

    @titled("kernel: time until compiled", "seconds")
    def track_seconds(self, measured: Measured, name: str) -> float:
        return self.figures["seconds"]

    @titled("kernel: time until compiled by JAX", "seconds")
    def track_seconds_of_jax(self, measured: Measured, name: str) -> float:
        return self.figures.get("seconds of jax", np.nan)
