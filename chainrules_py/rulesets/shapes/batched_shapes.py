"""Shapes of many examples at once: axes of one example are counted from the end."""

import math
import operator
from typing import Any

import numpy as np

from chainrules_py import Array, axes_rule, batched
from chainrules_py.batching.along_axes import Moves, from_the_end
from chainrules_py.batching.lanes import (
    Lanes,
    behind_lanes,
    flat_lanes,
)
from chainrules_py.batching.parts import parts_in_lanes
from chainrules_py.batching.words import in_a_loop
from chainrules_py.rulesets.shapes.batched_layouts import (
    in_order_of,
    is_in_order,
    laid_out,
    order_in_lanes,
)
from chainrules_py.values.arrays import common_namespace

MOVES = Moves()

axes_rule(np.flip, kind="moves")
axes_rule(np.rot90, kind="moves", axes=("axes",), default=(0, 1))
axes_rule(np.swapaxes, kind="moves", axes=("axis1", "axis2"))
axes_rule(np.moveaxis, kind="moves", axes=("source", "destination"))
axes_rule(np.expand_dims, kind="moves", in_result=True)
axes_rule(np.repeat, kind="moves", flat=True)
axes_rule(np.lib.stride_tricks.sliding_window_view, kind="moves")
axes_rule(np.matrix_transpose, kind="stacked")
axes_rule(np.astype, kind="elementwise", arguments=2)


# --- The same entries in the same order ---


@batched.register(np.reshape, axes=MOVES)
def reshape_batched(
    lanes: Lanes,
    a: Array,
    *,
    shape,
    order: str = "C",
    copy: bool | None = None,
    xp,
):
    """Reshape each lane; -1 is computed here, since an array without lanes leaves it open."""
    own = whole_shape(shape, a.shape[1:])
    order = order_in_lanes(a, order)
    if copy:
        a = laid_out(a, "C", xp)
    if order == "C":
        return a.reshape((a.shape[0], *own))
    if order == "F":
        return reversed_in_lanes(reversed_in_lanes(a, xp).reshape((a.shape[0], *own[::-1])), xp)
    return in_a_loop(np.reshape, lanes)(a, shape=shape, order=order)  # which NumPy refuses


