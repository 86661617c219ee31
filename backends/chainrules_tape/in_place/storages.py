"""Storages: memory that a program writes into, and the handles on its views.

A traced array is a value until it is written to for the first time. Then its memory is copied,
once, and the array, and each view of it, becomes a handle on a view of that copy, the *storage*.
NumPy itself keeps the views: what shares memory in NumPy does here.

    root            the plain memory, a contiguous array of its own
    version         how often it was written to
    state           what is known at the innermost level whose values it holds, by the mode of that:

        Numbers     of no level: plain numbers, NumPy's or another library's
        OnTape      in reverse mode: the slot of the memory as it is now
        Forward     in forward mode: a buffer for the tangent
        Rounds      of series and patterns: the memory for coefficients or rows
        InLanes     of many examples: the memory of all of them

    beneath         of a state, the storage of this memory at the outer level where these values are
                    traced too

A level that ends leaves the state that the storage had before, or the numbers alone (`current`).

In lanes, root and views have the shape of one lane, and say where things are; the numbers are in
the memory of all lanes (see `lane_memory`).

A rule or a residual never gets this memory, but a copy (`read`), so that no write can change what
is kept. Writing costs what is written, reading what is read, and nothing else is copied.
"""

import operator
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from chainrules_py.accumulation import Owned
from chainrules_py.annotations import Args, Options
from chainrules_py.values.arrays import call, is_numpys, library_of
from chainrules_tape.core.duals import HANDLE_OF as DUAL_OF
from chainrules_tape.core.sweep import takes_sums
from chainrules_tape.core.values import resolved
from chainrules_tape.in_place.aliases import Aliases, Memory, zeros_beside
from chainrules_tape.in_place.held_memory import (
    array_after_write,
    arrays_for_lists,
    held_among,
    held_copy,
    is_held,
    library_holding,
    read_part,
    with_part,
)
from chainrules_tape.in_place.known_layouts import Layout, another, known_layout, remember
from chainrules_tape.in_place.lane_memory import in_all_lanes, lane_sizes
from chainrules_tape.in_place.regions import (
    Region,
    address,
    flat_positions,
    index_of_distinct,
    is_broadcast,
    overlaps,
    region_of,
    view_at,
)
from chainrules_tape.in_place.repeated_entries import (
    Distinct,
    index_of_entries,
    mark_set,
    merged,
)
from chainrules_tape.refusals.errors import raise_escaped_value
from chainrules_tape.refusals.handles import (
    TracedArray,
    change_class,
    library_beneath,
    plain,
    subclass_over,
)
from chainrules_tape.series.level import Series

_new = object.__new__


class StoredHandle(TracedArray):
    """A handle on a view of a storage: an array that was written to.

    Its class is all that changes of a handle with its first write, so it has the same fields: the
    storage in the place of the slot or the tangent, and the plain view in that of the value.
    """

    __slots__ = ()
    is_stored = True
    storage: Any
    plain_view: Any = TracedArray.__dict__["value"]
    # the version of the storage and the array that was read: what is read twice is copied once
    last_read: Any = TracedArray.__dict__["level"]
    level: Any = property(lambda self: self.storage.current().state.level)

    @property
    def value(self) -> Any:
        """The value that rules of its level see: NumPy's view, or a handle of an outer level."""
        return self.storage.current().state.value_of(self.plain_view)

    def resolved(self, level: Any = None) -> Any:
        """The array that it holds now, which no write changes; plain if nothing is traced."""
        return self.storage.current().read(self.plain_view)

    def read_once(self) -> Any:
        """The array that it holds now, for operations whose result is never a view.

        What several of them read is copied once.
        """
        storage = self.storage.current()
        last_read = self.last_read
        if last_read is not None and last_read[0] == storage.version:
            return last_read[1]
        found = storage.read(self.plain_view)
        is_traced = issubclass(type(found), TracedArray)
        self.last_read = (storage.version, found) if is_traced else None
        return found


class StoredClasses(set[type]):
    """The classes of stored arrays, which `arrays.handles` gives.

    They have the fields of a handle of a tape, of forward mode, or of lanes. What was no handle
    before has those of a tape.
    """

    array: Any

    def __init__(self) -> None:
        super().__init__()
        self.over_library: dict[str, Any] = {}

    def give(self, array: type, *others: type) -> None:
        """Say which these classes are."""
        self.array = array
        self.update((array, *others))

    def over(self, library: str) -> Any:
        """The class of stored arrays whose numbers the library of this name has."""
        if library not in self.over_library:
            made = self.over_library[library] = subclass_over(self.array, library)
            self.add(made)
        return self.over_library[library]


