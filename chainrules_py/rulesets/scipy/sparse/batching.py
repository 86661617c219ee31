"""Sparse systems of many examples at once: their right-hand sides are columns of one system.

Matrices that differ by their entries are blocks of one larger matrix where they are multiplied.
Their systems are solved one by one: one that is singular would take the others with it.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import linalg

from chainrules_py import batched
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import as_laned
from chainrules_py.rulesets.scipy.lanes_last import as_columns, is_lane_alone, takes_columns
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.sparse.entries import (
    Shape,
    entries_dense,
    entries_product,
    entries_solution,
)
from chainrules_py.rulesets.scipy.sparse.linalg.direct import solve_by_factors
from chainrules_py.rulesets.scipy.sparse.linalg.least_squares import operator_product
from chainrules_py.values.arrays import Array


def has_times(options: dict[str, Any]) -> bool:
    """Whether the exponential is asked for at several times."""
    return options.keys() - {"traceA"} != set()


takes_columns(solve_by_factors, operator_product)
takes_columns(linalg.spsolve_triangular, place=1)
takes_columns(linalg.expm_multiply, place=1, refused=has_times)


@batched.register(linalg.spsolve)
def spsolve_batched(lanes: Lanes, A: object, b: Array, **options):
    """Columns of one system; of one column alone, SciPy returns a vector."""
    if not is_lane_alone(lanes, (A, b), 1):
        return looped(partial(call, linalg.spsolve), lanes, (A, b), options)
    vectors = b[:, :, 0] if b.shape[2:] == (1,) else b
    return as_columns(lambda columns: call(linalg.spsolve, A, columns, **options), vectors)


def in_blocks(count: int, rows, columns, shape: Shape) -> dict[str, Any]:
    """The positions of the entries of so many matrices, which are blocks on a diagonal."""
    number = np.arange(count)[:, None]
    return {
        "rows": np.ravel(rows + number * shape[0]),
        "columns": np.ravel(columns + number * shape[1]),
        "shape": (count * shape[0], count * shape[1]),
    }


@batched.register(entries_product)
def entries_product_batched(lanes: Lanes, entries: Array, x: Array, *, rows, columns, shape: Shape):
    """Columns of one product, or a product with blocks."""
    here = {"rows": rows, "columns": columns, "shape": shape}
    if is_lane_alone(lanes, (entries, x), 1):
        return as_columns(lambda own: entries_product(entries, own, **here), x)
    count = (entries if lanes[0] else x).shape[0]
    if not count:
        return looped(entries_product, lanes, (entries, x), here)
    sides = as_laned(lanes[1], x, count)
    own = sides.shape[2:]
    y = entries_product(
        entries.reshape((-1,)),
        sides.reshape((count * shape[1], *own)),
        **in_blocks(count, rows, columns, shape),
    )
    return y.reshape((count, shape[0], *own))


@batched.register(entries_dense)
def entries_dense_batched(lanes: Lanes, entries: Array, *, rows, columns, shape: Shape):
    """The rows of all matrices, one below the other."""
    count = entries.shape[0]
    if not count:
        here = {"rows": rows, "columns": columns, "shape": shape}
        return looped(entries_dense, lanes, (entries,), here)
    below = in_blocks(count, rows, columns, (shape[0], 0))
    below["shape"] = (count * shape[0], shape[1])
    return entries_dense(entries.reshape((-1,)), **below).reshape((count, *shape))


@batched.register(entries_solution)
def entries_solution_batched(lanes: Lanes, entries: Array, b: Array, *, solver, **options):
    """Columns of one system, which is factorised; iterations are each example's own."""
    if solver is not linalg.spsolve or not is_lane_alone(lanes, (entries, b), 1):
        return looped(entries_solution, lanes, (entries, b), {"solver": solver, **options})
    vectors = b[:, :, 0] if b.shape[2:] == (1,) else b
    return as_columns(
        lambda columns: entries_solution(entries, columns, solver=solver, **options), vectors
    )
