"""The adjoint of broadcasting: sum a cotangent over the axes that broadcasting added.

Always one reduction over all added axes. Which one follows from the two shapes alone, so the answer
is cached:

    reshape    only axes of length one were added
    all        (m, n) -> ()        a parameter that is a number
    leading    (m, n) -> (n,)      the bias of a batch
    trailing   (m, n) -> (m, 1)    a factor per row
    middle     (k, m, n) -> (k, 1, n)
    axes       anything else
"""

from functools import lru_cache
from math import prod
from typing import Any, Literal, NamedTuple

import numpy as np

from chainrules_py.projection.space import projection_error
from chainrules_py.values.arrays import is_numpys

# NumPy sums a row pairwise, a product does not: beyond this the product would be less accurate
_LONGEST_ROW = 4096


class Reduction(NamedTuple):
    """The sum that undoes a broadcast, over `axes`, or over rows or columns of a matrix."""

    kind: Literal["reshape", "all", "leading", "trailing", "middle", "axes"]
    axes: tuple[int, ...]
    matrix: tuple[int, ...] = ()
    length: int = 0


def unbroadcast(x_bar, shape: tuple[int, ...], xp) -> Any:
    """The sum of `x_bar` over the axes that broadcasting from `shape` added; keeps the dtype.

    >>> unbroadcast(np.ones((2, 3)), (3,), np)
    array([2., 2., 2.])
    """
    if x_bar.shape == shape:
        return x_bar
    reduction = _reduction(x_bar.shape, shape)
    if reduction is None:
        raise projection_error(
            shape, x_bar, f"pass a cotangent whose shape comes from {shape} by broadcasting"
        )
    if reduction.kind != "reshape":
        if type(x_bar) is np.ndarray or is_numpys(x_bar):
            x_bar = _sum_numpy(x_bar, reduction)
        else:
            x_bar = xp.sum(x_bar, axis=reduction.axes)
    return x_bar if x_bar.shape == shape else x_bar.reshape(shape)


@lru_cache(maxsize=512)
def _reduction(wide: tuple[int, ...], shape: tuple[int, ...]) -> Reduction | None:
    """The reduction from `wide` to `shape`; None where `shape` does not broadcast to `wide`."""
    new = len(wide) - len(shape)
    if new < 0 or any(n not in (1, m) for n, m in zip(shape, wide[new:], strict=True)):
        return None
    axes = (
        *range(new),
        *(axis for axis in range(new, len(wide)) if shape[axis - new] != wide[axis]),
    )
    if all(wide[axis] == 1 for axis in axes):
        return Reduction("reshape", axes)
    return (None if 0 in wide else _consecutive(wide, axes)) or Reduction("axes", axes)


def _consecutive(wide: tuple[int, ...], axes: tuple[int, ...]) -> Reduction | None:
    count, ndim = len(axes), len(wide)
    if count == ndim:
        return Reduction("all", axes, (prod(wide),), prod(wide))
    head, tail = prod(wide[: axes[-1] + 1]), prod(wide[axes[0] :])
    if axes == tuple(range(count)):
        return Reduction("leading", axes, (head, prod(wide[count:])), head)
    if axes == tuple(range(ndim - count, ndim)):
        return Reduction("trailing", axes, (prod(wide[:-count]), tail), tail)
    if axes == tuple(range(axes[0], axes[0] + count)):
        length = prod(wide[axes[0] : axes[0] + count])
        return Reduction("middle", axes, (prod(wide[: axes[0]]), length, tail // length), length)
    return None


def _sum_numpy(x_bar, reduction: Reduction) -> Any:
    # Products with ones: 0.25 us where add.reduce takes 0.7 us on (2, 3), 15 us where it takes 130
    # us on (10000, 10), and 8 us where it takes 65 on (5, 1000, 10) with the middle axis to go.
    # Only for real BLAS types: a complex product would make nan of inf + 0j.
    kind, axes, matrix, length = reduction
    char = x_bar.dtype.char
    if (char != "d" and char != "f") or kind == "axes" or not x_bar.flags.c_contiguous:
        return np.add.reduce(x_bar, axis=axes)
    if kind == "middle":
        if length > _LONGEST_ROW:
            return np.add.reduce(x_bar, axis=axes)
        return np.matmul(_ones(length, char), x_bar.reshape(matrix))
    # the method takes half of the time of the function, which asks its operands
    dot = np.ndarray.dot if type(x_bar) is np.ndarray else np.dot
    if length > _LONGEST_ROW:
        if kind == "leading":
            return dot(np.ones(length, char), x_bar.reshape(matrix))
        return np.add.reduce(x_bar, axis=axes)
    if x_bar.ndim > 2 or kind == "all":
        x_bar = x_bar.reshape(matrix)
    ones = _ones(length, char)
    return dot(ones, x_bar) if kind == "leading" else dot(x_bar, ones)


@lru_cache(maxsize=256)
def _ones(length: int, char: str) -> Any:
    ones = np.ones(length, char)
    ones.flags.writeable = False
    return ones
