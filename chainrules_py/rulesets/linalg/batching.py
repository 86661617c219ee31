"""Linear algebra of many examples at once: NumPy's functions take stacks of matrices."""

from typing import Any

import numpy as np

from chainrules_py import Array, axes_rule, batched
from chainrules_py.annotations import Args
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.cores import Stacked
from chainrules_py.batching.lanes import (
    Lanes,
    Same,
    behind_lanes,
    flat_lanes,
    laned_values,
    with_lanes,
)
from chainrules_py.batching.words import in_a_loop
from chainrules_py.rulesets.linalg.adjugates import adjugate
from chainrules_py.rulesets.linalg.degeneracy import differentiable_once
from chainrules_py.rulesets.linalg.hermitian_functions import hermitian_function

axes_rule(
    *(np.linalg.inv, np.linalg.pinv, np.linalg.cholesky, np.linalg.qr, np.linalg.svd),
    *(np.linalg.eig, np.linalg.eigh),
    kind="stacked",
)
axes_rule(np.linalg.eigvals, np.linalg.eigvalsh, np.linalg.svdvals, kind="stacked", result=1)
axes_rule(
    *(np.linalg.det, np.linalg.slogdet, np.linalg.cond, np.linalg.matrix_rank),
    kind="stacked",
    result=0,
)


@batched.register(np.linalg.norm)
def norm_batched(
    lanes: Lanes, x: Array, *, ord: Any = None, axis: Any = None, keepdims: bool = False, xp
):
    """The norm along axes of each lane; without any, that of the whole, or by its rank."""
    rank = x.ndim - 1
    if axis is None and (
        ord is None or (ord in ("f", "fro") and rank == 2) or (ord == 2 and rank == 1)
    ):
        flat = flat_lanes(x)
        y = xp.linalg.norm(flat, axis=-1)
        return y.reshape((y.shape[0],) + (1,) * rank) if keepdims else y
    if axis is None and rank not in (1, 2):
        return in_a_loop(np.linalg.norm, lanes)(x, ord=ord, axis=axis, keepdims=keepdims)
    axes = from_the_end(-1 if axis is None and rank == 1 else axis, rank)
    return xp.linalg.norm(x, ord=ord, axis=axes, keepdims=keepdims)


# --- Systems of equations ---


@batched.register(np.linalg.solve, axes=Stacked(core=(2, 2)))
def solve_batched(lanes: Lanes, a: Array, b: Array, *, xp):
    """A vector is one column; a constant matrix is factored once, for the columns of all lanes."""
    a_rank, b_rank = a.ndim - bool(lanes[0]), b.ndim - bool(lanes[1])
    if not lanes[0] and a_rank == 2 and b_rank == 1:
        return xp.linalg.solve(a, b.T).T
    if not lanes[0] and a_rank == 2 and b_rank == 2:
        columns = xp.moveaxis(b, 0, 1)
        count, width = b.shape[0], b.shape[2]
        x = xp.linalg.solve(a, columns.reshape((b.shape[1], count * width)))
        return xp.moveaxis(x.reshape((a.shape[1], count, width)), 1, 0)
    is_vector = b_rank == 1
    b = b[..., None] if is_vector else b
    rank = max(a_rank, b_rank + is_vector)
    a = behind_lanes(a, rank) if lanes[0] else a
    b = behind_lanes(b, rank) if lanes[1] else b
    x = xp.linalg.solve(a, b)
    return x[..., 0] if is_vector else x


@batched.register(np.linalg.lstsq)
def lstsq_batched(lanes: Lanes, a: Array, b: Array, *, rcond: Any = None, xp):
    """Lanes of right hand sides are columns of one problem; matrices in lanes are looped."""
    if lanes[0]:
        return in_a_loop(xp.linalg.lstsq, lanes)(a, b, rcond=rcond)
    count, rows = b.shape[:2]
    columns = xp.moveaxis(b, 0, 1).reshape((rows, count * (b.shape[2] if b.ndim == 3 else 1)))
    x, squares, rank, singular = xp.linalg.lstsq(a, columns, rcond=rcond)
    width = b.shape[2:]
    x = xp.moveaxis(x.reshape((x.shape[0], count, *width)), 1, 0)
    each = squares.shape[0] // count if count else 0
    return x, squares.reshape((count, each)), Same(rank), Same(singular)


# --- Functions of the rules themselves ---


@batched.register(adjugate)
def adjugate_batched(lanes: Lanes, a: Array, *directions: object):
    """Adjugates and their derivatives take stacks."""
    return adjugate(*all_with_lanes(lanes, (a, *directions)))


@batched.register(hermitian_function)
def hermitian_function_batched(lanes: Lanes, h: object, a: Array, *directions: object):
    """Functions of matrices and their derivatives take stacks."""
    return hermitian_function(h, *all_with_lanes(lanes[1:], (a, *directions)))


@batched.register(differentiable_once)
def differentiable_once_batched(
    lanes: Lanes, vectors: Array, values: Array, weights: object, *, of
):
    """Vectors, values and weights take stacks."""
    vectors, values, weights = all_with_lanes(lanes, (vectors, values, weights))
    return differentiable_once(vectors, values, weights, of)


def all_with_lanes(lanes: Lanes, args: Args) -> list[Any]:
    """Arguments with lanes, all of them."""
    count = next(laned_values(lanes, args)).shape[0]
    return [
        arg if lane or not hasattr(arg, "shape") else with_lanes(arg, count)
        for lane, arg in zip(lanes, args, strict=False)
    ]
