"""Write known positions along an axis as a few slices of neighbours.

Where a few slices do, no index array is made, nor copied to a device; slices are also read and
written faster than an index.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

MOST = 4  # each run is a slice and, on a device, a launch: an index costs about as much as two


def runs(positions) -> list[slice] | None:
    """The slices that read ascending neighbours, in order; None where there are more than `MOST`.

    >>> runs(np.array([0, 1, 4, 5, 6]))
    [slice(0, 2, None), slice(4, 7, None)]
    """
    ends = (positions[1:] != positions[:-1] + 1).nonzero()[0].tolist()
    if len(ends) >= MOST:
        return None
    bounds = pairwise((0, *(end + 1 for end in ends), len(positions)))
    firsts = ((int(positions[start]), stop - start) for start, stop in bounds if start < stop)
    return [slice(first, first + count) for first, count in firsts]


def index_along(axis: int, index) -> tuple[Any, ...]:
    """The index that reads `index` on one axis, counted from the front."""
    return (*(slice(None),) * axis, index)


def read_runs(x, positions, axis: int, xp) -> Any:
    """The entries at `positions` of an axis."""
    found = runs(positions)
    if found is None:
        return x[index_along(axis, positions)]
    parts = [x[index_along(axis, run)] for run in found or [slice(0, 0)]]
    return parts[0] if len(parts) == 1 else xp.concatenate(parts, axis=axis)


def spread_runs(y, found: list[slice], length: int, axis: int, xp) -> Any:
    """The adjoint of reading ascending runs of an axis of this length: their entries, with zeros
    between them.
    """
    parts = list(_with_gaps(y, found, length, axis, xp))
    return parts[0] if len(parts) == 1 else xp.concatenate(parts, axis=axis)


def _with_gaps(y, found: list[slice], length: int, axis: int, xp) -> Iterator[Any]:
    taken = end = 0
    for run in [*found, slice(length, length)]:
        if run.start > end or length == 0:
            yield xp.zeros((*y.shape[:axis], run.start - end, *y.shape[axis + 1 :]), y.dtype)
        if run.stop > run.start:
            yield y[index_along(axis, slice(taken, taken + run.stop - run.start))]
        taken, end = taken + run.stop - run.start, run.stop
