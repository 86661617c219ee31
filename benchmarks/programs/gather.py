"""Sparse indexing: 100 times a few rows of a large table.

A dense cotangent for each read would cost 100 tables.
"""

from typing import Any

import numpy as np

from benchmarks.programs.program import UNROLLED, Arrays, Program, normal

ROWS, WIDTH, READS, BATCH = 5_000, 16, 100, 32


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """The sum of the squares of tanh of what is read."""
    (table,) = parameters
    total = 0.0
    for rows in data:
        y = xp.tanh(table[rows])
        total = total + xp.sum(y * y)
    return total


def by_hand(parameters: Arrays, data: Arrays) -> tuple[Any, Arrays]:
    """Adds each read's cotangent into the rows that it read; rows may repeat."""
    (table,) = parameters
    total, table_bar = 0.0, np.zeros_like(table)
    for rows in data:
        y = np.tanh(table[rows])
        total = total + np.sum(y * y)
        np.add.at(table_bar, rows, 2 * y * (1 - y * y))
    return total, (table_bar,)


def inputs() -> tuple[Arrays, Arrays]:
    """A table, and the rows of each read."""
    rng = np.random.default_rng(0)
    return (normal(ROWS, WIDTH),), tuple(rng.integers(0, ROWS, BATCH) for _ in range(READS))


def gather() -> Program:
    """Sparse indexing as a program to be differentiated."""
    return Program("sparse indexing, 100 reads", objective, inputs, by_hand, UNROLLED)
