"""The first write into a traced array, which becomes a stored one; arrays that cross a level."""

from typing import Any

import numpy as np

from chainrules_py.introspection import reference_count
from chainrules_tape.core.tape import TapeHandle
from chainrules_tape.in_place.aliases import Memory
from chainrules_tape.in_place.storages import storage_of_value
from chainrules_tape.refusals.errors import raise_escaped_value
from chainrules_tape.refusals.handles import TracedArray, moved, plain


def as_stored(x: Any) -> Any:
    """Make a traced array one that can be written to, for all who hold its handle."""
    if x.is_stored:
        return x
    array, level = plain(x), x.level
    if level.written is not None and level.written.follow(x):
        return x
    is_own = array is x.value and array.base is None and array.flags.c_contiguous
    if is_own and reference_count(array) <= _SOLE:  # no view of it, and no pullback that keeps it
        root = array.copy()
        storage_of_value(x, root, root).attach(x, root)
        return x
    if level.closed:
        raise_escaped_value(np.copy, x)
    is_input = level.mode == "reverse" and x.slot < level.count
    # what else is in the memory of an input is the caller's
    memory = Memory.of(array, alone=is_input)
    root = memory.copied()
    view = memory.view_in(root, array, writeable=True if lies_in_argument(level, array) else None)
    storage = storage_of_value(x, root, view)
    level.written.add(level, memory, storage)  # pyright: ignore[reportOptionalMemberAccess]
    storage.attach(x, view)
    return x


def lies_in_argument(level: Any, array: np.ndarray) -> bool:
    """Whether an array shows an argument that the caller made read-only.

    What is differentiated is a copy of it, which may be written to.
    """
    if array.flags.writeable:
        return False
    arguments = [plain(x) for x in level.points]
    read_only = [x for x in arguments if type(x) is np.ndarray and not x.flags.writeable]
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
    array, _ = plain(x), None
    return reference_count(array)


_SOLE = _references_of_a_sole_owner()
