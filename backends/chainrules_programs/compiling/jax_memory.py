"""Where values that share memory lie in it, for engines without views and writes.

The memory of a program is an array that its recording made. Here it has the axes of that array,
longest stride first. A view by slices, transposed or not, is read by slices and written by an update
of a slice, which XLA makes in place; every other view is read and written at positions.
"""

from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

import jax
import jax.numpy as jnp
import numpy as np

from chainrules_programs.recording.dependence import owner_of
from chainrules_programs.recording.errors import NotRecordedError


@dataclass(frozen=True)
class Slices:
    """A view as the entries ``memory[index]``, with its axes in the order `axes`, reshaped."""

    index: tuple[slice, ...]
    axes: tuple[int, ...]
    shape: tuple[int, ...]

    def read(self, memory: jax.Array) -> jax.Array:
        """Return the view."""
        return memory[self.index].transpose(self.axes).reshape(self.shape)

    def added(self, memory: jax.Array, entries: jax.Array) -> jax.Array:
        """Return the memory with entries added to those of the view, whose steps are all one.

        Zeros are added to the others: XLA joins several such sums into one loop over the memory.
        """
        entries = self.in_memory(memory, jnp.broadcast_to(entries, self.shape))
        widths = [
            (part.start, length - part.stop, 0)
            for part, length in zip(self.index, memory.shape, strict=True)
        ]
        return memory + jax.lax.pad(entries, jnp.zeros((), entries.dtype), widths)

    def in_memory(self, memory: jax.Array, entries: jax.Array) -> jax.Array:
        """Return entries of the view with the axes of the memory."""
        lengths = [
            len(range(*part.indices(n))) for part, n in zip(self.index, memory.shape, strict=True)
        ]
        return entries.reshape([lengths[k] for k in self.axes]).transpose(np.argsort(self.axes))

    def written(self, memory: jax.Array, entries: jax.Array) -> jax.Array:
        """Return the memory with other entries in the place of the view's."""
        entries = self.in_memory(memory, entries)
        if entries.shape == memory.shape and all(part.step == 1 for part in self.index):
            return entries
        if any(part.step != 1 for part in self.index):
            return memory.at[self.index].set(entries, unique_indices=True)
        return jax.lax.dynamic_update_slice(memory, entries, [part.start for part in self.index])


@dataclass(frozen=True)
class Run:
    """A view of all entries from `start` on, in their order."""

    start: int
    shape: tuple[int, ...]

    def read(self, memory: jax.Array) -> jax.Array:
        """Return the view."""
        stop = self.start + int(np.prod(self.shape))
        return memory.ravel()[self.start : stop].reshape(self.shape)

    def written(self, memory: jax.Array, entries: jax.Array) -> jax.Array:
        """Return the memory with other entries in the place of the view's."""
        if entries.size == memory.size:
            return entries.reshape(memory.shape)
        flat = jax.lax.dynamic_update_slice(memory.ravel(), entries.ravel(), [self.start])
        return flat.reshape(memory.shape)


@dataclass(frozen=True, eq=False)
class Positions:
    """A view whose entries stand at these positions."""

    places: Any

    def read(self, memory: jax.Array) -> jax.Array:
        """Return the view."""
        return memory.ravel()[self.places]

    def written(self, memory: jax.Array, entries: jax.Array) -> jax.Array:
        """Return the memory with other entries in the place of the view's."""
        return memory.ravel().at[self.places].set(entries).reshape(memory.shape)


View = Slices | Run | Positions
NARROW = 16  # columns of an array, to some of which sums are made by a pass over all


def are_columns(view: View, memory: jax.Array) -> TypeGuard[Slices]:
    """Whether a view is some columns of a narrow array, side by side."""
    if not isinstance(view, Slices) or memory.ndim != 2 or memory.shape[1] > NARROW:
        return False
    rows, columns = view.index
    return rows == slice(0, memory.shape[0], 1) and columns.step == 1