STORED = StoredClasses()


def handle_on(storage: "Storage", view: np.ndarray) -> Any:
    """The handle on a plain view of a storage."""
    made = _new(STORED.array if storage.library == "numpy" else STORED.over(storage.library))
    made.storage, made.plain_view, made.last_read = storage, view, None
    return made


class Storage:
    """Memory that a program writes into; the fields are explained at the top of the module."""

    __slots__ = ("library", "root", "state", "version")
    library: str  # the name of the one that has the numbers, beneath all levels

    def __init__(self, root: np.ndarray, held: Any = None) -> None:
        self.root, self.version = root, 0
        self.state: Any = Numbers(root, held)
        self.library = "numpy" if held is None else library_beneath(type(held))

    # Levels

    def current(self) -> "Storage":
        """The storage itself, with the state at the innermost level that has not ended."""
        state = self.state
        while state.level is not None and state.level.closed and state.outlives_level:
            beneath = state.beneath
            state = self.state = Numbers(self.root) if beneath is None else beneath.state
            self.library = "numpy" if beneath is None else beneath.library
            self.version += 1
        return self

    def raise_to(self, level) -> None:
        """Hold values of an inner level from now on, where those until now are constants."""
        if level.mode == "batching":
            self._take_lanes(level)
            return
        beneath, before = None, self.state
        if before.level is not None or before.held is not None:
            beneath = Storage(self.root)
            beneath.state, beneath.library = before, self.library
        self.begin(level, beneath)
        self.state.outlives_level = True

    def _take_lanes(self, level) -> None:
        """Hold lanes from now on; what was there until now is the same in all of them.

        It is gone when the level ends: what differs between lanes is no value outside of them.
        """
        is_plain = self.state.level is None and self.state.held is None
        held = self.root if is_plain else self.read(self.root)
        repeated = call(np.broadcast_to, held, (level.size, *self.root.shape))
        self.begin(level)
        self.state.memory = (
            call(np.array, repeated, order="C") if is_numpys(repeated) else memory_of(repeated)
        )

    def begin(self, level, beneath: "Storage | None" = None) -> None:
        """Hold values of a level from now on; `adopt` of the state says which values these were."""
        if level.written is None:
            level.written = Aliases()
        self.state = state_class(level)(level, beneath, self.root)
        self.version += 1

    def hold_like(self, values: Iterable[Any]) -> None:
        """Have the numbers where another library has those of some values: CuPy's arrays take no NumPy
        arrays.
        """
        library = held_among(values)
        if library is not None and self.state.held is None:
            self.state.held, self.library = held_copy(self.root, library), library.name

    def write_held(self, primal, view: np.ndarray, args: Args, options: Options) -> None:
        """Call a function that writes into a view, given its other arguments."""
        if not view.flags.writeable:
            raise ValueError("assignment destination is read-only")  # as NumPy says it
        region, held = region_of(view, self.root), self.state.held
        after = array_after_write(primal, read_part(held, region, self.root), args, options)
        self.state.held = with_part(held, region, self.root, after)

    # Handles

    def attach(self, x, view: np.ndarray) -> None:
        """Turn a handle on a value into one on a view of this storage, for all who hold it."""
        change_class(x, type(x).stored_class)
        x.storage, x.plain_view, x.last_read = self, view, None

    def read(self, view: np.ndarray, index: Any = None) -> Any:
        """The value that a view shows now, or entries of it: a copy.

        What was broadcast is read once, and broadcast again.
        """
        if index is None and 0 in view.strides and is_broadcast(view):
            return np.broadcast_to(self.read(view[index_of_distinct(view)]), view.shape)
        level = self.state.level
        if level is not None and level.closed:
            raise_escaped_value(np.copy, handle_on(self, view))
        return self.state.read(view, index)


class State:
    """What is known of memory at a level; its numbers are those beneath, or plain ones.

    `outlives_level` says whether the numbers remain as constants when the level has ended.
    """

    held: Any = None
    outlives_level = False

    def __init__(self, level, beneath: Storage | None, root: np.ndarray) -> None:
        self.level, self.beneath, self.root, self.start = level, beneath, root, address(root)
        self.begin()

    def begin(self) -> None:
        """Make what is held beside the numbers."""

    def region(self, view: np.ndarray) -> Region | None:
        """The region of the root in which a view lies."""
        return region_of(view, self.root, self.start)

    def value_of(self, view: np.ndarray) -> Any:
        """What rules of the level see of a view: NumPy's, or a handle of an outer level."""
        return view if self.beneath is None else handle_on(self.beneath, view)

    def beneath_view(self, view: np.ndarray) -> tuple[Storage | None, np.ndarray]:
        """The storage of the outer level, None for plain numbers, and what a view is there."""
        return self.beneath, view

    def numbers(self, view: np.ndarray, index: Any) -> Any:
        """The value beneath that a view shows now, or entries of it: a copy."""
        if self.beneath is not None:
            return self.beneath.current().read(view, index)
        return view.copy("K") if index is None else view[index]


