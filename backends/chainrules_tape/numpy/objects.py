"""Arrays of Python objects that hold traced numbers, made of lists.

Such an array is NumPy's own, and its entries are the traced numbers themselves: NumPy computes with
them by their operators, one by one. It makes none of a list that holds traced numbers, because it
asks each of them for its array first.
"""

from typing import Any

import numpy

from chainrules_tape.core.levels import innermost
from chainrules_tape.refusals.handles import TracedArray


def array_of_objects(values) -> numpy.ndarray | None:
    """The array of objects of a list that holds traced numbers; None of any other list."""
    if not isinstance(values, list | tuple) or innermost(values) is None:
        return None
    entries: list[Any] = []
    shape = numpy.array(with_places(values, entries), dtype=object).shape
    made = numpy.empty(len(entries), dtype=object)
    for place, entry in enumerate(entries):
        if issubclass(type(entry), TracedArray) and not entry.is_number:
            return None  # NumPy goes into arrays, too
        made[place] = entry
    return made.reshape(shape) if made.size == numpy.prod(shape, dtype=int) else None


def full_of_objects(
    shape: Any = None, fill_value: Any = None, dtype: Any = None, order: Any = "C", **options
) -> numpy.ndarray | None:
    """The array of objects that `numpy.full` makes of a traced number; None of anything else."""
    asks_for_objects = dtype is object or (isinstance(dtype, str) and dtype == "O")
    if not (asks_for_objects and issubclass(type(fill_value), TracedArray)):
        return None
    if not fill_value.is_number:
        return None
    made = numpy.empty(shape, object, order, **options)
    for place in numpy.ndindex(made.shape):
        made[place] = fill_value
    return made


def with_places(values, entries: list[Any]) -> Any:
    """Nested lists of the positions at which their entries come to be in a list."""
    if isinstance(values, list | tuple):
        return [with_places(value, entries) for value in values]
    entries.append(values)
    return len(entries) - 1


def holds_traced_objects(x) -> bool:
    """Whether a value is an array of objects of which some are traced."""
    return (
        type(x) is numpy.ndarray
        and x.dtype.kind == "O"
        and any(issubclass(type(y), TracedArray) for y in x.flat)
    )
