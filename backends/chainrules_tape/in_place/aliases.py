"""Arrays that share memory with another at its first write: views from before, and what they show.

They are values on the tape, of which nobody has a list, and a program without writes should not pay
for one. So the level remembers the memory, by the array that owns it and for as long as that lives.
Each operand of a later operation that lies in such memory becomes a handle on the storage that
replaced it. The operations of the level take slow dispatch from then on, which looks for that,
until the owner is gone.
"""

import math
import weakref
from typing import Any, NamedTuple

import numpy as np

from chainrules_tape.core.levels import SlowDispatchOnly
from chainrules_tape.in_place.lane_memory import lane_sizes
from chainrules_tape.in_place.regions import address, overlaps
from chainrules_tape.refusals.handles import TracedArray, plain

# NumPy puts an object of this class between an array and its windows
_STRIDED = type(np.lib.stride_tricks.as_strided(np.zeros(1)).base)


class Memory(NamedTuple):
    """A range of addresses, the object that owns them, and an array that has all that is there.

    Where values have lanes, it consists of as many equal parts, one after the other.
    """

    owner: Any
    whole: Any
    low: int
    high: int
    lanes: tuple[int, ...] = ()

    @classmethod
    def of(cls, array: np.ndarray, alone: bool) -> "Memory":
        """The memory of which an array is a view, or its part that is the array's `alone`."""
        owner = owner_of(array)
        whole = np.asarray(owner) if type(owner) is memoryview else owner
        if alone or type(whole) is not np.ndarray:
            whole = array
        return cls(owner, whole, *np.lib.array_utils.byte_bounds(whole))

    @classmethod
    def of_lanes(cls, array: np.ndarray, lanes: tuple[int, ...]) -> "Memory | None":
        """The memory of which an array with lanes in front is a view.

        It is None where the lanes do not follow each other in it, each alike.
        """
        memory = cls.of(array, alone=False)._replace(lanes=lanes)
        count = math.prod(lanes)
        if not (count and memory.whole.flags.c_contiguous and memory.is_like(array)):
            return None
        first = array[(0,) * len(lanes) + (...,)]
        low, high = np.lib.array_utils.byte_bounds(first)
        is_first = memory.low <= low and high <= memory.low + memory.bytes_of_lane
        return memory if is_first else None

    @property
    def bytes_of_lane(self) -> int:
        """The number of bytes of one lane; of all, where there are none."""
        return (self.high - self.low) // math.prod(self.lanes)

    def is_like(self, array: np.ndarray) -> bool:
        """Whether the lanes of an array follow each other as those of the memory do."""
        step = self.bytes_of_lane
        axes = list(zip(array.shape, array.strides, strict=True))[: len(self.lanes)]
        for size, (n, stride) in zip(reversed(self.lanes), reversed(axes), strict=True):
            if n != size or (n > 1 and stride != step):
                return False
            step *= n
        return True

    def lanes_copied(self) -> np.ndarray:
        """A contiguous copy, whose first axes are the lanes, and whose last one is all of a lane."""
        return self.whole.reshape((*self.lanes, -1)).copy()

    def copied(self) -> np.ndarray:
        """A contiguous copy of the memory; what lies between the entries is zero."""
        whole: np.ndarray = self.whole
        if whole.flags.c_contiguous:
            return whole.copy()
        entries = -(-(self.high - self.low) // whole.dtype.itemsize)
        root = np.zeros(entries, whole.dtype)
        self.view_in(root, whole, True)[...] = whole
        return root

    def view_in(
        self, root: np.ndarray, array: np.ndarray, writeable: bool | None = None
    ) -> np.ndarray:
        """The view of a copy of this memory that shows there what an array shows here."""
        count = len(self.lanes)
        shape, dtype, strides = array.shape[count:], array.dtype, array.strides[count:]
        if not array.size:
            return np.empty(shape, dtype)
        view: np.ndarray = np.ndarray(shape, dtype, root, address(array) - self.low, strides)
        if writeable is None:
            # which of the entries that were broadcast would be written last, only NumPy knows
            writeable = array.flags.writeable and not overlaps(shape, strides, array.itemsize)
        view.flags.writeable = writeable
        return view


class Aliases:
    """The memory of a level's values that storages have replaced, while its owners live."""

    __slots__ = ("gone", "owners", "ranges", "stages")

    def __init__(self) -> None:
        self.ranges: dict[int, list[tuple[Memory, Any]]] = {}  # by the number of the owner
        self.owners: dict[int, Any] = {}
        self.gone: list[Any] = []  # references to owners that are gone, since somebody asked
        self.stages: Any = None  # those of the level, while its operations take slow dispatch

    def add(self, level: Any, memory: Memory, storage: Any) -> None:
        """Remember memory and its storage, and have the operations of the level look for it."""
        key = id(memory.owner)
        self.forget_gone()
        if key not in self.ranges:
            self.ranges[key] = []
            self.owners[key] = reference_to(memory.owner, self.gone, key)
        self.ranges[key].append((memory._replace(owner=None, whole=None), storage))
        if type(level.stages) is not SlowDispatchOnly:
            self.stages, level.stages = level.stages, SlowDispatchOnly()

    def has_changed(self, level: Any, args: tuple[Any, ...]) -> bool:
        """Whether an operand lay in memory that was replaced; it has become a stored array by now.

        Where nobody is left who shares memory, the level takes fast dispatch again.
        """
        self.forget_gone()
        if not self.ranges:
            if self.stages is not None:
                self.stages, level.stages = None, self.stages
            return False
        traced = [x for x in args if issubclass(type(x), TracedArray)]
        found = [self.follow(x) for x in traced if not x.is_stored and x.level is level]
        return True in found

    def follow(self, x: Any) -> bool:
        """Turn a value in memory that was replaced into a stored array; say whether it was one."""
        array = plain(x)
        self.forget_gone()
        is_array = type(array) is np.ndarray and not x.is_number
        found = self.storage_of(array, lane_sizes(x)) if self.ranges and is_array else None
        if found is None:
            return False
        storage, view = found
        holder, shown, value = storage, view, x
        # at each level the value that was there first
        while holder is not None and issubclass(type(value), TracedArray):
            holder.adopt(value, shown)
            (holder, shown), value = holder.beneath_view(shown), value.value
        storage.attach(x, view)
        return True

    def forget_gone(self) -> None:
        """Forget owners that are gone: other objects may have their numbers by now."""
        while self.gone:
            key = self.gone.pop().key
            self.ranges.pop(key, None)
            self.owners.pop(key, None)

    def storage_of(
        self, array: np.ndarray, lanes: tuple[int, ...]
    ) -> tuple[Any, np.ndarray] | None:
        """The storage that replaced the memory of an array, and the array's view of it."""
        ranges = self.ranges.get(id(owner_of(array)))
        if not ranges:
            return None
        low, high = np.lib.array_utils.byte_bounds(array)
        for memory, storage in ranges:
            is_inside = memory.low <= low and high <= memory.high
            if is_inside and memory.lanes == lanes and memory.is_like(array):
                return storage, memory.view_in(storage.root, array)
        return None


def owner_of(array: Any) -> Any:
    """The object that owns the memory of an array: itself, or what it is a view of."""
    while type(array) in (np.ndarray, _STRIDED) and array.base is not None:
        array = array.base
    return array


def reference_to(owner: Any, gone: list[Any], key: int) -> Any:
    """A weak reference that adds itself to `gone`; the owner itself, if its class allows none.

    What is called then is no function of Python, in which a signal handler may raise, and nobody
    would hear of it.
    """
    try:
        return weakref.KeyedRef(owner, gone.append, key)
    except TypeError:
        return owner