class Numbers(State):
    """Plain numbers: those of the root, or of `held`, an array of another library."""

    def __init__(self, root: np.ndarray, held: Any = None) -> None:
        super().__init__(None, None, root)
        self.held = held

    def value_of(self, view: np.ndarray) -> Any:
        """The view, or a copy of what another library has there."""
        return view if self.held is None else self.read(view)

    def read(self, view: np.ndarray, index: Any = None) -> Any:
        """The plain numbers that a view shows now, or entries of it: a copy."""
        if self.held is None:
            return self.numbers(view, index)
        part = read_part(self.held, region_of(view, self.root), self.root)
        if index is not None:
            return call(operator.getitem, part, arrays_for_lists(index))
        if part is self.held:
            part = another(part)
        remember(part, Layout(np.empty_like(view)))  # in the order of the view, as NumPy copies it
        return part


class OnTape(State):
    """The slot of the memory as it is now, `latest`: each write makes another one.

    `origins` are the regions and slots of the values that the memory was made of.
    """

    def begin(self) -> None:
        """Record where the values of the memory come from, which are not known yet."""
        regions, slots = self.origins = list[Any](), list[Any]()
        self.latest = self.level.record(None, origins_pull, regions, slots).slot

    def adopt(self, x, view: np.ndarray) -> None:
        """Take over the slot of a traced value, which a view of the root shows."""
        region, index = region_of_view(self.root, x, view)
        regions, slots = self.origins
        regions.append(Distinct(region, view.shape, index) if index else region)
        slots.append(x.slot)

    def read(self, view: np.ndarray, index: Any = None) -> Any:
        """A value of the tape."""
        y, region = self.numbers(view, index), self.region(view)
        residuals = region, index, self.root.shape, self.root.dtype
        return self.level.record(y, read_pull, residuals, self.latest)


class Forward(State):
    """A buffer of the same layout for the tangent, and where it is that of a value."""

    def begin(self) -> None:
        """Make a tangent of zeros."""
        root = self.root
        self.dots = buffer_of(zeros_beside(root, root.shape, root.dtype))
        self.set_dots = np.zeros(root.shape, root.dtype)

    def dots_at(self, region: Region | None) -> Any:
        """The handle on a region of the tangent."""
        return region_in(self.dots, region)

    def adopt(self, x, view: np.ndarray) -> None:
        """Take over the tangent of a traced value, which a view of the root shows."""
        region, index = region_of_view(self.root, x, view)
        is_set = view_at(self.set_dots, region)
        put_beside(self.dots_at(region), is_set, x.tangent, index)
        mark_set(is_set)

    def read(self, view: np.ndarray, index: Any = None) -> Any:
        """A value with its tangent."""
        y, dots = self.numbers(view, index), self.dots_at(region_of(view, self.root))
        return dual_of(self.level, y, dots.resolved() if index is None else entries_of(dots, index))


class Rounds(State):
    """The memory that holds the coefficients of a series, or the rows of a pattern."""

    def begin(self) -> None:
        """Make memory for coefficients or rows."""
        self.memory = self.level.memory_like(self.root)

    def adopt(self, x, view: np.ndarray) -> None:
        """Take over the coefficients or rows of a traced value, which a view of the root shows."""
        self.memory.adopt(x, *region_of_view(self.root, x, view))

    def read(self, view: np.ndarray, index: Any = None) -> Any:
        """A value of the level."""
        region = region_of(view, self.root)
        if self.level.mode == "patterns":
            return self.memory.read(region, index)
        return self.memory.read(self.numbers(view, index), region, index)


class InLanes(State):
    """The memory of all lanes: an array, or a stored one of another level."""

    memory: Any = None

    def value_of(self, view: np.ndarray) -> Any:
        """The part that a view shows in all lanes, lanes in front: an array, or a stored one."""
        return region_in(
            self.memory, in_all_lanes(region_of(view, self.root), self.root, self.level.size)
        )

    def beneath_view(self, view: np.ndarray) -> tuple[Storage | None, np.ndarray]:
        """That of all lanes."""
        shown = self.value_of(view)
        return (None, shown) if is_numpys(shown) else (shown.storage.current(), shown.plain_view)

    def adopt(self, x, view: np.ndarray) -> None:
        """All is in the memory."""

    def read(self, view: np.ndarray, index: Any = None) -> Any:
        """A value in lanes."""
        level, part = self.level, self.value_of(view)
        if index is not None:
            types = (type(part), type(index))
            part = level.engine.table.in_lanes(operator.getitem, types, (True, False))(part, index)
        if not is_numpys(part):
            part = resolved(part)
        elif np.may_share_memory(part, self.memory):
            part = part.copy("K")
        return level.handle(part)


