"""Where a NumPy view lies in memory, and the view of the same place in another block of memory."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.values.arrays import call, held_array, making


class Region(NamedTuple):
    """The place of a view in a contiguous block of memory; None stands for the whole block."""

    shape: tuple[int, ...]
    dtype: Any
    offset: int
    strides: tuple[int, ...]


def region_of(view: np.ndarray, root: np.ndarray, start: int | None = None) -> Region | None:
    """The region of a contiguous array, whose address is `start`, in which a view of it lies.

    >>> root = np.arange(6.0)
    >>> view_at(root, region_of(root[1::2], root))
    array([1., 3., 5.])
    """
    if view is root:
        return None
    if view.strides == root.strides and view.shape == root.shape and view.dtype == root.dtype:
        return None
    if start is None:
        start = address(root)
    return Region(view.shape, view.dtype, address(view) - start, view.strides)


def address(array: np.ndarray) -> int:
    """The address of the first entry of an array."""
    return held_array(array).__array_interface__["data"][0]


def view_at(root, region: Region | None) -> Any:
    """The view of a region of a contiguous array; a region without entries is a new array."""
    if region is None:
        return root
    shape, dtype, offset, strides = region
    if 0 in shape:
        return making.made(np.empty, shape, dtype)
    return new_view(root, shape, dtype, offset, strides)


def new_view(root, shape: tuple[int, ...], dtype, offset: int, strides: tuple[int, ...]) -> Any:
    """An array in the memory of a contiguous array."""
    if type(root) is np.ndarray:
        return np.ndarray(shape, dtype, root, offset, strides)
    return call(np.ndarray, shape, dtype, root, offset, strides)


@lru_cache(4096)
def overlaps(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether a view may show an entry of the memory twice, as broadcast arrays do.

    >>> overlaps((2, 3), (0, 8), 8), overlaps((2, 3), (24, 8), 8), overlaps((2, 3), (8, 8), 8)
    (True, False, True)
    """
    axes = [(abs(stride), n) for stride, n in zip(strides, shape, strict=True) if n > 1]
    reach = itemsize
    for stride, n in sorted(axes):
        if stride < reach:
            return 0 not in shape
        reach = stride * (n - 1) + reach
    return False


def is_broadcast(view: np.ndarray) -> bool:
    """Whether a view has the same entries again and again along some axis.

    >>> is_broadcast(np.broadcast_to(1.0, 3)), is_broadcast(np.zeros((1, 3)))
    (True, False)
    """
    return any(stride == 0 and n > 1 for stride, n in zip(view.strides, view.shape, strict=True))


def index_of_distinct(view: np.ndarray) -> tuple[slice, ...]:
    """The index that takes one entry of each axis that was broadcast, and all of the others."""
    return tuple([slice(0, 1) if stride == 0 else slice(None) for stride in view.strides])


def flat_positions(region: Region, nbytes: int) -> tuple[np.ndarray, Region]:
    """The positions of a region's entries in memory of so many bytes, and the region of it all.

    Positions count entries of the region's dtype.
    """
    size = region.dtype.itemsize
    positions = np.full(region.shape, region.offset // size)
    for axis, (n, stride) in enumerate(zip(region.shape, region.strides, strict=True)):
        steps = np.arange(n) * (stride // size)
        positions += steps.reshape((n,) + (1,) * (positions.ndim - axis - 1))
    return positions, Region((nbytes // size,), region.dtype, 0, (size,))
