"""The cost of single operations on the tape, forward and reverse together, on arrays of 12 numbers.

All of them take the fast path of the tape; functions need more dispatch than operators. The cost is
that of a gradient with a hundred of them, less that of the sum that joins them.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import take_turns
from benchmarks.titles import titled
from chainrules_tape import grad

Operation = Callable[[Any], Any]
Costs = dict[str, tuple[float, float]]

COUNT = 100
BUDGET = 0.4  # seconds for an operation


def sum_of_parts(a: Any, b: Any, c: Any) -> Any:
    """One of the rows of an array that was taken apart."""
    return b


OPERATIONS: dict[str, Operation] = {
    "np.sin(x)": np.sin,
    "x * 2.0": lambda x: x * 2.0,
    "x * x": lambda x: x * x,
    "x[:, 1]": lambda x: x[:, 1],
    "x @ v": lambda x: x @ np.ones(4),
    "np.sum(x, axis=0)": lambda x: np.sum(x, axis=0),
    "np.max(x, axis=0)": lambda x: np.max(x, axis=0),
    "np.reshape(x, (4, 3))": lambda x: np.reshape(x, (4, 3)),
    "np.swapaxes(x, 0, 1)": lambda x: np.swapaxes(x, 0, 1),
    "np.concatenate([x, x])": lambda x: np.concatenate([x, x]),
    "np.stack([x, x])": lambda x: np.stack([x, x]),
    "a, b, c = x": lambda x: sum_of_parts(*x),
    "np.where(c, x, 0.0)": lambda x: np.where(True, x, 0.0),
}


def repeated(operation: Operation, x: Any) -> Any:
    """A sum over `COUNT` results."""
    total = 0.0
    for _ in range(COUNT):
        total = total + operation(x)
    return np.sum(total)


def plain(operation: Operation, x: Any) -> None:
    """The operation itself, as often."""
    for _ in range(COUNT):
        operation(x)


def microseconds() -> Costs:
    """For each operation its cost in plain NumPy, and with a gradient."""
    return {name: microseconds_of(operation) for name, operation in OPERATIONS.items()}


def microseconds_of(operation: Operation) -> tuple[float, float]:
    """Differences of small numbers: the least disturbed sample of each."""
    x = np.linspace(0.5, 1.5, 12).reshape(3, 4)
    runs = {
        "plain": partial(plain, operation, x),
        "joined": partial(grad(partial(repeated, lambda x: x)), x),
        "ours": partial(grad(partial(repeated, operation)), x),
    }
    best = {name: 1e6 * min(times) / COUNT for name, times in take_turns(runs, BUDGET).items()}
    return best["plain"], best["ours"] - best["joined"]


class Operations:
    """One figure per operation."""

    params = tuple(OPERATIONS)
    param_names = ("operation",)

    def setup_cache(self) -> Costs:
        return microseconds()

    @titled("an operation in plain NumPy", "microseconds")
    def track_plain(self, costs: Costs, operation: str) -> float:
        return costs[operation][0]

    @titled("an operation with its gradient", "microseconds")
    def track_gradient(self, costs: Costs, operation: str) -> float:
        return costs[operation][1]

    @titled("an operation with its gradient / np.sin", "ratio")
    def track_of_a_sine(self, costs: Costs, operation: str) -> float:
        return costs[operation][1] / costs["np.sin(x)"][1]
