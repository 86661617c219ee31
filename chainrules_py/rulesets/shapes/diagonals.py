"""Diagonals and triangles of matrices: reading some entries, and writing them into zeros."""

from typing import Any, NamedTuple

import numpy as np

from chainrules_py import (
    Array,
    InplaceableThunk,
    Scalar,
    Space,
    composed,
    is_zero,
    linear_rule,
    unthunk,
)
from chainrules_py.rulesets.entries.scatter import scattered


def triangle_rule(primal) -> None:
    """Register the rule of `tril` or `triu`."""

    @linear_rule(primal)
    def triangle_adjoint(y_bar, m: Space, *, k: int = 0, xp):
        """The triangle of the cotangent.

        A vector was broadcast to the rows of a square matrix, over which it is summed.
        """
        triangle = getattr(xp, primal.__name__)(y_bar, k)
        return triangle if m.ndim > 1 else xp.sum(triangle, axis=0)


triangle_rule(np.tril)
triangle_rule(np.triu)


class Diagonal(NamedTuple):
    """Where a diagonal of a matrix starts, and how many entries it has."""

    row: int
    column: int
    length: int


def diagonal_of(rows: int, columns: int, offset: int) -> Diagonal:
    """The diagonal that is `offset` above the main one."""
    row, column = max(-offset, 0), max(offset, 0)
    return Diagonal(row, column, max(min(rows - row, columns - column), 0))


def put_on_diagonal(y_bar, a: Space, offset: int, axis1: int, axis2: int, xp) -> Any:
    """Zeros of the argument's shape with `y_bar`, the diagonal last, on a diagonal of two axes.

    With the two axes last and flat, the diagonal is a slice: no index array is made, and no entry
    of one is looked up.
    """
    axes = (axis1 % a.ndim, axis2 % a.ndim)
    rows, columns = a.shape[axes[0]], a.shape[axes[1]]
    others = tuple(length for axis, length in enumerate(a.shape) if axis not in axes)
    row, column, length = diagonal_of(rows, columns, offset)
    first, step = row * columns + column, columns + 1
    flat = scattered(
        y_bar, (..., slice(first, first + length * step, step)), (*others, rows * columns), a.dtype
    )
    if is_zero(flat):
        return flat

    def compute():
        matrices = xp.reshape(unthunk(flat), (*others, rows, columns))
        are_last = axes == (a.ndim - 2, a.ndim - 1)
        return matrices if are_last else xp.moveaxis(matrices, (-2, -1), axes)

    def add_into(buffer) -> None:
        steps = xp.arange(length)
        scattered(y_bar, (..., steps + row, steps + column), a.shape, a.dtype).add_into(
            xp.moveaxis(buffer, axes, (-2, -1))
        )

    return InplaceableThunk(
        add_into, compute, lambda: xp.zeros(a.shape, a.dtype), fits=flat.fits_into
    )


@linear_rule(np.diagonal)
def diagonal_adjoint(y_bar, a: Space, *, offset: int = 0, axis1: int = 0, axis2: int = 1, xp):
    """The entries go back to their diagonal."""
    return put_on_diagonal(y_bar, a, offset, axis1, axis2, xp)


@composed(np.trace)
def trace(
    a: Array, *, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, xp
) -> Any:
    """The sum of a diagonal."""
    diagonal = xp.diagonal(a, offset=offset, axis1=axis1, axis2=axis2)
    return xp.sum(diagonal, axis=-1, dtype=dtype)


@composed(np.diagflat)
def diagflat(v: Array | Scalar, *, k: int = 0, xp):
    """The flat entries on a diagonal."""
    return xp.diag(xp.ravel(v), k=k)


@linear_rule(np.diag)
def diag_adjoint(y_bar, v: Space, *, k: int = 0, xp):
    """For a vector the cotangent's diagonal; for a matrix zeros with it on a diagonal."""
    return xp.diagonal(y_bar, offset=k) if v.ndim == 1 else put_on_diagonal(y_bar, v, k, 0, 1, xp)


@composed(np.vander)
def vander(x: Array, *, N: int | None = None, increasing: bool = False, xp):
    """Powers of each entry, along a new axis, by multiplication: 0**-1 never appears."""
    if x.ndim != 1:
        np.vander(np.broadcast_to(0, x.shape))  # for its error
    own = x.astype(np.promote_types(x.dtype, int))
    powers = [xp.ones_like(own)]
    for _ in range(1, len(own) if N is None else N):
        powers.append(powers[-1] * own)
    kept = powers[:N] if increasing else powers[:N][::-1]
    return xp.stack(kept, axis=-1) if kept else xp.zeros((*x.shape, 0), own.dtype)
