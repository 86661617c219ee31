"""Views that were made of an array before its first write, which show what is written.

They are values on the tape, of which nobody has a list, and a program without writes should not pay
for one. So the level remembers the memory, by the array that owns it and for as long as that lives.
Each operand of a later operation that lies in such memory becomes a handle on the storage that
replaced it. Slow dispatch looks for that; fast dispatch looks, from then on and until the owner is
gone, whether an operand has such an owner (`Watched`), and leaves those that do to the slow one.
"""

import weakref
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.annotations import Args
from chainrules_py.engines.call_plans import CallPlan
from chainrules_py.values.arrays import held_array, is_numpys, library_of_types, making
from chainrules_tape.arrays.fast_dispatch import OPTIONS
from chainrules_tape.arrays.fast_lookup import Body
from chainrules_tape.core.levels import SlowDispatch, SlowDispatchOnly
from chainrules_tape.in_place.known_layouts import known_layout
from chainrules_tape.in_place.lane_memory import lane_sizes
from chainrules_tape.in_place.regions import address, new_view, overlaps
from chainrules_tape.refusals.errors import InPlaceError
from chainrules_tape.refusals.handles import TracedArray, is_of_subclass, plain
from chainrules_tape.refusals.subclasses import numbers_of

# NumPy puts an object of this class between an array and its windows
_STRIDED = type(np.lib.stride_tricks.as_strided(np.zeros(1)).base)


