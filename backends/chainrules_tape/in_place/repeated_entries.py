"""What of a value belongs to memory that it is a view of, where it is complex or has an entry of
the memory several times.
"""

from typing import Any, NamedTuple

import numpy as np

from chainrules_tape.in_place.regions import Region, once_in, overlaps
from chainrules_tape.refusals.errors import InPlaceError

COMPONENTS = {"real": np.real, "imag": np.imag}


class Once(NamedTuple):
    """The region of the entries that an index selects of a value of some shape, each entry of the
    memory once.
    """

    region: Region | None
    shape: tuple[int, ...]
    at: tuple[slice, ...]

    def spread(self, bar: Any) -> Any:
        """The cotangent of the value from that of the entries."""
        from chainrules_py.rulesets.entries.scatter import scatter_add

        return scatter_add(bar, self.at, self.shape, bar.dtype)


def entries_once(x: Any, view: np.ndarray) -> tuple[slice, ...]:
    """The index that selects each entry of what was broadcast once; a view that overlaps itself
    otherwise is refused.
    """
    index = once_in(view)
    once = view[index]
    if overlaps(once.shape, once.strides, once.itemsize):
        got = "a write to memory of which there is a view that has entries of it several times"
        raise InPlaceError(
            "x[index] = v",
            got,
            "take the view of windows after the first write",
            operation="write",
            value=x,
        )
    return index


def unless_claimed(claimed: np.ndarray, new: Any, old: Any) -> Any:
    """The old value where it has been claimed, the new one elsewhere; complex numbers are claimed
    by component.
    """
    if claimed.dtype.kind != "c":
        return np.where(claimed == 0, new, old)
    real, imag = (
        unless_claimed(getattr(claimed, name), *map(part, (new, old)))
        for name, part in COMPONENTS.items()
    )
    return real + 1j * imag
