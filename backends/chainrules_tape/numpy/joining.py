"""`numpy.r_` and `numpy.c_`, which build an array from what stands between brackets.

Where an entry lands does not depend on its value. So NumPy is asked to join positions instead of
values, and the values, one after the other, are read at the positions that come out.
"""

from typing import Any

import numpy

from chainrules_py.values.arrays import making
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.numpy.lists import array_of_traced_parts


class Joiner:
    """``r_`` or ``c_``, with traced values among the entries.

    >>> from chainrules_tape import grad
    >>> grad(lambda x: (Joiner(numpy.r_)[x, 0:3, 2 * x] ** 2).sum())(1.0)
    10.0
    """

    def __init__(self, joiner) -> None:
        self.joiner = joiner

    def __getitem__(self, entries) -> Any:
        """The array of the entries."""
        if not open_levels:
            return self.joiner[entries]
        if not isinstance(entries, tuple):
            entries = (entries,)
        if innermost(entries) is None and making.call is None:
            return self.joiner[entries]
        directive = entries[:1] if isinstance(entries[0], str) else ()  # "0,2", say
        entries = entries[len(directive) :]
        parts = list(map(array_of_entry, entries))
        dtype = numpy.result_type(*map(dtype_of_entry, entries, parts))
        values = numpy.concatenate(list(map(numpy.ravel, parts)), dtype=dtype)
        positions = self.joiner[(*directive, *positions_of(parts))]
        return values[positions]

    def __repr__(self) -> str:
        return f"<{type(self.joiner).__name__}, interceptable>"


def array_of_entry(entry) -> Any:
    """The array of one entry; of a slice, the range that it stands for between brackets."""
    if isinstance(entry, slice):
        return numpy.r_[entry]
    entry = array_of_traced_parts(entry)
    return entry if hasattr(entry, "shape") else numpy.asarray(entry)


def dtype_of_entry(entry, array) -> Any:
    """The dtype of an entry, or a number of Python's itself, which adapts to the others."""
    return entry if type(entry) in (bool, int, float, complex) else array.dtype


def positions_of(parts: list[Any]) -> list[Any]:
    """For each part, the positions of its entries among those of all parts, in the part's shape."""
    found, start = [], 0
    for part in parts:
        found.append(numpy.arange(start, start + part.size).reshape(part.shape)[()])
        start += part.size
    return found