class Memory(NamedTuple):
    """A range of addresses, the object that owns them, and an array that has all that is there.

    Where values have lanes, each has a part of it, which is described as if it were alone: `steps`
    are the distances from lane to lane, of those of the outermost level first.
    """

    owner: Any
    whole: Any
    low: int
    high: int
    lanes: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()

    @classmethod
    def of(cls, array: np.ndarray, alone: bool) -> "Memory":
        """The memory of which an array is a view, or its part that is the array's `alone`."""
        owner = owner_of(held_array(array))
        whole = np.asarray(owner) if type(owner) is memoryview else owner
        if type(array) is not np.ndarray:
            whole = owner_of(array)
        if is_of_subclass(type(whole)):
            whole = numbers_of(whole)
        if alone or not is_numpys(whole) or type(whole) is not type(array):
            whole = array
        return cls(owner, whole, *np.lib.array_utils.byte_bounds(held_array(whole)))

    @classmethod
    def of_lanes(cls, array: np.ndarray, lanes: tuple[int, ...]) -> "Memory | None":
        """The memory of which an array with lanes in front is a view.

        It is None where what one lane has of it is no regular part.
        """
        steps = array.strides[: len(lanes)]
        memory = cls.of(array, alone=False)._replace(lanes=lanes, steps=steps)
        return memory if memory.is_regular() and memory.shows(array) else None

    def steps_of_lanes(self) -> list[tuple[int, int]]:
        """How far apart the lanes are, and how many there are; the longest steps come first."""
        pairs = zip(self.steps, self.lanes, strict=True)
        return sorted([(step, n) for step, n in pairs if n > 1], reverse=True)

    def is_regular(self) -> bool:
        """Whether the lanes divide the memory, which has no gaps, into equal parts."""
        size = self.high - self.low
        if self.whole.nbytes != size or min(self.lanes) == 0 or min(self.whole.strides) <= 0:
            return False
        for step, n in self.steps_of_lanes():
            if step <= 0 or size % (step * n):
                return False
            size = step
        return True

    def shows(self, array: np.ndarray) -> bool:
        """Whether each lane of an array is, in the part of that lane, at the place of the first."""
        count = len(self.lanes)
        own = zip(self.lanes, self.steps, array.shape, array.strides, strict=False)
        if any(n != m or (n > 1 and step != stride) for n, step, m, stride in own):
            return False
        axes = list(zip(array.shape[count:], array.strides[count:], strict=True))
        start = address(array) - self.low
        for step, n in self.steps_of_lanes():
            small = [stride * (m - 1) for m, stride in axes if abs(stride) < step]
            first = start % (step * n)
            low = first + sum(s for s in small if s < 0)
            high = first + sum(s for s in small if s > 0)
            is_apart = all(m == 1 or abs(s) < step or not s % (step * n) for m, s in axes)
            if low < 0 or high >= step or not is_apart:
                return False
        return True

    def in_one_lane(self, distance: int) -> int:
        """The distance in the part of one lane, given that in the memory."""
        for step, n in self.steps_of_lanes():
            parts, rest = divmod(abs(distance), step * n)
            distance = (parts * step + rest) * (1 if distance >= 0 else -1)
        return distance

    def lanes_copied(self) -> np.ndarray:
        """A contiguous copy, whose first axes are the lanes, and whose last one is all of a lane."""
        flat = self.whole.ravel("K")
        shape: list[int] = []
        places, end = {}, self.high - self.low
        for step, n in self.steps_of_lanes():
            places[step] = len(shape) + 1
            shape += [end // (step * n), n]
            end = step
        blocks = flat.reshape((*shape, -1))
        sources = [places[step] for step, n in zip(self.steps, self.lanes, strict=True) if n > 1]
        in_front = np.moveaxis(blocks, sources, range(len(sources)))
        # memory of its own, since it becomes the root of a storage
        return in_front.reshape((*self.lanes, -1)).copy()

    def copied(self) -> np.ndarray:
        """A contiguous copy of the memory; what lies between the entries is zero."""
        whole: np.ndarray = self.whole
        outwards = sorted(range(whole.ndim), key=lambda axis: -abs(whole.strides[axis]))
        in_order = whole.transpose(outwards)
        if in_order.flags.c_contiguous:
            return in_order.copy()
        entries = -(-(self.high - self.low) // whole.dtype.itemsize)
        root: np.ndarray = zeros_beside(whole, (entries,), whole.dtype)
        self.view_in(root, whole, True)[...] = whole
        return root

    def view_in(
        self, root: np.ndarray, array: np.ndarray, writeable: bool | None = None
    ) -> np.ndarray:
        """The view of a copy of this memory that shows there what an array shows here."""
        count = len(self.lanes)
        shape, dtype = array.shape[count:], array.dtype
        if not array.size:
            return making.made(np.empty, shape, dtype)
        strides = tuple(map(self.in_one_lane, array.strides[count:]))
        start = self.in_one_lane(address(array) - self.low)
        view: np.ndarray = new_view(root, shape, dtype, start, strides)
        if writeable is None:
            # which of the entries that were broadcast would be written last, only NumPy knows
            writeable = not overlaps(shape, strides, array.itemsize) and array.flags.writeable
        view.flags.writeable = writeable
        return view


WITHOUT_MEMORY = OPTIONS | {EllipsisType}
WATCHED = ("reverse", "forward")  # modes of levels that catch `SlowDispatch`


class Watched(dict[Any, Any]):
    """In the place of the `stages` of a level, of which some memory was replaced: what is found here
    runs where no operand has the owner of such memory.
    """

    def __init__(self, aliases: "Aliases") -> None:
        super().__init__()
        self.aliases = aliases

    def __missing__(self, key) -> Any:
        found = self.aliases.stages[key]
        is_plan = type(found) is CallPlan
        if is_plan and type(found.bound) is not Body:
            found = found._replace(bound=found.bound._replace(run=self.watched(found.bound.run)))
        elif type(key) is tuple and found is not None and not is_plan:  # not of a number
            found = self.watched(found)
        super().__setitem__(key, found)
        return found

    def __setitem__(self, key, stage) -> None:
        self.aliases.stages[key] = stage

    def watched(self, run: Any) -> Any:
        """What is run, where no operand has the owner of memory that was replaced."""
        aliases, may_hold = self.aliases, self.aliases.may_hold

        def run_elsewhere(*values, **options) -> Any:
            if aliases.gone or any(map(may_hold, values)):
                raise SlowDispatch
            return run(*values, **options)

        return run_elsewhere


class Aliases:
    """The memory of a level's values that storages have replaced, while its owners live."""

    __slots__ = ("gone", "outside", "owners", "ranges", "stages")

    def __init__(self) -> None:
        self.ranges: dict[int, list[tuple[Memory, Any]]] = {}  # by the number of the owner
        self.owners: dict[int, Any] = {}
        self.gone: list[Any] = []  # references to owners that are gone, since somebody asked
        # the caller's arrays of which copies are differentiated and were written to
        self.outside: list[np.ndarray] = []
        self.stages: Any = None  # those of the level, while its operations take slow dispatch

    def add(self, level, memory: Memory, storage) -> None:
        """Remember memory and its storage, and have the operations of the level look for it."""
        key = id(memory.owner)
        self.forget_gone()
        if key not in self.ranges:
            self.ranges[key] = []
            self.owners[key] = reference_to(memory.owner, self.gone, key)
        self.ranges[key].append((memory._replace(owner=None, whole=None), storage))
        if self.stages is None and type(level.stages) is not SlowDispatchOnly:
            self.stages = level.stages
            level.stages = Watched(self) if level.mode in WATCHED else SlowDispatchOnly()

    def watch_outside(self, arrays: list[np.ndarray]) -> None:
        """Have operands among the caller's arrays, or views of these, looked at, too."""
        self.outside += arrays
        for array in arrays:
            self.ranges.setdefault(id(owner_of(array)), [])

    def may_hold(self, value) -> bool:
        """Whether a value may lie in memory that was replaced: one of its owner's did."""
        cls = type(value)
        if cls in WITHOUT_MEMORY:
            return False
        if cls is list or cls is tuple:
            return any(map(self.may_hold, value))
        value = plain(value)
        if not is_numpys(value):
            return not issubclass(type(value), np.generic)
        return id(owner_of(held_array(value))) in self.ranges

    def has_changed(self, level, args: Args) -> bool:
        """Whether an operand lay in memory that was replaced; it has become a stored array by now.

        Where nobody is left who shares memory, the level takes fast dispatch again.
        """
        self.forget_gone()
        if not self.ranges:
            if self.stages is not None:
                self.stages, level.stages = None, self.stages
            return False
        if self.outside:
            refuse_outside(self.outside, args)
        traced = [x for x in args if issubclass(type(x), TracedArray)]
        found = [self.follow(x) for x in traced if not x.is_stored and x.level is level]
        return True in found

    def follow(self, x) -> bool:
        """Turn a value in memory that was replaced into a stored array; say whether it was one."""
        array = plain(x)
        if x.has_attributes:
            array = numbers_of(array)
        elif not is_numpys(array):
            layout = known_layout(array)
            array = None if layout is None else layout.array
        self.forget_gone()
        found = None
        if self.ranges and array is not None and is_numpys(array) and not x.is_number:
            found = self.storage_of(array, lane_sizes(x))
        if found is None:
            return False
        storage, view = found
        holder, shown, value = storage, view, x
        # inner levels came later
        while holder is not None and holder.state.level is not x.level:
            holder, shown = holder.state.beneath_view(shown)
        # at each level the value that was there first
        while holder is not None and issubclass(type(value), TracedArray):
            holder.state.adopt(value, shown)
            (holder, shown), value = holder.state.beneath_view(shown), value.value
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
        ranges = self.ranges.get(id(owner_of(held_array(array))))
        if not ranges:
            return None
        low, high = np.lib.array_utils.byte_bounds(held_array(array))
        for memory, storage in ranges:
            is_inside = memory.low <= low and high <= memory.high
            if is_inside and memory.lanes == lanes and memory.shows(array):
                return storage, memory.view_in(storage.root, array)
        return None


def refuse_outside(outside: list[np.ndarray], args: Args) -> None:
    """Raise for an operand that is the caller's array, where its copy was written to."""
    for x in args:
        if type(x) is np.ndarray and any(share_memory(x, array) for array in outside):
            raise InPlaceError(
                "x[index] = v",
                "a write into an argument that is differentiated, and an operation on the same array"
                " by another name, which does not show the write",
                "use the argument alone, or let the function write into a copy, x = x.copy()",
                operation="write",
                value=x,
            )


def share_memory(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays have an entry of memory in common; yes, where that is hard to tell."""
    if not np.may_share_memory(one, other):
        return False
    work: Any = 10_000  # NumPy's stub knows two numbers only
    try:
        return bool(np.shares_memory(one, other, max_work=work))
    except np.exceptions.TooHardError:
        return True


def owner_of(array) -> Any:
    """The object that owns the memory of an array: itself, or what it is a view of."""
    while (type(array) in (np.ndarray, _STRIDED) or is_numpys(array)) and array.base is not None:
        array = array.base
        while is_of_subclass(type(array)) and issubclass(type(array.base), np.ndarray):
            array = array.base
    return array


def zeros_beside(array, shape: tuple[int, ...], dtype) -> Any:
    """Zeros in the library of an array."""
    return library_of_types((type(array),)).namespace.zeros(shape, dtype)


def reference_to(owner, gone: list[Any], key: int) -> Any:
    """A weak reference that adds itself to `gone`; the owner itself, if its class allows none.

    What is called then is no function of Python, in which a signal handler may raise, and nobody
    would hear of it.
    """
    try:
        return weakref.KeyedRef(owner, gone.append, key)
    except TypeError:
        return owner
