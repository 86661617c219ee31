"""The first write into a traced array, which becomes a stored one; arrays that cross a level."""

import threading
import weakref
from itertools import combinations
from math import prod
from typing import Any, NoReturn

import numpy as np

from chainrules_py.batching.lanes import copied_lanes
from chainrules_py.introspection import reference_count
from chainrules_py.values.arrays import is_numpys
from chainrules_tape.core.tape import TapeHandle
from chainrules_tape.core.trees import flatten
from chainrules_tape.in_place.aliases import Memory, share_memory, zeros_beside
from chainrules_tape.in_place.held_memory import library_holding
from chainrules_tape.in_place.known_layouts import another, layout_of
from chainrules_tape.in_place.lane_memory import lane_sizes
from chainrules_tape.in_place.storages import held_in, storage_of_value
from chainrules_tape.overwriting.constants import is_in_program
from chainrules_tape.refusals.errors import InPlaceError, raise_escaped_value
from chainrules_tape.refusals.handles import TracedArray, moved, plain
from chainrules_tape.refusals.subclasses import numbers_of
from chainrules_tape.series.level import Series


class FirstWrites(threading.local):
    """How many first writes there were, in this thread, where the arguments are known that a
    function was given: a compiled program of one is none for arguments that are one memory.
    """

    count = 0


first_writes = FirstWrites()


def as_stored(x) -> Any:
    """Make a traced array one that can be written to, for all who hold its handle."""
    if x.is_stored:
        return x
    array, level, lanes = plain(x), x.level, lane_sizes(x)
    if level.written is not None and level.written.follow(x):
        return x
    if level.given is not None:
        first_writes.count += 1
    if x.has_attributes:  # what is written to is a plain array from now on
        array = numbers_of(array)
    if not is_numpys(array):
        return stored_over_library(x, array)
    if level.given is not None and level.given[1] is not None:
        refuse_shared_arguments(level, array)
    is_own = array is x.value and array.base is None and array.flags.c_contiguous
    is_held_alone = reference_count(array) <= _SOLE  # no view of it, and no pullback that keeps it
    if is_own and is_held_alone:
        numbers = array.copy()
        root = zeros_beside(array, x.shape, x.dtype) if lanes else numbers
        storage_of_value(x, root, root, numbers).attach(x, root)
        return x
    if level.closed:
        raise_escaped_value(np.copy, x)
    if lanes:
        return stored_in_lanes(x, array, lanes, is_held_alone)
    is_input = level.mode == "reverse" and x.slot < level.count
    # what else is in the memory of an input is the caller's
    memory = Memory.of(array, alone=is_input)
    root = memory.copied()
    view = memory.view_in(root, array, writeable=True if lies_in_argument(level, array) else None)
    storage = storage_of_value(x, root, view)
    written: Any = level.written
    written.add(level, memory, storage)
    if level.given is not None:
        leaves = enumerate(level.given[0])
        is_array = [(place, leaf) for place, leaf in leaves if type(leaf) is np.ndarray]
        written.watch_outside(
            [leaf for place, leaf in is_array if shows_argument(level, place, array)]
        )
    storage.attach(x, view)
    return x


def refuse_shared_arguments(level, array: np.ndarray) -> None:
    """Raise for a first write into an argument whose memory another one shares.

    Where none shares memory, that is found out once for a level.
    """
    leaves, constants = level.given
    arrays = [plain(leaf) for leaf in [*leaves, *flatten(constants)[0]]]
    places = [place for place, leaf in enumerate(arrays) if type(leaf) is np.ndarray and leaf.size]
    pairs = [
        pair
        for pair in combinations(places, 2)
        if pair[0] < len(leaves)
        and share_memory(*[arrays[each] for each in pair])
        and not is_one_argument(level, *pair)
    ]
    if not pairs:
        level.given = leaves, None
        return
    for pair in pairs:
        if any(shows_argument(level, each, array) for each in pair if each < len(leaves)):
            raise InPlaceError(
                "x[index] = v",
                f"a write into one of two arguments that share memory, arrays {pair[0]} and {pair[1]}"
                " of those passed: each is copied, so the other would not show the write",
                "pass a copy, x.copy(), or the array once: lambda x: f(x, x)",
                operation="write",
                value=leaves[pair[0]],
            )


def is_one_argument(level, first: int, second: int) -> bool:
    """Whether two arguments that share memory do so for the function, too, and move together."""
    if second >= len(level.points):
        return False
    if level.mode == "batching":
        found = level.points[first], level.points[second]
        return None not in found and found[0]() is found[1]()
    if type(level) is Series or level.mode != "forward":
        return False
    one, other = level.points[first], level.points[second]
    dots = level.dots[first], level.dots[second]
    if type(one) is not np.ndarray or type(other) is not np.ndarray or not one.flags.writeable:
        return False
    is_same = one.__array_interface__ == other.__array_interface__
    is_plain = type(dots[0]) is np.ndarray and type(dots[1]) is np.ndarray
    return is_same and (dots[0] is dots[1] or (is_plain and np.array_equal(*dots)))


