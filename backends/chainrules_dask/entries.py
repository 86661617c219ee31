"""Writing entries of Dask arrays: arrays put together of what is written and of zeros.

An index is taken apart by axes. Along each, what was read is put back between zeros; where an entry
was read several times, what arrives is added up chunk by chunk, in arrays of the length of that
axis.
"""

from math import prod
from typing import Any, NamedTuple, Never

import dask.array as da
import numpy as np

from chainrules_dask.errors import raise_not_lazy
from chainrules_dask.shapes import reshape
from chainrules_py.engines.own_functions import one_for_each_axis


class Part(NamedTuple):
    """Some of the axes of an array, and what is read along them: a slice, or arrays of integers,
    one for each axis.
    """

    sizes: tuple[int, ...]
    read: Any

    @property
    def positions(self) -> Any:
        """The integers that are read, of the axes as one."""
        if isinstance(self.read, slice):
            return np.arange(self.sizes[0])[self.read]
        wrapped = [
            np.where(ints < 0, ints + size, ints)
            for ints, size in zip(self.read, self.sizes, strict=True)
        ]
        return np.ravel_multi_index(np.broadcast_arrays(*wrapped), self.sizes)


def added_to_zeros(values, index, shape: tuple[int, ...], dtype) -> Any:
    """Zeros of a shape and dtype with `values` added at `index`: `scatter_add` for Dask."""
    parts = parts_of(index, shape)
    found = reshape(da.asarray(values), tuple(prod(part.positions.shape) for part in parts))
    for axis, part in enumerate(parts):
        found = spread(found, axis, part)
    return reshape(found, shape).astype(dtype)


def written(a, index, values) -> Any:
    """A copy of `a` with ``a[index] = values``: `replaced` for Dask, which writes into a graph and
    not into memory.
    """
    parts_of(index, a.shape)  # refuses what cannot be read back
    y = da.asarray(a).astype(np.result_type(a, values)).copy()
    y[index] = values
    return y


def entries_read(a, index):
    """``a[index]``, whose shape is known."""
    for item in index if isinstance(index, tuple) else (index,):
        require_readable(item)
    return a[index]


def compress(condition, a, axis: int | None = None) -> Any:
    """The slices where a condition holds."""
    if isinstance(condition, da.Array):
        refuse_unknown_index(condition)
    return da.compress(condition, a, axis)


def parts_of(index, shape: tuple[int, ...]) -> list[Part]:
    """Split an index into a part for each axis, and one for all axes that integer arrays index."""
    items = items_of(index, shape)
    gathered = [n for n, item in enumerate(items) if not isinstance(item, slice)]
    if not any(isinstance(item, np.ndarray) for item in items):
        return [
            Part((size,), (item,) if isinstance(item, int) else item)
            for item, size in zip(items, shape, strict=True)
        ]
    begin, end = gathered[0], gathered[-1] + 1  # next to arrays, integers count as arrays
    if len(gathered) < end - begin:
        raise_not_lazy(
            "ndarray.__getitem__",
            "arrays of integers with a slice between them",
            "read in two steps",
        )
    slices = [Part((size,), item) for item, size in zip(items, shape, strict=True)]
    return [*slices[:begin], Part(shape[begin:end], tuple(items[begin:end])), *slices[end:]]


def items_of(index, shape: tuple[int, ...]) -> list[Any]:
    """An index as one integer, slice or array of integers for each axis; a mask is the arrays of
    where it holds.
    """
    given: list[Any] = []
    for item in index if isinstance(index, tuple) else (index,):
        require_readable(item)
        if not isinstance(item, list | np.ndarray | np.generic):
            given.append(item)
            continue
        array = np.asarray(item)
        given += array.nonzero() if array.dtype == bool else [array]
    return one_for_each_axis(tuple(given), len(shape))


def require_readable(item) -> None:
    """Raise for a part of an index that Dask cannot read, or reads otherwise than NumPy."""
    if isinstance(item, da.Array):
        refuse_unknown_index(item)
    is_single = isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype == bool
    if is_single or isinstance(item, bool | np.bool_):
        got = "a single boolean as an index, which Dask takes for the number 0 or 1"
        instead = "write x[None] for x[True], or numpy.where(condition, x, y)"
        raise_not_lazy("ndarray.__getitem__", got, instead)


def refuse_unknown_index(index) -> Never:
    """Raise, because what an index reads is not known before it is computed."""
    got = "an index or a condition that is a Dask array"
    instead = "write numpy.where(mask, x, y), or compute it before"
    raise_not_lazy("ndarray.__getitem__", got, instead)


def spread(values, axis: int, part: Part) -> Any:
    """Zeros with values added along one axis, where a part says."""
    size, positions = prod(part.sizes), part.positions.reshape(-1)
    if np.array_equal(positions, np.arange(size)):
        return values
    if len(positions) and np.array_equal(
        positions, np.arange(positions[0], positions[0] + len(positions))
    ):
        borders = [(0, 0)] * values.ndim
        borders[axis] = (int(positions[0]), int(size - positions[-1] - 1))
        return da.pad(values, borders)
    if len(np.unique(positions)) < len(positions):
        return summed(values, axis, positions, size)
    origins = np.full(size, len(positions))  # from one entry more, which is zero
    origins[positions] = np.arange(len(positions))
    zero = da.zeros_like(
        values, shape=tuple(1 if n == axis else length for n, length in enumerate(values.shape))
    )
    return da.take(da.concatenate([values, zero], axis=axis), origins, axis=axis)


def summed(values, axis: int, positions, size: int) -> Any:
    """Zeros with values added where several may meet: each chunk makes its sums, which are then
    added.
    """
    ends = np.cumsum(values.chunks[axis])
    sums = []
    for begin, end in zip(ends - values.chunks[axis], ends, strict=True):
        chunk = values[(slice(None),) * axis + (slice(begin, end),)]
        chunks = tuple((size,) if n == axis else lengths for n, lengths in enumerate(chunk.chunks))
        sums.append(
            da.map_blocks(
                rows_added,
                chunk,
                positions[begin:end],
                axis,
                size,
                dtype=values.dtype,
                chunks=chunks,
            )
        )
    return da.sum(da.stack(sums), axis=0)


def rows_added(block, positions, axis: int, size: int):
    """Zeros with the rows of one chunk added along an axis."""
    rows = np.moveaxis(block, axis, 0)
    found = np.zeros_like(rows, shape=(size, *rows.shape[1:]))
    np.add.at(found, positions[: len(rows)], rows)  # Dask asks with empty arrays what comes back
    return np.moveaxis(found, 0, axis)
