"""Constructors of sparse matrices: SciPy's own for plain values, `TracedSparse` where entries are
traced.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy as np
from scipy import sparse

from chainrules_py.ignoring import ignore_derivatives
from chainrules_tape.core.levels import innermost
from chainrules_tape.scipy.objects import StandIn, floats
from chainrules_tape.scipy.sparse.matrices import TracedSparse, as_entries, is_sparse, of_format


class SparseClass(StandIn):
    """The class of classes of sparse matrices, whose call makes SciPy's own of plain values."""

    def __call__(cls, arg1: Any, *args: Any, **options: Any) -> Any:
        """A sparse matrix."""
        if innermost((arg1,)) is None:
            return cls.made_by(arg1, *args, **options)
        return made_of(cls.made_by, arg1, *args, **options)

    def __instancecheck__(cls, instance: Any) -> bool:
        own = isinstance(instance, TracedSparse) and issubclass(instance.made_by, cls.made_by)
        return own or isinstance(instance, cls.made_by)


def made_of(
    made_by: Any, arg: Any, shape: Any = None, dtype: Any = None, copy: bool = False
) -> TracedSparse:
    """A matrix of traced entries, given in one of the ways of its class."""
    if isinstance(arg, TracedSparse):
        kept = arg.asformat(made_by.__name__[:3])
        return TracedSparse(
            kept.entries, kept.rows, kept.columns, kept.shape, made_by, kept.is_stored
        )
    if not isinstance(arg, tuple):
        dense = floats(arg)
        # a zero that is not stored is constant, as in SciPy
        rows, columns = np.nonzero(ignore_derivatives(dense))
        return TracedSparse(dense[rows, columns], rows, columns, dense.shape, made_by)
    form = made_by.__name__[:3]
    values = floats(arg[0])
    plain = made_by((np.zeros(np.shape(values)), *arg[1:]), shape=shape)  # for what it checks
    rows, columns = positions(form, arg, plain.shape, np.shape(values))
    if form == "dia":
        inside = (columns >= 0) & (rows >= 0) & (rows < plain.shape[0]) & (columns < plain.shape[1])
        return TracedSparse(values[inside], rows[inside], columns[inside], plain.shape, made_by)
    flat = np.reshape(values, -1), rows.reshape(-1), columns.reshape(-1)
    return TracedSparse(*flat, plain.shape, made_by, is_stored=len(arg) == 3)


def positions(
    form: str, arg: Any, shape: tuple[int, int], size: tuple[int, ...]
) -> tuple[Any, Any]:
    """The row and the column of each entry that is given, in the shape of these."""
    if len(arg) == 2 and form != "dia":
        return np.asarray(arg[1][0]), np.asarray(arg[1][1])
    if form == "dia":
        offsets = np.reshape(arg[1], (-1, 1))
        columns = np.broadcast_to(np.arange(size[1]), size)
        return columns - offsets, columns
    along, starts = np.asarray(arg[1]), np.asarray(arg[2])
    lines = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if form == "bsr":
        height, width = size[1:]
        rows = lines[:, None, None] * height + np.arange(height)[:, None] + np.zeros(width, int)
        return rows, along[:, None, None] * width + np.arange(width) + np.zeros((height, 1), int)
    return (along, lines) if form == "csc" else (lines, along)


def class_in_place_of(scipys: Any) -> Any:
    """The class that stands in the place of one of SciPy's."""
    return SparseClass(
        scipys.__name__, (), {"made_by": scipys, "__doc__": scipys.__doc__, "__module__": __name__}
    )


# --- Functions ---


