"""Assignments to entries and augmented ones: to stored arrays, and to traced ones, which become
such by them.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.values.arrays import Array, library_of
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.tape import HANDLES, Tape
from chainrules_tape.in_place.first_write import stored
from chainrules_tape.in_place.reading import BASIC, is_basic, is_stored, now, own_index, settled_in
from chainrules_tape.in_place.regions import region_of
from chainrules_tape.in_place.writing import written, written_pull
from chainrules_tape.refusals import advice, errors
from chainrules_tape.refusals.handles import plain
from chainrules_tape.refusals.instrumented_packages import array_of_object, packages

AUGMENTED = {
    name: getattr(operator, name[:2] + name[3:]) for name in advice.WRITES if name.startswith("__i")
}


def setitem(self: Any, index: Any, values: Any) -> None:
    """Write entries."""
    if is_stored(values):
        target: Any = self.part[index] if values.storage is self.storage else None
        if (
            type(target) is np.ndarray
            and target.base is self.storage.root
            and same_place(target, values.part)
        ):
            return  # the last step of ``x[index] += v``, where there is nothing left to do
    elif is_basic(index) and write_at_once(self, index, values):
        return
    if type(values) is list or type(values) is tuple:
        values = as_operand(values)
    elif packages:
        values = array_of_object(values)
    if type(index) not in BASIC:
        index = own_index(index)
    written(operator.setitem, (self, index, values), {})


def write_at_once(x: Any, index: Any, values: Any) -> bool:
    """Write a constant or a value of a tape into its memory, where nothing else has to be asked: 10
    us less than `written`.
    """
    storage = x.storage
    level, slot = storage.level, None
    if type(level) is not Tape or storage.beneath is not None or level.written.ranges:
        return False
    if type(values) in HANDLES:
        if values.level is not level:
            return False
        values, slot = values.value, values.slot
    try:
        stage = level.stages[operator.setitem, type(index), type(values), slot is None]
    except KeyError:
        stage = stage_of_write(level, index, values, slot is not None)
    if stage is None:
        return False
    _, pull, kept = stage(x.part, index, values)
    region = None if x.part is storage.root else region_of(x.part, storage.root)
    level.parents.append((storage.latest, None, slot))  # `record` written out
    storage.latest = len(level.pulls)
    level.pulls.append(written_pull)
    level.kept.append((pull, kept, region, 0))
    storage.version += 1
    return True


def stage_of_write(level: Any, index: Any, values: Any, need: bool) -> Any:
    """What writes values of these classes, on a tape, from now on; None for those of outer levels,
    and of other libraries.
    """
    if level.closed or not issubclass(
        type(values), np.ndarray | np.generic | float | complex | int
    ):
        return None
    plan = level.engine.plan(
        "reverse", operator.setitem, (np.ndarray, type(index), type(values)), (True, False, need)
    )
    level.stages[operator.setitem, type(index), type(values), not need] = plan.stage
    return plan.stage


def same_place(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two views are one."""
    return a.shape == b.shape and a.__array_interface__ == b.__array_interface__


def set_value_item(self: Any, index: Any, values: Any) -> None:
    """Write entries of what has not been written to before."""
    setitem(stored_or_refused(self, "__setitem__"), index, values)


def stored_or_refused(x: Any, name: str) -> Any:
    """The array as one that is written to."""
    if type(plain(x)) is not np.ndarray:
        what, instead = advice.WRITES[name]
        library = library_of(type(plain(x)))
        errors.raise_write_refused(what, x, instead, library.name if library is not None else "")
    return stored(x)


def set_shape(self: Any, shape: Any) -> None:
    """Give an array another shape in place, ``x.shape = shape``, where NumPy does: other views of
    its memory keep theirs.
    """
    x = stored_or_refused(self, "_set_shape")
    view = x.part.reshape(shape)
    if view.base is not x.storage.root:
        raise AttributeError(
            "incompatible shape for in-place modification; use x.reshape(shape), which makes a copy"
        )
    x.part, x.seen = view, None


def augmented_assignment(name: str) -> Callable[[Any, Any], Any]:
    """The operator ``x += v`` or the like."""
    operation = AUGMENTED[name]
    what, instead = advice.WRITES[name]

    def assign(self: Any, other: Any) -> Any:
        if not isinstance(plain(self), np.ndarray | Array):
            return operation(self, other)  # a number gives another number
        x = stored_or_refused(self, name)
        y = operation(now(x), settled_in(other))
        if y.shape != x.part.shape or not np.can_cast(y.dtype, x.part.dtype, "same_kind"):
            errors.raise_write_refused(what, x, instead)
        setitem(x, ..., y)
        return x

    return assign
