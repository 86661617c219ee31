"""Storage: memory that a program writes into, and the handles on its parts that take the place of
those that were written to.

A traced array is a value until it is written to for the first time. Then its memory is copied,
once, and from there on the array, and each view of it, is a handle on a part of that copy, the
*storage*. NumPy itself keeps the views: a stored handle holds a view of the storage's plain memory
(`part`), so that what shares memory in NumPy does here.

    root        the plain memory, an array of its own
    level       whose values it holds now; None for plain numbers
    beneath     the storage of the values that are traced at an outer level, on the same root; None where they are plain
    latest      on a tape, the slot of what the memory holds now: each write makes another one, whose parent is the one before
    dots        in forward mode, the storage of the tangent, of the same layout

What a rule or a residual gets is never this memory, but a copy (`read`), so that no write can
change what is kept. Writing costs what is written, reading what is read, and nothing else is
copied.
"""

from functools import cache
from typing import Any

import numpy as np

from chainrules_py.accumulation import Owned
from chainrules_tape.core.duals import HANDLE_OF as DUAL_OF
from chainrules_tape.core.sweep import takes_sums
from chainrules_tape.core.values import finished_cotangent
from chainrules_tape.in_place.aliases import Aliases, Memory
from chainrules_tape.in_place.regions import (
    Region,
    flat_positions,
    is_broadcast,
    once_in,
    overlaps,
    part,
    region_of,
)
from chainrules_tape.in_place.repeated_entries import Once, entries_once, unless_claimed
from chainrules_tape.refusals.errors import raise_escaped_value
from chainrules_tape.refusals.handles import TracedArray, plain

_new = object.__new__


class StoredArray(TracedArray):
    """A handle on a part of a storage: an array that may be written to."""

    # Those of the handles that become one by their first write: the class is all that changes of
    # them.
    __slots__ = ("slot",)
    is_stored = True
    storage: Any = property(lambda self: self.slot)
    part: Any = TracedArray.__dict__["value"]
    # (version, the array that was read): what is read twice is copied once
    seen: Any = TracedArray.__dict__["level"]
    slot: Any
    level: Any = property(lambda self: self.storage.current().level)

    @property
    def value(self) -> Any:
        """What the rules of its level see: NumPy's view, or a handle of an outer level."""
        beneath = self.storage.current().beneath
        return self.part if beneath is None else handle_on(beneath, self.part)

    def settled(self, level: Any = None) -> Any:
        """What it holds now, as an array that no write changes; plain, if nothing in it is traced."""
        return self.storage.current().read(self.part)

    def operand(self) -> Any:
        """What it holds now, for operations of which the result is never a view: what several of
        them read is copied once.
        """
        storage = self.storage.current()
        seen = self.seen
        if seen is not None and seen[0] == storage.version:
            return seen[1]
        found = storage.read(self.part)
        self.seen = (storage.version, found) if issubclass(type(found), TracedArray) else None
        return found


class StoredDual(TracedArray):
    """What `StoredArray` is, with the layout of a handle of forward mode."""

    __slots__ = ("tangent",)
    is_stored = True
    storage: Any = property(lambda self: self.tangent)


for _name in ("part", "seen", "level", "value", "settled", "operand"):
    setattr(StoredDual, _name, StoredArray.__dict__[_name])
# The slots themselves: 40 ns less than a property.
StoredArray.storage, StoredDual.storage = (
    StoredArray.__dict__["slot"],
    StoredDual.__dict__["tangent"],
)
STORED = frozenset({StoredArray, StoredDual})
STORED_BY = {"slot": StoredArray, "tangent": StoredDual}


def handle_on(storage: "Storage", view: np.ndarray) -> Any:
    """The handle on a part of a storage, given as a view of its root."""
    made = _new(StoredArray)
    made.slot, made.part, made.seen = storage, view, None
    return made


