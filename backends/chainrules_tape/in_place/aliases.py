"""Who else shares the memory of an array at its first write: its views from before, and what it is
a view of.

They are values on the tape, of which nobody has a list, and a program without writes should not pay
for one. So the level remembers the memory, by the array that owns it and for as long as that lives,
and each operand of a later operation that lies in such memory becomes a handle on the storage that
took its place. To be asked that, the operations of the level take the general way from then on,
until the owner is gone.
"""

import weakref
from typing import Any, NamedTuple

import numpy as np

from chainrules_tape.core.levels import GeneralWayOnly
from chainrules_tape.in_place.regions import address, overlaps
from chainrules_tape.refusals.handles import TracedArray, plain

# what NumPy puts between an array and its windows
_STRIDED = type(np.lib.stride_tricks.as_strided(np.zeros(1)).base)


class Memory(NamedTuple):
    """A range of addresses, the object that owns them, and an array that has all that is there."""

    owner: Any
    whole: Any
    low: int
    high: int

    @classmethod
    def of(cls, array: np.ndarray, alone: bool) -> "Memory":
        """The memory that an array is in, with what else is there; or the part of it that is the
        array's `alone`.
        """
        owner = owner_of(array)
        whole = np.asarray(owner) if type(owner) is memoryview else owner
        if alone or type(whole) is not np.ndarray:
            whole = array
        return cls(owner, whole, *np.lib.array_utils.byte_bounds(whole))

    def copied(self) -> np.ndarray:
        """What is there, in a contiguous array."""
        whole: np.ndarray = self.whole
        if whole.flags.c_contiguous:
            return whole.copy()
        root = np.zeros(-(-(self.high - self.low) // whole.dtype.itemsize), whole.dtype)
        self.view_in(root, whole, True)[...] = whole
        return root

    def view_in(
        self, root: np.ndarray, array: np.ndarray, writeable: bool | None = None
    ) -> np.ndarray:
        """The place of an array of this memory in a copy of it."""
        if not array.size:
            return np.empty(array.shape, array.dtype)
        view: np.ndarray = np.ndarray(
            array.shape, array.dtype, root, address(array) - self.low, array.strides
        )
        # which of the entries that were broadcast would be written last, only NumPy knows
        if writeable is None:
            writeable = (
                not overlaps(array.shape, array.strides, array.itemsize) and array.flags.writeable
            )
        view.flags.writeable = writeable
        return view


class Aliases:
    """Which memory has been replaced by which storage: ranges of addresses, by the array that owns
    them while that lives.
    """

    __slots__ = ("gone", "owners", "ranges", "stages")

    def __init__(self) -> None:
        self.ranges: dict[int, list[tuple[Memory, Any]]] = {}
        self.owners: dict[int, Any] = {}
        self.gone: list[Any] = []  # references to owners that are gone, since somebody asked
        self.stages: Any = None

    def add(self, level: Any, memory: Memory, storage: Any) -> None:
        """Remember memory, and have the operations of the level ask for it."""
        key = id(memory.owner)
        self.forget_gone()
        if key not in self.ranges:
            self.ranges[key] = []
            self.owners[key] = observed(memory.owner, self.gone, key)
        self.ranges[key].append((memory._replace(owner=None, whole=None), storage))
        if type(level.stages) is not GeneralWayOnly:
            self.stages, level.stages = level.stages, GeneralWayOnly()

    def has_changed(self, level: Any, args: tuple[Any, ...]) -> bool:
        """Whether an operand lies in memory that was replaced, and has become a handle on a storage
        by now.

        Where nobody is left who shares memory, the operations of the level take the fast ways
        again.
        """
        self.forget_gone()
        if not self.ranges:
            if self.stages is not None:
                self.stages, level.stages = None, self.stages
            return False
        values = [
            x
            for x in args
            if issubclass(type(x), TracedArray) and not x.is_stored and x.level is level
        ]
        found = [self.follow(x) for x in values]
        return True in found

    def follow(self, x: Any) -> bool:
        """Make a value that lies in memory that was replaced a handle on the storage, and say
        whether it was one.
        """
        array = plain(x)
        self.forget_gone()
        found = self.storage_of(array) if self.ranges and type(array) is np.ndarray else None
        if found is None:
            return False
        storage, view = found
        holder, value = storage, x
        # at each level the value that was there first
        while holder is not None and issubclass(type(value), TracedArray):
            holder.claim(value, view)
            holder, value = holder.beneath, value.value
        storage.take(x, view)
        return True

    def forget_gone(self) -> None:
        """Forget the owners that are gone, and all that read their memory: other objects may have
        their numbers by now.
        """
        while self.gone:
            key = self.gone.pop().key
            self.ranges.pop(key, None)
            self.owners.pop(key, None)

    def storage_of(self, array: np.ndarray) -> tuple[Any, np.ndarray] | None:
        """The storage that took the place of the memory of an array, and the array's part of it."""
        ranges = self.ranges.get(id(owner_of(array)))
        if ranges:
            low, high = np.lib.array_utils.byte_bounds(array)
            for memory, storage in ranges:
                if memory.low <= low and high <= memory.high:
                    return storage, memory.view_in(storage.root, array)
        return None


def owner_of(array: Any) -> Any:
    """Whose memory an array reads: its own, or that of what it is a view of."""
    while type(array) in (np.ndarray, _STRIDED) and array.base is not None:
        array = array.base
    return array


def observed(owner: Any, gone: list[Any], key: int) -> Any:
    """Refer to an owner weakly, to be found among those that are gone; strongly, where its class
    allows no other reference.

    What is called then is no function of Python, in which a signal handler may raise, and nobody
    would hear of it.
    """
    try:
        return weakref.KeyedRef(owner, gone.append, key)
    except TypeError:
        return owner