def state_class(level) -> Any:
    """The class of what is known of memory at a level."""
    if level.mode == "patterns" or type(level) is Series:
        return Rounds
    return {"batching": InLanes, "reverse": OnTape}.get(level.mode, Forward)


def region_of_view(root: np.ndarray, x, view: np.ndarray) -> tuple[Region | None, Any]:
    """The region of the root that a view of a value shows, and the index of its distinct entries."""
    index = index_of_entries(x, view)
    return region_of(view[index] if index else view, root), index


def entries_of(x, index) -> Any:
    """The entries of a stored array at an index: a copy, also where NumPy gives a view."""
    return x.storage.current().read(x.plain_view, index)


def put_beside(part, is_set: np.ndarray, found, index) -> None:
    """Write a value, or its entries at an index, into a stored array where that is not set yet."""
    found = found[index] if index else found
    part[...] = merged(is_set, part.resolved(), found) if np.any(is_set) else found


def dual_of(level, y, y_dot) -> Any:
    """The handle on a value and its tangent, which may be zero."""
    made: Any = _new(DUAL_OF[type(y)])
    made.value, made.tangent, made.level = y, y_dot, level
    return made


def storage_of_value(
    x,
    root: np.ndarray,
    view: np.ndarray,
    numbers: np.ndarray | None = None,
    held: Any = None,
) -> Storage:
    """The storage of a copy of a traced value's memory, at each level where it is traced.

    `root` is the copy, and `view` the part of it that shows the value. Where that has lanes, these
    are of one of them, and `numbers` is the copy of all. `held` is the array of another library
    that has the numbers.
    """
    storage, beneath = Storage(root), None
    is_traced = issubclass(type(x.value), TracedArray)
    if type(x).in_lanes:
        storage.begin(x.level)
        if held is not None:  # `memory_of` has come here: the value is all of the memory
            storage.state.memory = memory_of(x.value)
        else:
            is_plain = not is_traced
            storage.state.memory = numbers if is_plain else lanes_beneath(x, root, view, numbers)
        return storage
    if is_traced:
        beneath = storage_of_value(x.value, root, view, numbers, held)
    elif held is not None:
        beneath = Storage(root, held)
    storage.library = "numpy" if held is None else library_beneath(type(held))
    storage.begin(x.level, beneath)
    storage.state.adopt(x, view)
    return storage


def lanes_beneath(x, root: np.ndarray, view: np.ndarray, numbers: np.ndarray | None) -> Any:
    """The memory of all lanes of a value that is traced at an outer level: a stored array."""
    value, size = x.value, x.level.size
    has_more = lane_sizes(value) != ()
    below: Any = zeros_beside(root, (size, *root.shape), root.dtype) if has_more else numbers
    shown = view_at(below, in_all_lanes(region_of(view, root), root, size))
    return handle_on(storage_of_value(value, below, shown, numbers), below)


def memory_of(x) -> Any:
    """A traced value, or another library's array, as a stored array on memory of its own."""
    array = plain(x)
    if library_holding(array) is not None:
        zeros = np.zeros(x.shape, array.dtype)
        if x is array:
            return handle_on(Storage(zeros, array), zeros)
        return handle_on(storage_of_value(x, zeros, zeros, held=array), zeros)
    numbers = call(np.array, array, order="C")
    root = zeros_beside(numbers, x.shape, x.dtype) if lane_sizes(x) else numbers
    return handle_on(storage_of_value(x, root, root, numbers), root)


# Buffers: stored arrays of plain numbers


def buffer_of(array: np.ndarray) -> Any:
    """A stored array on the memory of a contiguous plain array that nobody else has."""
    return handle_on(Storage(array), array)


def held_buffer(y) -> Any:
    """A stored array whose numbers are those of an array of another library, in its layout."""
    known = known_layout(y)
    if known is None or known.array.flags.c_contiguous:
        root = np.zeros(y.shape, y.dtype)
        return handle_on(Storage(root, y), root)
    memory = Memory.of(known.array, alone=True)
    root = memory.copied()
    view = memory.view_in(root, known.array, True)
    held = held_in(root, view, y)
    return handle_on(Storage(root, held), view)