class Storage:
    """Memory that a program writes into."""

    __slots__ = (
        "beneath",
        "claimed",
        "dots",
        "latest",
        "level",
        "opening",
        "raised",
        "root",
        "version",
    )

    def __init__(self, root: np.ndarray) -> None:
        self.root, self.version = root, 0
        self.level: Any = None
        self.beneath: Storage | None = None
        self.latest: Any = None
        self.opening: Any = None
        self.dots: Any = None
        self.claimed: Any = None
        self.raised = True  # that of plain numbers is there when all levels have ended

    def current(self) -> "Storage":
        """The storage itself, having forgotten the levels that have ended: their values remain, as
        constants.
        """
        while self.level is not None and self.level.closed and self.raised:
            self._copy_state(self.beneath if self.beneath is not None else Storage(self.root))
        return self

    def _copy_state(self, other: "Storage") -> None:
        self.level, self.beneath, self.latest, self.opening = (
            other.level,
            other.beneath,
            other.latest,
            other.opening,
        )
        self.dots, self.claimed, self.raised = other.dots, other.claimed, other.raised
        self.version += 1

    def raise_to(self, level: Any) -> None:
        """Make it hold values of a level inside of its own: what it held until now are constants
        there.
        """
        if self.level is not None:
            beneath = Storage(self.root)
            beneath._copy_state(self)
            self.beneath = beneath
        self.open(level)
        self.raised = True

    def open(self, level: Any) -> None:
        """Begin to hold values of a level."""
        self.level, self.latest, self.opening, self.dots, self.claimed = (
            level,
            None,
            None,
            None,
            None,
        )
        if level.written is None:
            level.written = Aliases()
        self.version += 1
        if level.mode == "reverse":
            regions: list[Any] = []
            slots: list[Any] = []
            self.latest = level.record(None, hand_over, regions, slots).slot
            self.opening = (regions, slots)
        else:
            self.dots = buffer_of(np.zeros(self.root.shape, self.root.dtype))
            self.claimed = np.zeros(self.root.shape, self.root.dtype)

    def claim(self, x: Any, view: np.ndarray) -> None:
        """Take over what a value of the level carries, for the part of the memory that it is the
        value of.
        """
        index: Any = ()
        if overlaps(view.shape, view.strides, view.itemsize):
            index = entries_once(x, view)
        region = region_of(view[index] if index else view, self.root)
        if self.level.mode == "reverse":
            regions, slots = self.opening
            regions.append(Once(region, view.shape, index) if index else region)
            slots.append(x.slot)
            return
        x_dot = x.tangent[index] if index else x.tangent
        claimed, dots = part(self.claimed, region), self.dots_at(region)
        dots[...] = unless_claimed(claimed, x_dot, dots.settled()) if np.any(claimed) else x_dot
        claimed[...] = 1 + 1j if claimed.dtype.kind == "c" else 1

    def take(self, x: Any, view: np.ndarray) -> None:
        """Make a handle of a value one on a part of this storage, for all who have it."""
        (name,) = type(x).__slots__
        # `__class__` itself is the class of the value
        object.__dict__["__class__"].__set__(x, STORED_BY[name])
        setattr(x, name, self)
        x.part, x.seen = view, None

    def dots_at(self, region: Region | None) -> Any:
        """The handle on a part of the tangent."""
        return (
            self.dots
            if region is None
            else handle_on(self.dots.storage, part(self.dots.storage.root, region))
        )

    def read(self, view: np.ndarray, index: Any = None) -> Any:
        """The value of a part now, or of entries of it; what was broadcast is read once, and
        broadcast again.
        """
        if index is None and 0 in view.strides and is_broadcast(view):
            return np.broadcast_to(self.read(view[once_in(view)]), view.shape)
        level = self.level
        if level is None:
            return view.copy("K") if index is None else view[index]
        if level.closed:
            raise_escaped_value(np.copy, handle_on(self, view))
        if self.beneath is not None:
            y = self.beneath.current().read(view, index)
        else:
            y = view.copy("K") if index is None else view[index]
        region = region_of(view, self.root)
        if level.mode == "forward":
            dots = self.dots_at(region)
            return made_dual(level, y, dots.settled() if index is None else entries(dots, index))
        root = self.root
        return level.record(y, read_pull, (region, index, root.shape, root.dtype), self.latest)


def entries(x: Any, index: Any) -> Any:
    """The entries of a stored array, no view of it."""
    return x.storage.current().read(x.part, index)


def made_dual(level: Any, y: Any, y_dot: Any) -> Any:
    """A handle of forward mode."""
    made: Any = _new(DUAL_OF[type(y)])
    made.value, made.tangent, made.level = y, y_dot, level
    return made


