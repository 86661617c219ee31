"""``x.resize(shape)``: another size for the same array, with zeros behind its entries."""

import math
from typing import Any

import numpy as np

from chainrules_tape.in_place.assignments import stored_or_refused
from chainrules_tape.in_place.first_write import as_stored
from chainrules_tape.in_place.storages import as_buffer
from chainrules_tape.refusals.handles import TracedArray


def resize(self, *new_shape, refcheck: bool = True) -> None:
    """As ``numpy.ndarray.resize``; other views of its memory keep what they show."""
    if not new_shape or new_shape[0] is None:
        return
    shape = tuple(new_shape[0]) if len(new_shape) == 1 and np.ndim(new_shape[0]) else new_shape
    if min(shape, default=0) < 0:
        raise ValueError("negative dimensions not allowed")
    x = stored_or_refused(self, "resize")
    if x.plain_view.size != x.storage.root.size:
        raise ValueError("cannot resize this array: it does not own its data")  # as NumPy says it
    order: Any = "F" if x.plain_view.flags.fnc else "C"  # entries stay where they are in memory
    size = math.prod(shape)
    zeros = np.zeros(max(size - x.size, 0), x.dtype)
    made = np.concatenate([x.ravel(order)[:size], zeros]).reshape(shape, order=order)
    target = as_stored(made) if issubclass(type(made), TracedArray) else as_buffer(np.array(made))
    x.storage, x.plain_view, x.last_read = target.storage, target.plain_view, None
