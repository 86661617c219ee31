"""Writing entries, with functions of the array API standard, none of which writes into an array.

Which value goes to which entry is found out in NumPy, from the index alone. Then each entry of the
result takes its value by `take`, the only way to read at positions that the standard has.
"""

from math import prod
from typing import Any

import numpy as np

from chainrules_array_api.standard_array import StandardArray, array_of, namespace_of, wrapped


def added_to_zeros(values, index, shape: tuple[int, ...], dtype) -> Any:
    """Zeros of a shape and dtype with `values` added at `index`: `scatter_add` for arrays of the
    standard.
    """
    xp = namespace_of((values,))
    positions = np.arange(prod(shape)).reshape(shape)[plain_index(index)]
    flat = xp.reshape(xp.broadcast_to(array_of(xp, values, dtype), positions.shape), (-1,))
    # an entry without a value takes the last one, which is zero
    extended = xp.concat([flat, xp.zeros((1,), dtype=flat.dtype)])
    parts = [
        xp.take(extended, xp.asarray(origins), axis=0)
        for origins in origins_of(positions.reshape(-1), prod(shape))
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return wrapped(xp.reshape(total, shape))


def origins_of(positions, size: int) -> list[Any]:
    """Which value goes to each of `size` positions, in rounds: a position that stands k times among
    `positions` gets a value in k of them. Where it gets none, the number is one past the last value.
    """
    # the round of a value: how many before it have the same position
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


def written(a, index, values) -> Any:
    """A copy of `a` with ``a[index] = values``, in the dtype of `a`: `replaced` for arrays of the
    standard.
    """
    xp, index = namespace_of((a, values)), plain_index(index)
    # the number of the value that an entry gets, the last one if there are several; -1 for none
    last = np.full(np.shape(a), -1)
    positions = np.arange(last.size).reshape(last.shape)[index]
    last[index] = np.arange(positions.size).reshape(positions.shape)
    if not positions.size:
        return wrapped(array_of(xp, a))
    given = xp.broadcast_to(array_of(xp, values, a.dtype), positions.shape)
    flat = xp.reshape(given, (-1,))
    taken = xp.reshape(
        xp.take(flat, xp.asarray(np.maximum(last, 0).reshape(-1)), axis=0), last.shape
    )
    return wrapped(xp.where(xp.asarray(last >= 0), taken, array_of(xp, a)))


def plain_index(index) -> Any:
    """An index with NumPy's arrays for those of integers and masks."""
    if isinstance(index, tuple):
        return tuple(map(plain_index, index))
    return np.asarray(index) if type(index) is StandardArray else index
