"""Reading and writing entries of Dask arrays: arrays put together of what is written and of zeros.

An index is taken apart by axes. Along each, what was read is put back between zeros; where an entry
was read several times, what arrives is added up chunk by chunk, in arrays of the length of that
axis. Positions that are a Dask array of integers are not known: along their axis they are one
chunk, and so is what they read.
"""

from functools import partial
from math import isnan, prod
from typing import Any, NamedTuple, Never

import dask.array as da
import numpy as np

from chainrules_dask.errors import raise_not_lazy
from chainrules_dask.shapes import reshape
from chainrules_py.engines.own_functions import one_for_each_axis


class Part(NamedTuple):
    """Some of the axes of an array, and what is read along them: a slice, or arrays of integers,
    one for each axis; of one axis also one of Dask's.
    """

    sizes: tuple[int, ...]
    read: Any

    @property
    def positions(self) -> Any:
        """The integers that are read, of the axes as one."""
        if isinstance(self.read, slice):
            return np.arange(self.sizes[0])[self.read]
        if isinstance(self.read[0], da.Array):
            return self.read[0]
        wrapped = [
            np.where(ints < 0, ints + size, ints)
            for ints, size in zip(self.read, self.sizes, strict=True)
        ]
        return np.ravel_multi_index(np.broadcast_arrays(*wrapped), self.sizes)


def added_to_zeros(values, index, shape: tuple[int, ...], dtype) -> Any:
    """Zeros of a shape and dtype with `values` added at `index`: `scatter_add` for Dask."""
    parts = parts_of_index(index, shape)
    found = reshape(da.asarray(values), tuple(prod(part.positions.shape) for part in parts))
    for axis, part in enumerate(parts):
        found = placed_in_zeros(found, axis, part)
    return reshape(found, shape).astype(dtype)


def written(a, index, values) -> Any:
    """A copy of `a` with ``a[index] = values``: `replaced` for Dask, which writes into a graph and
    not into memory.
    """
    parts_of_index(index, a.shape)  # refuses what cannot be read back
    y = da.asarray(a).copy()
    if is_in_several_axes(index):
        shape = index.shape + a.shape[1:]
        values = reshape(da.broadcast_to(da.asarray(values), shape), (-1, *a.shape[1:]))
        index = index.reshape(-1)
    y[index] = values
    return y


def entries_read(a, index):
    """``a[index]``, whose shape is known."""
    items = index if isinstance(index, tuple) else (index,)
    for item in items:
        require_readable(item)
    late = [n for n, item in enumerate(items) if isinstance(item, da.Array)]
    if not late:
        return read_where_known(a, index)
    require_alone(items)
    (at,) = late
    positions = items[at]
    after = len(items) - at - 1
    sliced = a[(*items[:at], slice(None), *items[at + 1 :])]
    axis = at if ... not in items[:at] else sliced.ndim - after - 1
    found = taken(sliced, positions.reshape(-1), axis)
    return reshape(found, (*found.shape[:axis], *positions.shape, *found.shape[axis + 1 :]))


def read_where_known(a, index) -> Any:
    """``a[index]`` by numbers; Dask reads by one array with one axis."""
    if is_in_several_axes(index):
        return reshape(a[index.reshape(-1)], index.shape + a.shape[1:])
    return a[index]


def is_in_several_axes(index) -> bool:
    """Whether an index is an array of integers with several axes, which Dask does not take."""
    return isinstance(index, np.ndarray) and index.ndim > 1 and index.dtype != bool


def taken(a, positions, axis: int) -> Any:
    """The slices of an array at positions along an axis, which are not known."""
    names = tuple(range(a.ndim))
    found = tuple(-1 if n == axis else n for n in names)
    take = partial(np.take, axis=axis)
    whole = a.rechunk({axis: -1})
    return da.blockwise(
        take, found, whole, names, positions, (-1,), concatenate=True, dtype=a.dtype
    )


def compress(condition, a, axis: int | None = None) -> Any:
    """The slices where a condition holds."""
    if isinstance(condition, da.Array):
        refuse_unknown_index(condition)
    return da.compress(condition, a, axis)


def parts_of_index(index, shape: tuple[int, ...]) -> list[Part]:
    """Split an index into a part for each axis, and one for all axes that integer arrays index."""
    items = items_of(index, shape)
    gathered = [n for n, item in enumerate(items) if not isinstance(item, slice)]
    if not any(isinstance(item, np.ndarray) for item in items):
        return [
            Part((size,), item if isinstance(item, slice) else (item,))
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
    items = index if isinstance(index, tuple) else (index,)
    if any(isinstance(item, da.Array) for item in items):
        require_alone(items)
    for item in items:
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
        require_positions(item)
    is_single = isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype == bool
    if is_single or isinstance(item, bool | np.bool_):
        got = "a single boolean as an index, which Dask takes for the number 0 or 1"
        instead = "write x[None] for x[True], or numpy.where(condition, x, y)"
        raise_not_lazy("ndarray.__getitem__", got, instead)


def require_positions(index) -> None:
    """Raise for a condition, or for positions of which nobody knows how many there are."""
    if index.dtype.kind not in "iu" or any(map(isnan, index.shape)):
        refuse_unknown_index(index)


def refuse_unknown_index(index) -> Never:
    """Raise, because what an index reads is not known before it is computed."""
    got = "an index or a condition that is a Dask array"
    instead = "write numpy.where(mask, x, y), or compute it before"
    raise_not_lazy("ndarray.__getitem__", got, instead)


def require_alone(items: tuple[Any, ...]) -> None:
    """Raise where something else than slices stands beside positions that are not known."""
    others = [item for item in items if not isinstance(item, slice) and item is not ...]
    if len(others) > 1:
        got = "a Dask array as an index, beside numbers, new axes or other arrays"
        raise_not_lazy("ndarray.__getitem__", got, "read in two steps")


def placed_in_zeros(values, axis: int, part: Part) -> Any:
    """Zeros with values added along one axis, where a part says."""
    size, positions = prod(part.sizes), part.positions.reshape(-1)
    if isinstance(positions, da.Array):
        return added_at(values, axis, positions, size)
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


def added_at(values, axis: int, positions, size: int) -> Any:
    """Zeros with values added at positions that are not known."""
    names = tuple(range(values.ndim))
    found = tuple(-1 if n == axis else n for n in names)
    add = partial(rows_added, axis=axis, size=size)
    given = (values, names, positions, (axis,))
    return da.blockwise(
        add, found, *given, new_axes={-1: size}, concatenate=True, dtype=values.dtype
    )


def rows_added(block, positions, axis: int, size: int) -> Any:
    """Zeros with the rows of one chunk added along an axis."""
    rows = np.moveaxis(block, axis, 0)
    found = np.zeros_like(rows, shape=(size, *rows.shape[1:]))
    np.add.at(found, positions[: len(rows)], rows)  # Dask asks with empty arrays what comes back
    return np.moveaxis(found, 0, axis)