def buffer_of(array: np.ndarray) -> Any:
    """A stored array of plain numbers, whose memory is that of an array that nobody else has."""
    return handle_on(Storage(array), array)


def as_buffer(y: Any) -> Any:
    """An array of plain numbers that nobody else has as one that traced values can be written into;
    anything else as it is.
    """
    if type(y) is not np.ndarray or y.dtype.kind not in "fc":
        return y
    if y.base is None and y.flags.c_contiguous:
        return buffer_of(y)
    # in the order that it has, on which it depends what is a view of it
    memory = Memory.of(y, alone=True)
    root = memory.copied()
    return handle_on(Storage(root), memory.view_in(root, y))


# The pullbacks of opening a storage and of reading it: the cotangent of the memory is one array,
# which they and those of the writes change in place, where a sum that nobody else holds (`Owned`)
# arrives. Where something in it is traced, it is a buffer.


def read_pull(kept: Any, y_bar: Any) -> tuple[Any]:
    """The cotangent of the memory from that of what was read."""
    region, index, shape, _ = kept
    if region is None and index is None and shape == y_bar.shape:
        return (y_bar,)
    return (in_memory()(y_bar, Access, kept),)


@cache
def in_memory() -> Any:
    """The class of what reads give back, in a rule pack, which the first of them loads."""
    from chainrules_py.rulesets.entries.regions import InMemory

    return InMemory


def own_memory(y_bar: Any) -> Any:
    """A cotangent of the memory that nobody else holds: an array, or where something in it is
    traced a buffer.
    """
    if type(y_bar) is in_memory() and not y_bar.forced:
        return y_bar.memory()
    if is_own_memory(y_bar):
        return y_bar.buffer
    y_bar = y_bar.buffer if type(y_bar) is Owned else finished_cotangent(y_bar)
    if not issubclass(type(y_bar), TracedArray):
        return np.array(y_bar, order="C")
    root = np.array(plain(y_bar), order="C")
    return handle_on(holding(y_bar, root, root), root)


def is_own_memory(y_bar: Any) -> bool:
    """Whether a cotangent is a sum that nobody else holds, laid out as memory is."""
    return type(y_bar) is Owned and (
        type(y_bar.buffer) is not np.ndarray or y_bar.buffer.flags.c_contiguous
    )


def part_of_memory(memory: Any, region: Region | None) -> Any:
    """A part of a cotangent of the memory."""
    if region is None:
        return memory
    return (
        part(memory, region)
        if type(memory) is np.ndarray
        else handle_on(memory.storage, part(memory.part, region))
    )


class Access:
    """What a cotangent of something that was read asks about the memory that it is added into."""

    @staticmethod
    def part(memory: Any, region: Any, index: Any) -> tuple[Any, Any]:
        """A part of the memory and an index of that; where an entry is there twice, of the flat
        memory and of positions.
        """
        if region is None or not overlaps(region.shape, region.strides, region.dtype.itemsize):
            return part_of_memory(memory, region), index
        positions, flat = flat_positions(region, plain(memory).nbytes)
        return part_of_memory(memory, flat), positions if index is None else positions[index]

    opened = staticmethod(buffer_of)

    @staticmethod
    def holds(memory: Any, values: Any) -> bool:
        """Whether these values can be added into this memory."""
        return type(memory) in STORED or (
            type(memory) is np.ndarray and not issubclass(type(values), TracedArray)
        )


def hand_over(kept: Any, y_bar: Any) -> tuple[Any, ...]:
    """The cotangents of the values that the memory held first: each entry goes to one of those that
    it belongs to.
    """
    if kept == [None]:
        return (finished_cotangent(y_bar),)
    memory, bars = own_memory(y_bar), []
    for region in kept:
        mine = part_of_memory(memory, region.region if type(region) is Once else region)
        bar = mine.copy()
        mine[...] = 0.0
        bars.append(region.spread(bar) if type(region) is Once else bar)
    return tuple(bars)


takes_sums.add(hand_over)


def holding(x: Any, root: np.ndarray, view: np.ndarray) -> Storage:
    """A storage of the level of a traced value, and of those outside, that holds it at a part of
    its root.
    """
    storage = Storage(root)
    if issubclass(type(x.value), TracedArray):
        storage.beneath = holding(x.value, root, view)
    storage.open(x.level)
    storage.raised = False
    storage.claim(x, view)
    return storage
