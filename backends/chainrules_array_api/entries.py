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

    Of values with the same position the first and the second, the third and the fourth, ... are
    added up, until there is one for each: in as many rounds as the number of them has digits.
    """
    xp = namespace_of((values,))
    positions = np.arange(prod(shape)).reshape(shape)[plain_index(index)]
    given = xp.broadcast_to(array_of(xp, values, dtype), positions.shape)
    order = np.argsort(positions, axis=None, kind="stable")
    positions, flat = positions.reshape(-1)[order], read_or_zero(xp, given, order)

    while (is_second := are_second(positions)).any():
        first = np.flatnonzero(~is_second[:-1])
        second = np.where(is_second[first + 1], first + 1, len(positions))
        flat = read_or_zero(xp, flat, first) + read_or_zero(xp, flat, second)
        positions = positions[first]

    origins = np.full(prod(shape), len(positions))
    origins[positions] = np.arange(len(positions))
    return wrapped(xp.reshape(read_or_zero(xp, flat, origins), shape))


def read_or_zero(xp, values, numbers) -> Any:
    """The entries of a flat array with these numbers; zero for the one past the last."""
    flat = xp.reshape(values, (-1,))
    extended = xp.concat([flat, xp.zeros((1,), dtype=flat.dtype)])
    return xp.take(extended, xp.asarray(numbers), axis=0)


def are_second(positions) -> Any:
    """Which of some sorted positions are the second, fourth, ... of equal ones; and False at the
    end.
    """
    ranks = np.arange(len(positions)) - np.searchsorted(positions, positions)
    return np.append(ranks % 2 == 1, False)


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
    return np.asarray(index) if isinstance(index, StandardArray) else index
