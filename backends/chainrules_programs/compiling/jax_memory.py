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
from chainrules_tape.in_place.held_memory import place_in_root
from chainrules_tape.in_place.regions import Region, address, flat_positions


@dataclass(frozen=True)
class Slices:
    """A view as the entries ``memory[index]``, reshaped: `lengths` are those of its long axes, which
    have the order `axes` in the memory.
    """

    index: tuple[slice, ...]
    lengths: tuple[int, ...]
    axes: tuple[int, ...]
    shape: tuple[int, ...]

    def read(self, memory: jax.Array) -> jax.Array:
        """Return the view."""
        in_order = memory[self.index].reshape([self.lengths[k] for k in self.axes])
        return in_order.transpose(np.argsort(self.axes)).reshape(self.shape)

    def added(self, memory: jax.Array, entries: jax.Array) -> jax.Array:
        """Return the memory with entries added to those of the view, whose steps are all one.

        Zeros are added to the others: XLA joins several such sums into one loop over the memory.
        """
        entries = self.in_memory(jnp.broadcast_to(entries, self.shape))
        widths = [
            (part.start, length - part.stop, 0)
            for part, length in zip(self.index, memory.shape, strict=True)
        ]
        return memory + jax.lax.pad(entries, jnp.zeros((), entries.dtype), widths)

    def in_memory(self, entries: jax.Array) -> jax.Array:
        """Return entries of the view with the axes of the memory."""
        lengths = [len(range(part.start, part.stop, part.step)) for part in self.index]
        return entries.reshape(self.lengths).transpose(self.axes).reshape(lengths)

    def written(self, memory: jax.Array, entries: jax.Array) -> jax.Array:
        """Return the memory with other entries in the place of the view's."""
        entries = self.in_memory(entries)
        if any(part.step != 1 for part in self.index):
            return memory.at[self.index].set(entries, unique_indices=True)
        if entries.shape == memory.shape:
            return entries
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


def memory_of(array) -> Any:
    """Return an array with the axes that the memory of an array has here: flat, if it has gaps."""
    whole = root_array(array)
    if whole.flags.forc:
        return whole if whole.flags.c_contiguous else whole.T
    return np.empty(max(1, whole.size), whole.dtype)


def view_of(array) -> View:
    """Return where the entries of an array stand in its memory.

    >>> x = np.zeros((3, 4))
    >>> view_of(x[1:, 2]).index
    (slice(1, 3, 1), slice(2, 3, 1))
    """
    places = positions_in_memory(array)
    if array.size and np.array_equal(places.ravel(), places.flat[0] + np.arange(array.size)):
        return Run(int(places.flat[0]), tuple(array.shape))
    found = place_in_root(region_in_memory(array), memory_of(array)) if array.size else None
    if found is None:
        return Positions(places)
    index = [part if type(part) is slice else slice(part, part + 1, 1) for part in found.index]
    return Slices(tuple(index), found.shape, found.axes, tuple(array.shape))


def region_in_memory(array) -> Region:
    """Return where an array lies in the memory that it shares."""
    whole = root_array(array)
    if array.dtype != whole.dtype:
        refuse_operation("a view of another type")
    return Region(array.shape, array.dtype, address(array) - address(whole), array.strides)


def positions_in_memory(array) -> Any:
    """Return where each entry of an array stands in the memory that it shares."""
    return flat_positions(region_in_memory(array), 0)[0]


def new_memory(array, found) -> jax.Array:
    """Return the memory of an array that owns it, filled with its entries."""
    empty = jnp.zeros(memory_of(array).shape, array.dtype)
    return view_of(array).written(empty, jnp.asarray(found, array.dtype))


def root_array(x) -> Any:
    """Return the array whose memory an array has."""
    return owner_of(x) if isinstance(x, np.ndarray) else x


def refuse_operation(operation: str, why: str = "XLA has no such operation") -> NoReturn:
    """Raise, because XLA cannot do an operation, or takes too long for it."""
    raise NotRecordedError(
        f"compiling {operation}",
        why,
        'compile to="numpy"',
        operation=operation,
    )
