"""Values on the tape that show entries of the memory several times, or parts of complex numbers."""

from typing import Any, NamedTuple

import numpy as np

from chainrules_py.values.arrays import library_of_types
from chainrules_tape.in_place.regions import Region, index_of_distinct, overlaps
from chainrules_tape.refusals.errors import InPlaceError


class Distinct(NamedTuple):
    """The entries of a broadcast value of some shape, each once: their index and their region."""

    region: Region | None
    shape: tuple[int, ...]
    entries: tuple[slice, ...]

    def spread(self, bar) -> Any:
        """The cotangent of the value from that of its distinct entries; the others get zero."""
        from chainrules_py.rulesets.entries.scatter import scatter_add

        return scatter_add(bar, self.entries, self.shape, bar.dtype)


def index_of_entries(x, view: np.ndarray) -> tuple[slice, ...]:
    """The index of a view's distinct entries, () where all are; refuses overlapping windows."""
    if not overlaps(view.shape, view.strides, view.itemsize):
        return ()
    index = index_of_distinct(view)
    distinct = view[index]
    if overlaps(distinct.shape, distinct.strides, distinct.itemsize):
        raise InPlaceError(
            "x[index] = v",
            "a write to memory of which there is a view that has entries of it several times",
            "take the view of windows after the first write",
            operation="write",
            value=x,
        )
    return index


def merged(is_set, old, new) -> Any:
    """The old entries where they are set, else the new ones; of complex entries, by component."""
    xp = library_of_types((type(old), type(new))).namespace
    if is_set.dtype.kind != "c":
        return xp.where(is_set == 0, new, old)
    real = merged(is_set.real, xp.real(old), xp.real(new))
    imag = merged(is_set.imag, xp.imag(old), xp.imag(new))
    return real + 1j * imag


def mark_set(is_set: np.ndarray) -> None:
    """Mark entries as set, both components of complex ones."""
    is_set[...] = 1 + 1j if is_set.dtype.kind == "c" else 1