class Sums:
    """Entries that are to be added to a memory at known places, by one scatter of XLA's.

    A gradient of many reads from one table is made of as many sums. Where the places are whole rows
    of the memory, rows are added.
    """

    def __init__(self) -> None:
        self.places: list[Any] = []
        self.entries: list[jax.Array] = []

    def add(self, places, entries: jax.Array) -> None:
        """Note entries, and the places at which they are added."""
        self.places.append(places.ravel())
        self.entries.append(jnp.broadcast_to(entries, places.shape).ravel())

    def added(self, memory: jax.Array) -> jax.Array:
        """Return the memory with all entries added, in their order."""
        places, entries = np.concatenate(self.places), jnp.concatenate(self.entries)
        width = row_length(places, memory.size)
        rows = memory.reshape(-1, width).at[places[::width] // width]
        return rows.add(entries.reshape(-1, width), mode="promise_in_bounds").reshape(memory.shape)


def row_length(places, size: int) -> int:
    """Return the length of the rows of which places in a memory of this size consist; else 1.

    >>> row_length(np.array([6, 7, 8, 0, 1, 2, 6, 7, 8]), 12)
    3
    """
    breaks = np.flatnonzero(np.diff(places) != 1)
    length = int(breaks[0]) + 1 if breaks.size else len(places)
    if not length or len(places) % length or size % length or places[0] % length:
        return 1
    rows = places.reshape(-1, length)
    are_rows = np.array_equal(rows, rows[:, :1] + np.arange(length))
    return length if are_rows and not np.any(rows[:, 0] % length) else 1


def places_in(array, index) -> Any:
    """Return where the entries of an array at an index stand in its memory.

    None where the index depends on numbers.
    """
    if any(isinstance(part, jax.Array) for part in (index if type(index) is tuple else (index,))):
        return None
    return positions_in_memory(array)[index]


def memory_shape(array) -> tuple[int, ...]:
    """Return the shape that the memory of an array has here: flat, if it has gaps."""
    whole = root_array(array)
    if whole.flags.c_contiguous or not whole.flags.forc:
        return tuple(whole.shape) if whole.flags.forc else (max(1, int(whole.size)),)
    return tuple(whole.shape[::-1])


def view_of(array) -> View:
    """Return where the entries of an array stand in its memory.

    >>> x = np.zeros((3, 4))
    >>> view_of(x[1:, 2]).index
    (slice(1, 3, 1), slice(2, 3, 1))
    """
    places, shape = positions_in_memory(array), memory_shape(array)
    if array.size and np.array_equal(places.ravel(), places.flat[0] + np.arange(array.size)):
        return Run(int(places.flat[0]), tuple(array.shape))
    found = _slices(array, places, shape) if array.size else None
    return Positions(places) if found is None else found


def _slices(array, places, shape: tuple[int, ...]) -> Slices | None:
    """Return the slices that are a view; None where there are none."""
    starts = np.unravel_index(places.flat[0], shape)
    strides = [int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
    index = [slice(int(start), int(start) + 1, 1) for start in starts]
    used: list[int] = []
    for length, stride in zip(array.shape, array.strides, strict=True):
        step = stride // array.itemsize
        if length == 1:
            continue
        fitting = [
            k
            for k, own in enumerate(strides)
            if k not in used and own and step > 0 and step % own == 0 and step // own < shape[k]
        ]
        if not fitting:
            return None
        axis = fitting[0]
        used.append(axis)
        start, by = int(starts[axis]), step // strides[axis]
        index[axis] = slice(start, start + (length - 1) * by + 1, by)
    axes = (*used, *[k for k in range(len(shape)) if k not in used])
    found = Slices(tuple(index), axes, tuple(array.shape))
    return found if _is_view(found, places, shape) else None


def _is_view(found: Slices, places, shape: tuple[int, ...]) -> bool:
    """Whether slices are the positions that they stand for."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    part = numbers[found.index].transpose(found.axes)
    return part.size == places.size and np.array_equal(part.reshape(found.shape), places)


def positions_in_memory(array) -> Any:
    """Return where each entry of an array stands in the memory that it shares."""
    whole = root_array(array)
    if array.dtype != whole.dtype:
        refuse_operation("a view of another type")
    offset = array.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    found = np.full(array.shape, offset // array.itemsize)
    for axis, (stride, count) in enumerate(zip(array.strides, array.shape, strict=True)):
        shape = [-1 if k == axis else 1 for k in range(array.ndim)]
        found = found + (stride // array.itemsize * np.arange(count)).reshape(shape)
    return found


def new_memory(array, found) -> jax.Array:
    """Return the memory of an array that owns it, filled with its entries."""
    empty = jnp.zeros(memory_shape(array), array.dtype)
    return view_of(array).written(empty, jnp.asarray(found, array.dtype))


def root_array(x) -> Any:
    """Return the array whose memory an array has."""
    return owner_of(x) if isinstance(x, np.ndarray) else x


def refuse_operation(operation: str) -> NoReturn:
    """Raise, because XLA cannot do an operation."""
    raise NotRecordedError(
        f"compiling {operation}",
        "XLA has no such operation",
        'compile to="numpy"',
        operation=operation,
    )
