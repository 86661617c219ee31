"""Functions of NumPy's that read one part of an array after they have written another.

`numpy.concatenate` puts one array after the other into ``out=``, and ``x.flat = v`` one entry. Where
what they read lies in the memory that they write, the result depends on their order. Most such calls
are meant otherwise, and are refused. Whether a call is one, NumPy itself says: it writes into memory
in which all numbers are different, once with the values there, and once with copies of them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.values.structure import is_container, leaves_of
from chainrules_tape.core.levels import with_parts
from chainrules_tape.in_place.first_write import as_stored
from chainrules_tape.in_place.regions import region_of, view_at
from chainrules_tape.in_place.results import in_plain_memory
from chainrules_tape.refusals.errors import InPlaceError
from chainrules_tape.refusals.handles import TracedArray

Write = Callable[[Any, Any], Any]  # of a plain target and plain values


def refuse_overlap(where: str, write: Write, target, values) -> None:
    """Raise where a write into a traced array reads what it has written before."""
    target = as_stored(target)
    for x in leaves_of(values):
        if issubclass(type(x), TracedArray) and not x.is_stored and x.level.written is not None:
            x.level.written.follow(x)
    root, plain_values = target.storage.root, in_plain_memory(values)
    if not any(is_in(root, x) for x in leaves_of(plain_values)):
        return

    found = []
    for prepared in (np.asarray, np.copy):
        numbers = np.empty_like(root)
        numbers[...] = np.arange(root.size).reshape(root.shape)
        own = shown_in(numbers, root, plain_values, prepared)
        write(view_at(numbers, region_of(target.plain_view, root)), own)
        found.append(numbers)
    if not np.array_equal(*found):
        got = "values in the memory that is written, which NumPy reads while it writes"
        instead = "write copies of them: v.copy()"
        raise InPlaceError(where, got, instead, operation=where, value=target)


def is_in(root, x) -> bool:
    """Whether a plain value is an array in a block of memory."""
    return isinstance(x, np.ndarray) and np.may_share_memory(x, root)


def shown_in(numbers, root, value, prepared: Callable[[Any], Any]) -> Any:
    """A plain value, or a container, with the views of a block of memory shown in another one."""
    if is_container(value):
        return with_parts(value, lambda part: shown_in(numbers, root, part, prepared))
    return prepared(view_at(numbers, region_of(value, root))) if is_in(root, value) else value
