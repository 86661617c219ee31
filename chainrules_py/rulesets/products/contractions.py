"""Contractions over chosen axes: products of matrices, whose rows and columns are the other axes."""

from math import prod
from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, composed
from chainrules_py.values.arrays import shape_of

Axes = tuple[list[int], list[int]]


def free_axes(ndim: int, contracted: list[int]) -> list[int]:
    """The axes that are left."""
    return [axis for axis in range(ndim) if axis not in contracted]


def tensordot_axes(axes, a: tuple[int, ...], b: tuple[int, ...]) -> Axes:
    """The contracted axes of arrays of these shapes, counted from the front."""
    ndim_a, ndim_b = len(a), len(b)
    if np.ndim(axes) == 0:
        return list(range(ndim_a - axes, ndim_a)), list(range(axes))
    of_a, of_b = ([one] if np.ndim(one) == 0 else list(one) for one in axes)
    return [axis % ndim_a for axis in of_a], [axis % ndim_b for axis in of_b]


@composed(np.tensordot)
def tensordot(a: Array | Scalar, b: Array | Scalar, *, axes: Any = 2, xp) -> Any:
    """The contracted axes are the columns of one matrix, and the rows of the other."""
    of_a, of_b = shape_of(a), shape_of(b)
    summed_a, summed_b = tensordot_axes(axes, of_a, of_b)
    lengths = [of_a[k] for k in summed_a]
    if lengths != [of_b[k] for k in summed_b]:
        np.tensordot(np.broadcast_to(0, of_a), np.broadcast_to(0, of_b), axes)  # for its error
    free_a, free_b = free_axes(len(of_a), summed_a), free_axes(len(of_b), summed_b)
    rows, columns = tuple([of_a[k] for k in free_a]), tuple([of_b[k] for k in free_b])
    left = with_axes_and_shape(a, [*free_a, *summed_a], (prod(rows), prod(lengths)), xp)
    right = with_axes_and_shape(b, [*summed_b, *free_b], (prod(lengths), prod(columns)), xp)
    return with_axes_and_shape(xp.matmul(left, right), [0, 1], rows + columns, xp)


def with_axes_and_shape(x, axes: list[int], shape: tuple[int, ...], xp) -> Any:
    """An array with its axes in this order, in another shape."""
    ordered = x if axes == sorted(axes) else xp.transpose(x, axes)
    return ordered if shape_of(ordered) == shape else xp.reshape(ordered, shape)


@composed(np.dot)
def dot(a: Array | Scalar, b: Array | Scalar, *, xp) -> Any:
    """The last axis of one with the last but one of the other; with the only one of a vector."""
    a_rank, b_rank = len(shape_of(a)), len(shape_of(b))
    if not a_rank or not b_rank:
        return xp.multiply(*[xp.reshape(x, shape_of(x)) for x in (a, b)])  # numbers as arrays
    return xp.matmul(a, b) if b_rank < 3 else tensordot(a, b, axes=([-1], [-2]), xp=xp)


@composed(np.inner)
def inner(a: Array | Scalar, b: Array | Scalar, *, xp) -> Any:
    """The last axes of both: `dot`, with the last two axes of `b` swapped; of a number, a multiple."""
    is_swapped = shape_of(a) and len(shape_of(b)) > 1
    return xp.dot(a, xp.swapaxes(b, -1, -2) if is_swapped else b)
