"""Writing entries of arrays by the standard's functions, which write nothing: sums of what is taken
from the values.
"""

from math import prod
from typing import Any

import numpy as np

from chainrules_array_api.standard_array import StandardArray, array_of, namespace_of, wrapped


def added_to_zeros(values: Any, index: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros of a shape and dtype with `values` added at `index`: `scatter_add` for arrays of the
    standard.
    """
    xp = namespace_of((values,))
    positions = np.arange(prod(shape)).reshape(shape)[plain_index(index)]
    flat = xp.reshape(xp.broadcast_to(array_of(xp, values, dtype), positions.shape), (-1,))
    # from the entry more, which is zero
    extended = xp.concat([flat, xp.zeros((1,), dtype=flat.dtype)])
    parts = [
        xp.take(extended, xp.asarray(origins), axis=0)
        for origins in origins_of(positions.reshape(-1), prod(shape))
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return wrapped(xp.reshape(total, shape))


def origins_of(positions: Any, size: int) -> list[Any]:
    """For each round of entries that share a position, the entry that goes to each position; one
    past the last where none.
    """
    order = np.argsort(positions, kind="stable")
    counts = np.bincount(positions, minlength=size)
    rounds = np.empty(len(positions), int)
    rounds[order] = np.arange(len(positions)) - np.repeat(np.cumsum(counts) - counts, counts)
    found = []
    for k in range(max(1, int(counts.max(initial=0)))):
        origins = np.full(size, len(positions))
        origins[positions[rounds == k]] = np.flatnonzero(rounds == k)
        found.append(origins)
    return found


def written(a: Any, index: Any, values: Any) -> Any:
    """A copy of `a` with ``a[index] = values``: `replaced` for arrays of the standard."""
    xp, index = namespace_of((a, values)), plain_index(index)
    last = np.full(np.shape(a), -1)
    positions = np.arange(last.size).reshape(last.shape)[index]
    last[index] = np.arange(positions.size).reshape(positions.shape)
    dtype = np.result_type(a.dtype, values.dtype if hasattr(values, "dtype") else values)
    flat = xp.reshape(xp.broadcast_to(array_of(xp, values, dtype), positions.shape), (-1,))
    if not positions.size:
        return a
    taken = xp.reshape(
        xp.take(flat, xp.asarray(np.maximum(last, 0).reshape(-1)), axis=0), last.shape
    )
    return wrapped(xp.where(xp.asarray(last >= 0), taken, array_of(xp, a, dtype)))


def plain_index(index: Any) -> Any:
    """An index with NumPy's arrays for those of integers and masks."""
    if isinstance(index, tuple):
        return tuple(map(plain_index, index))
    return np.asarray(index) if type(index) is StandardArray else index
