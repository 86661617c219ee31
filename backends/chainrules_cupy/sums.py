"""Sums that keep a device busy.

CuPy's reduction kernels give each block of threads some of the results, 32 of them where these lie side by side. So a large
array whose leading axes are summed to few numbers is read by a handful of blocks while the rest of the device is idle.
(Sums over all axes, or over trailing ones, are CUB's, in any number of blocks.) Two sums, first within slices of the rows and
then over the slices, read it with all of them.
"""

from math import prod
from typing import Any

Shape = tuple[int, ...]

LARGE = 2**18  # entries; below, one launch more costs more than idle blocks do
FEW = 2048  # results: 64 blocks, on devices that run some hundreds at a time
SLICES = 256


def is_starved(given: Shape, left: Shape) -> bool:
    """Whether a reduction kernel would sum an array to a smaller one in too few blocks."""
    return prod(left) < FEW and prod(given) >= LARGE


def total(cp: Any, a: Any, axis: Any = None, **options: Any) -> Any:
    """The sum over axes, in two steps where one would take long."""
    count = leading(axis, a.ndim) if not options.keys() - {"keepdims"} else 0
    left = a.shape[count:]
    if not 0 < count < a.ndim or not is_starved(a.shape, left) or a.dtype.char not in "fdFD" or not a.flags.c_contiguous:
        return cp.sum(a, axis=axis, **options)
    kept = (1,) * count if options.get("keepdims") else ()
    return sum_of_rows(cp, a.reshape(prod(a.shape[:count]), prod(left))).reshape(kept + left)


def leading(axis: Any, ndim: int) -> int:
    """How many axes are summed, if these are the first ones; 0 for others."""
    if axis is None:
        return 0
    axes = sorted(k % ndim for k in (axis if isinstance(axis, tuple) else (axis,)))
    return len(axes) if axes == list(range(len(axes))) else 0


def sum_of_rows(cp: Any, rows: Any) -> Any:
    """The sum over the first of two axes; rows that make no whole slice are added in the end."""
    length, width = rows.shape[0] // SLICES, rows.shape[1]
    sliced = cp.sum(cp.sum(rows[: SLICES * length].reshape(SLICES, length, width), axis=1), axis=0)
    rest = rows[SLICES * length :]
    return sliced + cp.sum(rest, axis=0) if rest.shape[0] else sliced