def whole_shape(shape, old: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that a reshape of an array of shape `old` gives, with -1 computed."""
    asked = tuple(map(operator.index, shape)) if np.ndim(shape) else (operator.index(shape),)
    new = asked
    size, known = math.prod(old), math.prod(length for length in new if length != -1)
    if -1 in new and known and size % known == 0:
        new = tuple([size // known if length == -1 else length for length in new])
    if -1 in new or math.prod(new) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {asked}")
    return new


def reversed_in_lanes(a, xp) -> Any:
    """An array with the axes of each lane in reversed order."""
    return xp.transpose(a, (0, *range(a.ndim - 1, 0, -1)))


@batched.register(np.ravel, axes=MOVES)
def ravel_batched(lanes: Lanes, a: Array, *, order: str = "C", xp):
    """Make each lane flat; as in NumPy, a view if it lies in memory without gaps, else a copy."""
    has_memory = hasattr(a, "strides")
    order = order_in_lanes(a, order)
    if order == "F":
        a = reversed_in_lanes(a, xp)
    elif order == "K" and has_memory:
        axes = sorted(range(1, a.ndim), key=lambda axis: -abs(a.strides[axis]))
        a = xp.transpose(a, (0, *axes))
    if has_memory and not is_in_order(a, "C"):
        a = laid_out(a, "C", xp)
    return flat_lanes(a)


@batched.register(np.squeeze, axes=MOVES)
def squeeze_batched(lanes: Lanes, a: Array, *, axis: Any = None, xp):
    """Remove axes of each lane."""
    rank = a.ndim - 1
    if axis is None:
        axis = tuple([place - rank for place in range(rank) if a.shape[place + 1] == 1])
    return xp.squeeze(a, axis=from_the_end(axis, rank))


# --- Axes in another order ---


@batched.register(np.transpose, axes=MOVES)
def transpose_batched(lanes: Lanes, a: Array, *, axes: Any = None, xp):
    """Permute the axes behind the lanes."""
    rank = a.ndim - 1
    if axes is None:
        return reversed_in_lanes(a, xp)
    axes = axes if np.ndim(axes) else (axes,)
    if len(axes) != rank:
        raise ValueError("axes don't match array")
    return xp.transpose(a, (0, *[axis + 1 + rank for axis in from_the_end(axes, rank)]))


@batched.register(np.roll, axes=MOVES)
def roll_batched(lanes: Lanes, a: Array, *, shift, axis: Any = None, xp):
    """Shift along axes of each lane, or the flat lanes."""
    if axis is not None:
        return xp.roll(a, shift, axis=from_the_end(axis, a.ndim - 1))
    flat = flat_lanes(a)
    total = sum(map(operator.index, np.atleast_1d(shift)))
    return xp.roll(flat, total, axis=-1).reshape(a.shape)


# --- Entries repeated ---


@batched.register(np.broadcast_to, axes=MOVES)
def broadcast_to_batched(lanes: Lanes, array: Array, *, shape, subok: bool = False, xp):
    """Broadcast each lane."""
    own = tuple(shape) if np.ndim(shape) else (shape,)
    return xp.broadcast_to(behind_lanes(array, len(own)), (array.shape[0], *own))


# --- Joining ---


@batched.register(np.concatenate, axes=MOVES)
def concatenate_batched(lanes: Lanes, arrays: object, *, axis: int | None = 0, **options):
    """Join along an axis of each lane."""
    parts = parts_in_lanes(lanes[0], arrays)
    xp = common_namespace(parts)
    if axis is None:
        parts = [flat_lanes(part) for part in parts]
        axis = 0
    return xp.concatenate(parts, axis=from_the_end(axis, parts[0].ndim - 1), **options)


@batched.register(np.stack, axes=MOVES)
def stack_batched(lanes: Lanes, arrays: object, *, axis: int = 0, **options):
    """Stack along a new axis of each lane."""
    parts = parts_in_lanes(lanes[0], arrays)
    xp = common_namespace(parts)
    return xp.stack(parts, axis=from_the_end(axis, parts[0].ndim), **options)


# --- Diagonals ---


@batched.register(np.diagonal, axes=MOVES)
def diagonal_batched(
    lanes: Lanes, a: Array, *, offset: int = 0, axis1: int = 0, axis2: int = 1, xp
):
    """Read the diagonal of two axes of each lane."""
    rank = a.ndim - 1
    return xp.diagonal(
        a, offset=offset, axis1=from_the_end(axis1, rank), axis2=from_the_end(axis2, rank)
    )


@batched.register(np.diag, axes=MOVES)
def diag_batched(lanes: Lanes, v: Array, *, k: int = 0, xp):
    """Read the diagonal of matrices, and write vectors onto one."""
    if v.ndim == 3:
        return xp.diagonal(v, offset=k, axis1=1, axis2=2)
    if v.ndim != 2:
        raise ValueError("Input must be 1- or 2-d.")
    return on_diagonals(v, k, xp)


def on_diagonals(v, k: int, xp) -> Any:
    """Matrices with these vectors on the diagonal k, and zeros."""
    size = v.shape[1] + abs(k)
    padded = xp.pad(v, ((0, 0), (max(-k, 0), max(k, 0))))
    return xp.where(np.eye(size, k=k, dtype=bool), padded[:, :, None], xp.zeros((), v.dtype))


def triangle_in_lanes(name: str) -> None:
    """Register a triangle of each lane; a vector is a row that is repeated."""

    @batched.register(getattr(np, name), axes=MOVES)
    def triangle_batched(lanes: Lanes, m: Array, *, k: int = 0, xp):
        return getattr(xp, name)(as_matrices(m, xp), k=k)


triangle_in_lanes("tril")
triangle_in_lanes("triu")


def as_matrices(m, xp) -> Any:
    """Matrices as they are, and the square matrices of which each row is a vector."""
    if m.ndim != 2:
        return m
    return xp.broadcast_to(m[:, None, :], (m.shape[0], m.shape[1], m.shape[1]))


# --- Entries left out ---


@batched.register(np.delete, axes=MOVES)
def delete_batched(lanes: Lanes, arr: Array, *, obj, axis: Any = None, xp):
    """Delete along an axis of each lane."""
    if axis is None:
        arr, axis = flat_lanes(arr), 0
    return in_order_of(arr, xp.delete(arr, obj, axis=from_the_end(axis, arr.ndim - 1)), xp)