def held_in(root: np.ndarray, view: np.ndarray, array) -> Any:
    """The numbers of memory, given an array of another library that a view of it shows."""
    region = region_of(view, root)
    if region is None:
        return array
    zeros = held_copy(np.zeros_like(root), library_of(type(array)))  # type: ignore[arg-type]
    return with_part(zeros, region, root, array)


def as_buffer(y) -> Any:
    """A plain array of numbers that nobody else has as a stored one; anything else as it is."""
    if not is_numpys(y):
        return held_buffer(y) if library_holding(y) is not None and y.dtype.kind in "fc" else y
    if y.dtype.kind not in "fc":
        return y
    if y.base is None and y.flags.c_contiguous:
        return buffer_of(y)
    # in the order of its entries, which decides what is a view of it
    memory = Memory.of(y, alone=True)
    root = memory.copied()
    return handle_on(Storage(root), memory.view_in(root, y))


# Pullbacks. The cotangent of the memory is one array, which they and those of the writes change in
# place: they are given the sum of what arrived (`Owned`), which nobody else holds. It is a buffer
# where something in it is traced.


def read_pull(residuals, y_bar) -> tuple[Any]:
    """The cotangent of the memory from that of what was read."""
    region, index, shape, _ = residuals
    if region is None and index is None and shape == y_bar.shape:
        return (y_bar,)
    return (in_memory()(y_bar, ScatterIntoMemory, residuals),)


@cache
def in_memory() -> Any:
    """The class of cotangents of reads; its rule pack is loaded by the first of them."""
    from chainrules_py.rulesets.entries.regions import InMemory

    return InMemory


def owned_memory(y_bar) -> Any:
    """A cotangent of the memory as an array that nobody else holds; if traced, as a buffer."""
    if type(y_bar) is in_memory() and not y_bar.forced:
        return y_bar.memory()
    if is_owned_memory(y_bar):
        return y_bar.buffer
    y_bar = y_bar.buffer if type(y_bar) is Owned else resolved(y_bar)
    if issubclass(type(y_bar), TracedArray):
        return memory_of(y_bar)
    return held_buffer(y_bar) if is_held(y_bar) else call(np.array, y_bar, order="C")


def is_owned_memory(y_bar) -> bool:
    """Whether a cotangent is a sum that nobody else holds, laid out as memory is."""
    if type(y_bar) is not Owned:
        return False
    return not is_numpys(y_bar.buffer) or bool(y_bar.buffer.flags.c_contiguous)


def region_in(memory, region: Region | None) -> Any:
    """The view of a region of a cotangent of the memory, an array or a buffer."""
    if region is None:
        return memory
    if is_numpys(memory):
        return view_at(memory, region)
    return handle_on(memory.storage, view_at(memory.plain_view, region))


class ScatterIntoMemory:
    """How the cotangent of a read finds its region of the memory, and whether the values fit."""

    @staticmethod
    def part(memory, region, index) -> tuple[Any, Any]:
        """The view to add into, and at which index.

        Where the region shows an entry twice, these are the flat memory, and positions in it.
        """
        if region is None or not overlaps(region.shape, region.strides, region.dtype.itemsize):
            return region_in(memory, region), index
        of_one_lane = memory if is_numpys(memory) else memory.plain_view
        positions, flat = flat_positions(region, of_one_lane.nbytes)
        return region_in(memory, flat), positions if index is None else positions[index]

    @staticmethod
    def as_buffer(memory: np.ndarray, values) -> Any:
        """A stored array on plain memory, whose numbers are of the library of values to come."""
        library = library_holding(plain(values))
        held = None if library is None else held_copy(memory, library)
        return handle_on(Storage(memory, held), memory)

    @staticmethod
    def holds(memory, values) -> bool:
        """Whether these values can be added into this memory."""
        if type(memory) in STORED:
            return True
        if type(values) is np.ndarray:
            return is_numpys(memory)
        is_plain = not (issubclass(type(values), TracedArray) or is_held(values))
        return is_numpys(memory) and is_plain


def origins_pull(regions: list[Any], y_bar) -> tuple[Any, ...]:
    """The cotangents of the values that the memory was made of.

    Where several of them show an entry, the first one gets its cotangent.
    """
    if regions == [None]:
        return (resolved(y_bar),)
    memory = owned_memory(y_bar)
    bars = []
    for region in regions:
        is_repeated = type(region) is Distinct
        view = region_in(memory, region.region if is_repeated else region)
        bar = view.copy()
        view[...] = 0.0
        bars.append(region.spread(bar) if is_repeated else bar)
    return tuple(bars)


takes_sums.add(origins_pull)