def shows_argument(level, place: int, array: np.ndarray) -> bool:
    """Whether an array shows memory of one of the arguments, as the function was given it."""
    point = level.points[place]
    if isinstance(point, weakref.ref):
        point = point()
    point = plain(point)
    return is_numpys(point) and np.may_share_memory(point, array)


def stored_over_library(x, array) -> Any:
    """Make a value whose numbers another library has one that can be written to."""
    level = x.level
    if level.closed:
        raise_escaped_value(np.copy, x)
    layout, whole = layout_of(array)
    is_input = level.mode == "reverse" and x.slot < level.count
    memory = Memory.of(layout, alone=is_input)
    root = memory.copied()
    view = memory.view_in(root, layout)
    whole = array if whole is None or is_input else whole
    shown = memory.view_in(root, layout_of(whole).array, True)
    storage = storage_of_value(x, root, view, held=held_in(root, shown, whole))
    level.written.add(level, memory, storage)
    storage.attach(x, view)
    return x


def can_be_stored(x) -> bool:
    """Whether a traced array can be written to."""
    return x.is_stored or x.has_attributes or is_numpys(plain(x)) or can_be_held(x)


def can_be_held(x) -> bool:
    """Whether a traced value is an array of another library that can be written to.

    In lanes, series and patterns, only NumPy's can.
    """
    value = x
    while issubclass(type(value), TracedArray):
        level = value.level
        if type(level) is Series or level.mode not in ("reverse", "forward"):
            return False
        value = value.value
    return library_holding(value) is not None


def stored_in_lanes(x, array: np.ndarray, lanes: tuple[int, ...], is_held_alone: bool) -> Any:
    """Make a value in lanes one that can be written to, given the plain array of all lanes."""
    level, memory = x.level, Memory.of_lanes(array, lanes)
    is_regular = memory is not None
    if memory is None:
        if not is_unshared(array, is_held_alone):
            raise_shared_lanes(x)
        array = copied_lanes(array, len(lanes))
        memory = Memory.of(array, alone=False)
        memory = memory._replace(lanes=lanes, steps=array.strides[: len(lanes)])
    numbers = memory.lanes_copied() if memory.whole.size else nothing_in_lanes(array, lanes)
    root = zeros_beside(array, numbers.shape[len(lanes) :], numbers.dtype)
    view = memory.view_in(root, array)
    storage = storage_of_value(x, root, view, numbers)
    if is_regular:
        level.written.add(level, memory, storage)
    storage.attach(x, view)
    return x


def nothing_in_lanes(array: np.ndarray, lanes: tuple[int, ...]) -> np.ndarray:
    """Memory for an array without entries: no lanes, each with room, or lanes without any."""
    return np.zeros((*lanes, prod(array.shape[len(lanes) :])), array.dtype)


def is_unshared(array: np.ndarray, is_held_alone: bool) -> bool:
    """Whether an array whose lanes are apart in memory shares that with no array of the program.

    What is repeated in each lane was made for this value.
    """
    if not array.size or 0 in array.strides:
        return True
    owner = array.base
    if type(owner) is not np.ndarray or owner.base is not None:
        return False
    return is_held_alone and reference_count(owner) <= _SOLE


def raise_shared_lanes(x) -> NoReturn:
    """Raise for a first write to memory in which lanes are mixed, and of which there are views."""
    raise InPlaceError(
        "x[index] = v",
        "a write to an array in lanes, some view of which was taken before",
        "copy it first, x = x.copy(), or take views after the first write",
        operation="write",
        value=x,
    )


def lies_in_argument(level, array: np.ndarray) -> bool:
    """Whether an array shows an argument that the caller made read-only.

    What is differentiated is a copy of it, which may be written to.
    """
    if array.flags.writeable:
        return False
    arguments = [plain(x) for x in level.points]
    read_only = [x for x in arguments if is_numpys(x) and not x.flags.writeable]
    return any(np.may_share_memory(x, array) for x in read_only)


def without_base(value, level: Any = None) -> Any:
    """An array on the same memory without a `base`: a first write does not count it as a view.

    A traced value is as it is now, an array of another library another one with its numbers; so is
    one in a program, if a level is to keep it.
    """
    if type(value) is np.ndarray:
        same: Any = value
        return np.asarray(memoryview(same))
    if issubclass(type(value), TracedArray):
        return value.resolved(level)
    is_programs = level is not None and is_in_program(type(value))
    return another(value) if is_programs or library_holding(value) is not None else value


class UnwrittenValue(TracedArray):
    """A traced value that has not been written to, or is a number."""

    __slots__ = ()

    def resolved(self, level: Any = None) -> Any:
        """The value as it is; for another level in a new handle, as this one may be written to."""
        own = self.level
        if own.written is not None and own.written.follow(self):
            return self.resolved(level)
        return self if own is level else moved(self, without_base(self.value, level))


def _references_of_a_sole_owner() -> float:
    x = TapeHandle()
    x.value = np.empty(1)
    array, _ = plain(x), None  # assigned as in `as_stored`, whose count is compared with this one
    return reference_count(array)


_SOLE = _references_of_a_sole_owner()
