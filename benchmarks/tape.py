"""The tape engine by itself: programs, reads of single numbers, and what an operation costs as
tapes grow.
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.engines import ENGINES
from benchmarks.measure import ratio, sample
from benchmarks.programs import OWN
from benchmarks.titles import titled
from chainrules_tape import grad, jvp, value_and_grad


class Programs:
    """Value and gradient."""

    params = tuple(OWN)
    param_names = ("program",)

    def setup(self, name: str) -> None:
        self.run = ENGINES["ours"].gradient(OWN[name])
        self.run()

    @titled("value and gradient")
    def time_gradient(self, name: str) -> None:
        self.run()


class Forward:
    """Directional derivatives of the same programs."""

    params = tuple(OWN)
    param_names = ("program",)

    def setup(self, name: str) -> None:
        program = OWN[name]
        self.parameters, data = program.inputs()
        self.tangents = tuple(np.full_like(parameter, 0.5) for parameter in self.parameters)
        self.function = lambda *parameters: program.objective(np, parameters, data)
        self.push()

    def push(self) -> Any:
        return jvp(self.function, self.parameters, self.tangents)

    @titled("value and directional derivative (jvp)")
    def time_jvp(self, name: str) -> None:
        self.push()


def sines(count: int, x: Any) -> Any:
    """`count` operations, one after the other."""
    for _ in range(count):
        x = np.sin(x)
    return np.sum(x)


class PerOperation:
    """Cost per operation, on one number."""

    params = (1_000, 100_000)
    param_names = ("operations",)

    def setup(self, operations: int) -> None:
        self.x, self.gradient = np.full(1, 0.5), grad(partial(sines, operations))
        self.gradient(self.x)

    @titled("gradient per operation, size 1", "microseconds")
    def track_per_operation(self, operations: int) -> float:
        calls = 100_000 // operations
        return (
            1e6 * min(sample(partial(self.gradient, self.x), calls) for _ in range(3)) / operations
        )


class Length:
    """The cost of an operation on long tapes, in units of its cost on a tape of 1,000."""

    params = (100_000, 1_000_000)
    param_names = ("operations",)
    timeout = 300

    def setup(self, operations: int) -> None:
        x = np.full(1, 0.5)
        self.long, self.short = (
            partial(grad(partial(sines, count)), x) for count in (operations, 1_000)
        )
        self.short()

    @titled("cost per operation / at 1,000 operations", "ratio")
    def track_growth(self, operations: int) -> float:
        # a long tape is swept once in each of three rounds; short ones for a third of that time
        seconds = operations * 1e-6
        return ratio(self.long, self.short, budget=seconds, seconds=seconds) / (operations / 1_000)


def sum_of_reads(x: Any) -> Any:
    """Each number read by itself."""
    total = 0.0
    for k in range(len(x)):
        total = total + x[k] * x[k]
    return total


class Reads:
    """n reads of single numbers from an array of n."""

    params = (1_000, 10_000)
    param_names = ("n",)
    timeout = 300

    def setup(self, n: int) -> None:
        self.x, self.few = np.linspace(0.0, 1.0, n), np.linspace(0.0, 1.0, 1_000)
        self.gradient = value_and_grad(sum_of_reads)
        self.gradient(self.few)

    @titled("cost per read / at n = 1,000", "ratio")
    def track_growth(self, n: int) -> float:
        many, few = partial(self.gradient, self.x), partial(self.gradient, self.few)
        return ratio(many, few, budget=n * 150e-6, seconds=n * 15e-6) / (n / 1_000)

    @titled("gradient of n reads")
    def time_reads(self, n: int) -> None:
        self.gradient(self.x)