def traced(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate what makes a matrix of traced entries in the place of a function of SciPy's."""

    def decorate(own: Callable[..., Any]) -> Any:
        def chosen(*args: Any, **options: Any) -> Any:
            if innermost((*args, *options.values())) is None:
                return function(*args, **options)
            return own(*args, **options)

        return update_wrapper(chosen, function)

    return decorate


def diagonals(made_by: Any, given: Any, offsets: Any = 0, shape: Any = None) -> TracedSparse:
    """The matrix of diagonals, of which one number fills the whole."""
    single = np.ndim(offsets) == 0
    given = [given] if single and (np.ndim(given[0]) == 0) else list(given)
    offsets = [int(k) for k in np.reshape(offsets, -1)]
    lines = [np.reshape(floats(row), -1) for row in given]
    if shape is None:
        side = lines[0].shape[0] + abs(offsets[0])
        shape = side, side
    parts = []
    for line, offset in zip(lines, offsets, strict=True):
        count = min(shape[0] + min(offset, 0), shape[1] - max(offset, 0))
        if line.shape[0] not in (1, count):
            raise ValueError(
                f"the diagonal at offset {offset} has {line.shape[0]} entries, where {count} or 1"
                " are meant"
            )
        along = np.arange(count)
        parts.append(
            (np.broadcast_to(line, (count,)), along - min(offset, 0), along + max(offset, 0))
        )
    entries, rows, columns = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    return TracedSparse(entries, rows, columns, tuple(shape), made_by)


@traced(sparse.diags_array)
def diags_array(
    diagonals_: Any,
    /,
    *,
    offsets: Any = 0,
    shape: Any = None,
    format: Any = None,
    dtype: Any = None,
) -> Any:
    """`scipy.sparse.diags_array` of traced diagonals."""
    return diagonals(sparse.dia_array, diagonals_, offsets, shape)


@traced(sparse.diags)
def diags(
    diagonals_: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    """`scipy.sparse.diags` of traced diagonals."""
    return diagonals(sparse.dia_matrix, diagonals_, offsets, shape)


def as_matrix(block: Any) -> TracedSparse:
    """A block, sparse or dense, by its entries; of a dense one all are kept."""
    if is_sparse(block):
        return as_entries(block).stored
    block = floats(block)
    dense = block if block.ndim == 2 else np.reshape(block, (1, -1))
    rows, columns = np.indices(dense.shape).reshape(2, -1)
    return TracedSparse(np.reshape(dense, -1), rows, columns, dense.shape, sparse.coo_array)


@traced(sparse.block_array)
def block_array(blocks: Any, *, format: Any = None, dtype: Any = None) -> Any:
    """`scipy.sparse.block_array` of blocks, of which None are zero."""
    made = [[None if block is None else as_matrix(block) for block in row] for row in blocks]
    heights = [next(block.shape[0] for block in row if block is not None) for row in made]
    widths = [
        next(block.shape[1] for block in column if block is not None)
        for column in zip(*made, strict=True)
    ]
    tops, lefts = (np.concatenate([[0], np.cumsum(sizes)]) for sizes in (heights, widths))
    parts = []
    for i, row in enumerate(made):
        for j, block in enumerate(row):
            if block is None:
                continue
            if block.shape != (heights[i], widths[j]):
                raise ValueError(
                    f"the block [{i}][{j}] has shape {block.shape}, where {heights[i], widths[j]}"
                    " is meant"
                )
            parts.append((block.entries, block.rows + tops[i], block.columns + lefts[j]))
    entries, rows, columns = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    return TracedSparse(entries, rows, columns, (int(tops[-1]), int(lefts[-1])), sparse.coo_array)


@traced(sparse.bmat)
def bmat(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """`scipy.sparse.bmat` of blocks, of which None are zero."""
    return block_array(blocks)


@traced(sparse.hstack)
def hstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """`scipy.sparse.hstack`: matrices beside each other."""
    return block_array([list(blocks)])


@traced(sparse.vstack)
def vstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """`scipy.sparse.vstack`: matrices one below the other."""
    return block_array([[block] for block in blocks])


@traced(sparse.block_diag)
def block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    """`scipy.sparse.block_diag`: matrices along the diagonal."""
    mats = [as_matrix(block) for block in mats]

    def block(one: TracedSparse, other: TracedSparse) -> Any:
        empty: Any = sparse.coo_array
        return one if one is other else empty((one.shape[0], other.shape[1]))

    return block_array([[block(one, other) for other in mats] for one in mats])


@traced(sparse.kron)
def kron(A: Any, B: Any, format: Any = None) -> Any:
    """`scipy.sparse.kron`: each entry of the one times the other matrix."""
    one, other = as_matrix(A), as_matrix(B)
    entries = np.reshape(one.entries[:, None] * other.entries[None, :], -1)
    rows = (one.rows[:, None] * other.shape[0] + other.rows).reshape(-1)
    columns = (one.columns[:, None] * other.shape[1] + other.columns).reshape(-1)
    shape = one.shape[0] * other.shape[0], one.shape[1] * other.shape[1]
    is_dense = 2 * other.nnz >= other.shape[0] * other.shape[1]
    return TracedSparse(
        entries, rows, columns, shape, of_format(sparse.coo_array, "bsr" if is_dense else "coo")
    )


def triangle(keep: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A function that keeps the entries at some positions."""

    def kept(A: Any, k: int = 0, format: Any = None) -> Any:
        matrix = as_matrix(A)
        chosen = np.flatnonzero(keep(matrix.columns - matrix.rows, k))
        parts = matrix.entries[chosen], matrix.rows[chosen], matrix.columns[chosen]
        return TracedSparse(*parts, matrix.shape, of_format(matrix.made_by, "coo"))

    return kept


tril = traced(sparse.tril)(triangle(np.less_equal))
triu = traced(sparse.triu)(triangle(np.greater_equal))


def issparse(x: Any) -> bool:
    """`scipy.sparse.issparse`, also of matrices of traced entries."""
    return is_sparse(x)
