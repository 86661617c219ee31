"""`numpy.r_` and `numpy.c_`, which build an array from what stands between brackets.

Where an entry lands does not depend on its value. So NumPy is asked to join positions instead of
values, and the values, one after the other, are read at the positions that come out.
"""

from typing import Any

import numpy

from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.numpy.lists import as_array


class Joiner:
    """``r_`` or ``c_``, with traced values among the entries.

    >>> from chainrules_tape import grad
    >>> grad(lambda x: (Joiner(numpy.r_)[x, 0:3, 2 * x] ** 2).sum())(1.0)
    10.0
    """

    def __init__(self, joiner: Any) -> None:
        self.joiner = joiner

    def __getitem__(self, entries: Any) -> Any:
        """The array of the entries."""
        if not open_levels:
            return self.joiner[entries]
        if not isinstance(entries, tuple):
            entries = (entries,)
        if innermost(entries) is None:
            return self.joiner[entries]
        how = entries[:1] if isinstance(entries[0], str) else ()
        parts = [
            numpy.r_[part] if isinstance(part, slice) else array_of(part)
            for part in entries[len(how) :]
        ]
        return numpy.concatenate([numpy.ravel(part) for part in parts])[
            self.joiner[(*how, *positions_of(parts))]
        ]

    def __repr__(self) -> str:
        return f"<{type(self.joiner).__name__}, interceptable>"


def array_of(entry: Any) -> Any:
    """An entry with a shape."""
    entry = as_array(entry)
    return entry if hasattr(entry, "shape") else numpy.asarray(entry)


def positions_of(parts: list[Any]) -> list[Any]:
    """For each entry of each part its position among all entries; of a number a number."""
    found, start = [], 0
    for part in parts:
        found.append(numpy.arange(start, start + part.size).reshape(part.shape)[()])
        start += part.size
    return found
