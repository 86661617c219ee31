"""Where a NumPy view lies in memory, by offset and strides, and the view of the same place in other memory."""

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
    if view is root or (view.strides == root.strides and view.shape == root.shape and view.dtype == root.dtype):
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
    return np.ndarray(shape, dtype, root, offset, strides) if 0 not in shape else np.empty(shape, dtype)
