"""Assignments to entries, ``x[index] = v``, and augmented ones, ``x += v``."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.values.arrays import Array, held_array, is_numpys, library_of
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.guests import array_in
from chainrules_tape.core.levels import SlowDispatch
from chainrules_tape.core.tape import HANDLES, Tape
from chainrules_tape.in_place.first_write import as_stored, can_be_stored
from chainrules_tape.in_place.reading import (
    BASIC,
    is_basic,
    is_stored,
    own_index,
    read_now,
    resolved_in,
)
from chainrules_tape.in_place.writing import write_by_call, write_pull
from chainrules_tape.refusals import advice, errors
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.instrumented_packages import array_of_object, markers
from chainrules_tape.refusals.subclasses import array_of_subclass, only_carries

# ``operator.add`` for ``__iadd__``, and so on: the name without its i
AUGMENTED = {
    name: getattr(operator, name[:2] + name[3:]) for name in advice.WRITES if name.startswith("__i")
}

# Those that change no entry's influence, but add what has the same.
SUMS = {"__iadd__": np.add.at, "__isub__": np.subtract.at}


def setitem(self, index, values) -> None:
    """Write entries of a stored array."""
    if is_stored(values):
        if values.storage is self.storage and is_view_of(values.plain_view, self, index):
            return  # the last step of ``x[index] += v``, where there is nothing left to do
    elif is_basic(index) and write_at_once(self, index, values):
        return
    if type(values) is list or type(values) is tuple:
        values = as_operand(values)
    elif only_carries(type(values)):
        values = array_of_subclass(values)
    elif markers:
        values = array_of_object(values)
    if type(index) not in BASIC:
        index = own_index(array_in(operator.setitem, index, (self,)))
    write_by_call(operator.setitem, (self, index, values), {})


def write_at_once(x, index, values, primal: Any = operator.setitem) -> bool:
    """Write a constant or a value of a tape, if nothing else has to be asked; say whether it was.

    This takes 10 us less than `write`.
    """
    storage = x.storage
    state = storage.state
    level, slot, view = state.level, None, x.plain_view
    if type(level) is not Tape or state.beneath is not None:
        return False
    if type(values) in HANDLES:
        if values.level is not level:
            return False
        values, slot = values.value, values.slot
    try:
        stage = level.stages[primal, type(view), type(index), type(values), slot is None]
    except KeyError:
        stage = stage_of_write(level, primal, view, index, values, slot is not None)
    if stage is None:
        return False
    try:
        _, pull, residuals = stage(view, index, values)
    except SlowDispatch:
        return False
    region = None if view is storage.root else state.region(view)
    level.parents.append((state.latest, None, slot))  # `record` written out
    state.latest = len(level.pulls)
    level.pulls.append(write_pull)
    level.residuals.append((pull, residuals, region, 0))
    storage.version += 1
    return True


def stage_of_write(level, primal, view, index, values, need: bool) -> Any:
    """Find and store the rule that writes values of these classes; None for outer levels."""
    numbers = np.ndarray | np.generic | float | complex | int
    is_usual = issubclass(type(values), numbers) or is_numpys(values)
    if level.closed or not is_usual or only_carries(type(values)):
        return None
    types, needs = (type(view), type(index), type(values)), (True, False, need)
    stage = level.engine.plan("reverse", primal, types, needs).stage
    key = primal, type(view), type(index), type(values), not need
    level.stages[key] = stage
    return level.stages[key]


def is_view_of(view: np.ndarray, x, index) -> bool:
    """Whether a plain view is what a stored array has at an index."""
    own: Any = x.plain_view[index]
    if not is_numpys(own) or own.base is not x.storage.root:
        return False
    return bool(held_array(own).__array_interface__ == held_array(view).__array_interface__)


def set_value_item(self, index, values) -> None:
    """Write entries of an array that has not been written to before."""
    setitem(stored_or_refused(self, "__setitem__"), index, values)


def is_number_in_lanes(x) -> bool:
    """Whether a value is a number, or an array in the place of one, at some level."""
    while issubclass(type(x), TracedArray):
        if x.is_number:
            return True
        x = x.value
    return False


def stored_or_refused(x, name: str) -> Any:
    """A traced array as a stored one; refuses those of libraries that no storage can hold."""
    cls = type(plain(x))
    if can_be_stored(x):
        return as_stored(x)
    what, instead = advice.WRITES[name]
    library = library_of(cls)
    return errors.raise_write_refused(what, x, instead, library.name if library else "")


def set_shape(self, shape) -> None:
    """Give an array another shape in place, ``x.shape = shape``; other views keep theirs."""
    x = stored_or_refused(self, "_set_shape")
    view = x.plain_view.reshape(shape)
    if view.base is not x.storage.root:
        raise AttributeError(
            "incompatible shape for in-place modification; use x.reshape(shape), which makes a copy"
        )
    x.plain_view, x.last_read = view, None


def is_as_large(x, view: np.ndarray) -> bool:
    """Whether a value has the shape and the dtype of a view."""
    return getattr(x, "shape", None) == view.shape and x.dtype == view.dtype


def augmented_assignment(name: str) -> Callable[[Any, Any], Any]:
    """The operator ``x += v`` or the like."""
    operation = AUGMENTED[name]
    what, instead = advice.WRITES[name]

    def assign(self, other):
        if not isinstance(plain(self), np.ndarray | Array):
            return operation(self, other)  # a number gives another number
        if not can_be_stored(self) and is_number_in_lanes(self):
            return operation(self, other)  # so does an entry of another library's array
        x = stored_or_refused(self, name)
        storage = x.storage.current()
        if storage.state.level is None:
            storage.hold_like((other,))
        view, other = x.plain_view, as_operand(resolved_in(other))
        if name in SUMS and is_as_large(other, view) and write_at_once(x, ..., other, SUMS[name]):
            return x
        y = operation(read_now(x), other)
        if y.shape != view.shape or not np.can_cast(y.dtype, view.dtype, "same_kind"):
            errors.raise_write_refused(what, x, instead)
        setitem(x, ..., y)
        return x

    return assign
