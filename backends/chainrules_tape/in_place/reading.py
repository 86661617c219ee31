"""Reads of stored arrays: the values that they hold now, and their entries and views."""

import operator
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from chainrules_py.values.arrays import is_numpys
from chainrules_py.values.indices import normal_item
from chainrules_py.values.structure import is_container
from chainrules_tape.arrays.fast_lookup import REVERSE, find_operator
from chainrules_tape.core.guests import array_in
from chainrules_tape.core.levels import call_traced, innermost, with_parts
from chainrules_tape.core.tape import HANDLE_OF, Tape
from chainrules_tape.in_place.held_memory import is_held
from chainrules_tape.in_place.storages import STORED, as_buffer, handle_on
from chainrules_tape.refusals.handles import TracedArray

BASIC = frozenset({int, np.int64, slice, NoneType, EllipsisType})


def is_basic(index) -> bool:
    """Whether an index is an integer, a slice, None, an ellipsis or a tuple of such."""
    return type(index) in BASIC or (type(index) is tuple and BASIC.issuperset(map(type, index)))


def is_stored(x) -> bool:
    """Whether a value is a stored array."""
    return type(x) in STORED


def read_now(x) -> Any:
    """The value that a stored array holds now; other values as they are."""
    return x.read_once() if type(x) in STORED else x


def resolved_in(value) -> Any:
    """A value, or a container, with what stored arrays hold now."""
    if issubclass(type(value), TracedArray):
        return value.resolved(value.level)
    return with_parts(value, resolved_in) if is_container(value) else value


def own_index(index) -> Any:
    """An index with copies of the arrays in it, which programs use again for something else."""
    index = resolved_in(index)
    if type(index) is np.ndarray or is_numpys(index):
        return index.copy()
    if isinstance(index, tuple):
        return index if is_basic(index) else tuple(map(own_index, index))
    return normal_item(index)


def getitem(self, index):
    """A view, or the entries, as NumPy decides."""
    basic = is_basic(index)
    if not basic:
        index = resolved_in(array_in(operator.getitem, index, (self,)))
        if innermost((index,)) is not None:  # indices that differ from lane to lane
            return call_traced(operator.getitem, (read_now(self), index), {})
        if is_held(index):
            return read_now(self)[index]
    array, storage = self.plain_view, self.storage
    y = array[index]
    if (type(y) is np.ndarray or is_numpys(y)) and y.base is storage.root:
        return handle_on(storage, y)
    state = storage.state
    level = state.level
    is_entry = basic and type(y) is np.float64 and array is storage.root
    is_recorded = is_entry and type(level) is Tape and not level.closed
    if is_recorded and not (state.beneath or level.engine.debug):
        key = (operator.getitem, HANDLE_OF.array, np.ndarray, None, type(index))
        stages = level.engine.stages  # while other operations may have to take slow dispatch
        stage = stages.get(key)
        if stage is not None:  # 2 us less
            y, pull, residuals = stage(array, index)
            return level.record(y, pull, residuals, state.latest)
        stages[key] = find_operator(REVERSE, level, key, array, index)
    state = storage.current().state
    is_plain = state.level is None
    if is_plain and state.held is None:
        return as_buffer(y)
    own = index if basic else own_index(index)
    return as_buffer(state.read(array, own)) if is_plain else storage.read(array, own)
