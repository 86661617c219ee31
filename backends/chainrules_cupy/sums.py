"""Sums that keep a device busy.

CuPy's reduction kernels give each block of threads some of the results, 32 of them where these lie
side by side. So a large array whose leading axes are summed to few numbers is read by a handful of
blocks while the rest of the device is idle. (Sums over all axes, or over trailing ones, are CUB's,
in any number of blocks.) Two sums, first within slices of the rows and then over the slices, read
it with all of them. So it is for sums of what the same kernel computes.
"""

from math import prod
from typing import Any

from chainrules_py.annotations import Function

Shape = tuple[int, ...]

# As measured on an H100 (`python -m benchmarks.gpu_sums`): two steps take the host 60 us longer than
# one, and one takes the device longer than that from so many entries on, where so many or more are
# summed to each of so few results.
LARGE = 2**18
LONG = 2**13
FEW = 4096

FEW_SLICES, MANY_SLICES = 256, 1024
NARROW = 32  # results: what one block gives, which so is idle unless there are many slices


def is_starved(given: Shape, left: Shape) -> bool:
    """Tell whether a reduction kernel would sum an array to a smaller one in too few blocks."""
    entries, results = prod(given), prod(left)
    return results < FEW and entries >= LARGE and entries >= LONG * results


def slices_for(results: int) -> int:
    """Into how many slices the rows are cut."""
    return MANY_SLICES if results < NARROW else FEW_SLICES


def total(cp, a, axis: Any = None, **options) -> Any:
    """The sum over axes, in two steps where one would take long."""
    count = leading(axis, a.ndim) if not options.keys() - {"keepdims"} else 0
    left = a.shape[count:]
    if (
        not 0 < count < a.ndim
        or not is_starved(a.shape, left)
        or a.dtype.char not in "fdFD"
        or not a.flags.c_contiguous
    ):
        return cp.sum(a, axis=axis, **options)
    kept = (1,) * count if options.get("keepdims") else ()
    return sum_of_rows(cp, a.reshape(prod(a.shape[:count]), prod(left))).reshape(kept + left)


def leading(axis, ndim: int) -> int:
    """How many axes are summed, if these are the first ones; 0 for others."""
    if axis is None:
        return 0
    axes = sorted(k % ndim for k in (axis if isinstance(axis, tuple) else (axis,)))
    return len(axes) if axes == list(range(len(axes))) else 0


def sum_of_rows(cp, rows) -> Any:
    """The sum over the first of two axes; rows that make no whole slice are added in the end."""
    width = rows.shape[1]
    slices = slices_for(width)
    length, rest = divmod(rows.shape[0], slices)
    whole = rows[:-rest] if rest else rows
    total = cp.sum(cp.sum(whole.reshape(slices, length, width), axis=1), axis=0)
    return total + cp.sum(rows[-rest:], axis=0) if rest else total


def in_slices(wide: Shape, axes: tuple[int, ...]) -> bool:
    """Tell whether the first axis is summed, and can be cut into slices."""
    return axes[:1] == (0,) and wide[0] >= 2 * slices_for(results_of(wide, axes))


def results_of(wide: Shape, axes: tuple[int, ...]) -> int:
    """How many results a sum over axes has."""
    return prod([length for axis, length in enumerate(wide) if axis not in axes])


def sum_of_products(
    cp,
    kernel: Function,
    operands: tuple[Any, ...],
    wide: Shape,
    axes: tuple[int, ...],
) -> Any:
    """The sum over axes of what a reduction kernel makes of operands that broadcast to `wide`, in
    two steps.
    """
    slices = slices_for(results_of(wide, axes))
    count = wide[0] - wide[0] % slices
    inner = tuple(axis + 1 for axis in axes)
    parts = kernel(*[sliced(x, len(wide), count, slices) for x in operands], axis=inner)
    total = cp.sum(parts, axis=0)
    if count == wide[0]:
        return total
    return total + kernel(
        *[x[count:] if has_rows(x, len(wide)) else x for x in operands], axis=axes
    )


def sliced(x, ndim: int, count: int, slices: int) -> Any:
    """The first rows of an operand, cut into slices; what is the same for all rows stays so."""
    if has_rows(x, ndim):
        return x[:count].reshape(slices, count // slices, *x.shape[1:])
    return x[None] if getattr(x, "ndim", 0) == ndim else x


def has_rows(x, ndim: int) -> bool:
    """Tell whether an operand has a first axis of its own among `ndim` axes."""
    return getattr(x, "ndim", 0) == ndim and x.shape[0] != 1
