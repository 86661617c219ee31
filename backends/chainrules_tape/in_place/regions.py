"""Where a NumPy view lies in memory, by offset and strides, and the view of the same place in other
memory.
"""

from typing import Any, NamedTuple

import numpy as np


class Region(NamedTuple):
    """Where a view lies in a contiguous block of memory; of the whole block there is None."""

    shape: tuple[int, ...]
    dtype: Any
    offset: int
    strides: tuple[int, ...]


def region_of(view: np.ndarray, root: np.ndarray) -> Region | None:
    """Where a view of an array lies in that.

    >>> root = np.arange(6.0)
    >>> part(root, region_of(root[1::2], root))
    array([1., 3., 5.])
    """
    if view is root or (
        view.strides == root.strides and view.shape == root.shape and view.dtype == root.dtype
    ):
        return None
    return Region(view.shape, view.dtype, address(view) - address(root), view.strides)


def address(array: np.ndarray) -> int:
    """Where the first entry of an array is."""
    start: int = array.__array_interface__["data"][0]
    return start


def part(root: Any, region: Region | None) -> Any:
    """The view at a place of a contiguous array; of no entries an array of its own."""
    if region is None:
        return root
    shape, dtype, offset, strides = region
    return (
        np.ndarray(shape, dtype, root, offset, strides)
        if 0 not in shape
        else np.empty(shape, dtype)
    )


def overlaps(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether a view may have an entry of the memory twice, as what was broadcast has.

    >>> overlaps((2, 3), (0, 8), 8), overlaps((2, 3), (24, 8), 8), overlaps((2, 3), (8, 8), 8)
    (True, False, True)
    """
    reach = itemsize
    for stride, n in sorted(
        (abs(stride), n) for stride, n in zip(strides, shape, strict=True) if n > 1
    ):
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


def once_in(view: np.ndarray) -> tuple[slice, ...]:
    """The index that selects what was broadcast once."""
    return tuple([slice(0, 1) if stride == 0 else slice(None) for stride in view.strides])


def flat_positions(region: Region, nbytes: int) -> tuple[np.ndarray, Region]:
    """Where the entries of a region are among all entries of its dtype in memory of so many bytes,
    and the region of these.
    """
    size = region.dtype.itemsize
    positions = np.full(region.shape, region.offset // size)
    for axis, (n, stride) in enumerate(zip(region.shape, region.strides, strict=True)):
        positions += (np.arange(n) * (stride // size)).reshape(
            (n,) + (1,) * (len(region.shape) - axis - 1)
        )
    return positions, Region((nbytes // size,), region.dtype, 0, (size,))
