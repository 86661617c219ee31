"""What becomes of a traced array when it is written to for the first time, and of one that crosses
a level before that.
"""

from typing import Any

import numpy as np

from chainrules_py.introspection import reference_count
from chainrules_tape.in_place.aliases import Memory
from chainrules_tape.in_place.storages import Storage, handle_on, holding
from chainrules_tape.refusals.errors import raise_escaped_value
from chainrules_tape.refusals.handles import TracedArray, plain

_new = object.__new__


def stored(x: Any) -> Any:
    """The handle of an array as one that can be written to, for all who have it."""
    if x.is_stored:
        return x
    array, level = plain(x), x.level
    if level.written is not None and level.written.follow(x):
        return x
    if (
        array is x.value
        and array.base is None
        and reference_count(array) <= _SOLE
        and array.flags.c_contiguous
    ):
        # no view of it, and no pullback that keeps it
        holding(x, root := array.copy(), root).take(x, root)
        return x
    if level.closed:
        raise_escaped_value(np.copy, x)
    is_input = level.mode == "reverse" and x.slot < level.count
    # what else is in the memory of an input is the caller's
    memory = Memory.of(array, alone=is_input)
    root = memory.copied()
    view = memory.view_in(root, array, writeable=True if lies_in_argument(level, array) else None)
    storage = holding(x, root, view)
    level.written.add(level, memory, storage)  # pyright: ignore[reportOptionalMemberAccess]
    storage.take(x, view)
    return x


def lies_in_argument(level: Any, array: np.ndarray) -> bool:
    """Whether an array is an argument that the caller may not write to, or a view of one: what is
    differentiated is a copy.
    """
    if array.flags.writeable:
        return False
    arguments = [plain(x) for x in level.points]
    return any(
        np.may_share_memory(x, array)
        for x in arguments
        if type(x) is np.ndarray and not x.flags.writeable
    )


def apart(value: Any) -> Any:
    """A value on the same memory that is no view of its owner: who writes into that by its handle
    leaves this as it is.
    """
    if type(value) is np.ndarray:
        same: Any = value
        return np.asarray(memoryview(same))
    return value.settled() if issubclass(type(value), TracedArray) else value


def settled_value(self: TracedArray, level: Any = None) -> Any:
    """A value as it is: for another level a handle of its own, because this one may be written to."""
    own = self.level
    if own.written is not None and own.written.follow(self):
        return self.settled(level)
    if own is level:
        return self
    made: Any = _new(type(self))
    made.value, made.level = apart(self.value), own
    for name in type(self).__slots__:
        setattr(made, name, getattr(self, name))
    return made


TracedArray.settled = settled_value  # type: ignore[method-assign]


def _references_of_a_sole_owner() -> int:
    x = handle_on(Storage(np.empty(1)), np.empty(1))
    array, _ = plain(x), None
    return reference_count(array)


_SOLE = _references_of_a_sole_owner()
