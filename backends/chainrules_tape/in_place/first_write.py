"""The first write into a traced array, which becomes a stored one; arrays that cross a level."""

from itertools import combinations
from math import prod
from typing import Any, NoReturn

import numpy as np

from chainrules_py.batching.lanes import copied_lanes
from chainrules_py.introspection import reference_count
from chainrules_py.values.arrays import is_numpys
from chainrules_tape.core.tape import TapeHandle
from chainrules_tape.in_place.aliases import Aliases, Memory, zeros_beside
from chainrules_tape.in_place.held_memory import library_holding
from chainrules_tape.in_place.known_layouts import layout_of
from chainrules_tape.in_place.lane_memory import lane_sizes
from chainrules_tape.in_place.storages import held_in, storage_of_value
from chainrules_tape.refusals.errors import InPlaceError, raise_escaped_value
from chainrules_tape.refusals.handles import TracedArray, moved, plain
from chainrules_tape.series.level import Series


def as_stored(x: Any) -> Any:
    """Make a traced array one that can be written to, for all who hold its handle."""
    if x.is_stored:
        return x
    array, level, lanes = plain(x), x.level, lane_sizes(x)
    if level.written is not None and level.written.follow(x):
        return x
    if not is_numpys(array):
        return stored_over_library(x, array)
    is_own = array is x.value and array.base is None and array.flags.c_contiguous
    if is_own and reference_count(array) <= _SOLE:  # no view of it, and no pullback that keeps it
        numbers = array.copy()
        root = zeros_beside(array, x.shape, x.dtype) if lanes else numbers
        storage_of_value(x, root, root, numbers).attach(x, root)
        return x
    if level.closed:
        raise_escaped_value(np.copy, x)
    if level.given is not None:
        refuse_shared_arguments(level, array)
    if lanes:
        return stored_in_lanes(x, array, lanes)
    is_input = level.mode == "reverse" and x.slot < level.count
    # what else is in the memory of an input is the caller's
    memory = Memory.of(array, alone=is_input)
    root = memory.copied()
    view = memory.view_in(root, array, writeable=True if lies_in_argument(level, array) else None)
    storage = storage_of_value(x, root, view)
    level.written.add(level, memory, storage)  # pyright: ignore[reportOptionalMemberAccess]
    storage.attach(x, view)
    return x


def refuse_shared_arguments(tape: Any, array: np.ndarray) -> None:
    """Raise for a first write into an argument whose memory another one shares.

    Where none shares memory, that is found out once for a tape.
    """
    arrays = [plain(leaf) for leaf in tape.given]
    places = [place for place, leaf in enumerate(arrays) if is_numpys(leaf) and leaf.size]
    pairs = [
        pair for pair in combinations(places, 2) if share_memory(*[arrays[each] for each in pair])
    ]
    if not pairs:
        tape.given = None
        return
    for pair in pairs:
        if any(np.may_share_memory(plain(tape.points[each]), array) for each in pair):
            first, second = pair
            raise InPlaceError(
                "x[index] = v",
                f"a write into one of two arguments that are one memory, arrays {first} and {second}"
                " among those that are differentiated: a derivative by each alone does not exist",
                "pass a copy, x.copy(), or differentiate by one argument: grad(lambda x: f(x, x))",
                operation="write",
                value=tape.given[first],
            )


def share_memory(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays have an entry of memory in common; yes, where that is hard to tell."""
    if not np.may_share_memory(one, other):
        return False
    try:
        most_work: Any = 10_000
        return bool(np.shares_memory(one, other, max_work=most_work))
    except np.exceptions.TooHardError:
        return True


def stored_over_library(x: Any, array: Any) -> Any:
    """Make a value whose numbers another library has one that can be written to."""
    level = x.level
    if level.closed:
        raise_escaped_value(np.copy, x)
    if level.written is None:
        level.written = Aliases()
    layout, whole = layout_of(array)
    is_input = level.mode == "reverse" and x.slot < level.count
    memory = Memory.of(layout, alone=is_input)
    root = memory.copied()
    view = memory.view_in(root, layout)
    whole = array if whole is None or is_input else whole
    shown = memory.view_in(root, layout if whole is array else layout_of(whole).array, True)
    storage = storage_of_value(x, root, view, held=held_in(root, shown, whole))
    level.written.add(level, memory, storage)
    storage.attach(x, view)
    return x


def can_be_held(x: Any) -> bool:
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


def stored_in_lanes(x: Any, array: np.ndarray, lanes: tuple[int, ...]) -> Any:
    """Make a value in lanes one that can be written to, given the plain array of all lanes."""
    level, memory = x.level, Memory.of_lanes(array, lanes)
    is_regular = memory is not None
    if memory is None:
        if not is_alone(array):
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


def is_alone(array: np.ndarray) -> bool:
    """Whether an array whose lanes are apart in memory shares that with no array of the program.

    What is repeated in each lane was made for this value.
    """
    if not array.size or 0 in array.strides:
        return True
    owner = array.base
    if type(owner) is not np.ndarray or owner.base is not None:
        return False
    # this function and `stored_in_lanes` hold the array as well
    return reference_count(owner) <= _SOLE and reference_count(array) <= _SOLE + 2


def raise_shared_lanes(x: Any) -> NoReturn:
    """Raise for a first write to memory in which lanes are mixed, and of which there are views."""
    raise InPlaceError(
        "x[index] = v",
        "a write to an array in lanes, some view of which was taken before",
        "copy it first, x = x.copy(), or take views after the first write",
        operation="write",
        value=x,
    )


def lies_in_argument(level: Any, array: np.ndarray) -> bool:
    """Whether an array shows an argument that the caller made read-only.

    What is differentiated is a copy of it, which may be written to.
    """
    if array.flags.writeable:
        return False
    arguments = [plain(x) for x in level.points]
    read_only = [x for x in arguments if is_numpys(x) and not x.flags.writeable]
    return any(np.may_share_memory(x, array) for x in read_only)


def without_base(value: Any) -> Any:
    """An array on the same memory without a `base`: a first write does not count it as a view.

    A traced value is as it is now.
    """
    if type(value) is np.ndarray:
        same: Any = value
        return np.asarray(memoryview(same))
    return value.resolved() if issubclass(type(value), TracedArray) else value


class UnwrittenValue(TracedArray):
    """A traced value that has not been written to, or is a number."""

    __slots__ = ()

    def resolved(self, level: Any = None) -> Any:
        """The value as it is; for another level in a new handle, as this one may be written to."""
        own = self.level
        if own.written is not None and own.written.follow(self):
            return self.resolved(level)
        return self if own is level else moved(self, without_base(self.value))


def _references_of_a_sole_owner() -> int:
    x = TapeHandle()
    x.value = np.empty(1)
    array, _ = plain(x), None  # assigned as in `as_stored`, whose count is compared with this one
    return reference_count(array)


_SOLE = _references_of_a_sole_owner()
