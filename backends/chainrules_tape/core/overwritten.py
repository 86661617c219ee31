"""Which memory was to be written by augmented assignments, so that what still reads the old values there is refused."""

import sys
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from chainrules_py.identity import qualified_name
from chainrules_py.structure import fields, is_container
from chainrules_tape.core.errors import InPlaceError
from chainrules_tape.core.handles import plain

Ranges = dict[int, list[tuple[int, int]]]


EVERYTHING = (0, sys.maxsize * 2)  # that the owner has: asking NumPy for the addresses takes 2 us


class OverwrittenMemory:
    """Which memory was to be written: ranges of addresses, by the array that owns them, for as long as that lives."""

    __slots__ = ("owners", "ranges")

    def __init__(self) -> None:
        self.ranges: Ranges = {}
        self.owners: dict[int, Any] = {}

    def add(self, array: np.ndarray) -> None:
        """Remember the memory of an array."""
        owner = owner_of(array)
        key = id(owner)
        if key not in self.ranges:
            self.ranges[key] = []
            self.owners[key] = observed(owner, partial(forget, self.ranges, key))
        self.ranges[key].append(EVERYTHING if array is owner else np.lib.array_utils.byte_bounds(array))

    def holds(self, array: np.ndarray) -> bool:
        """Whether an array reads memory that was to be written."""
        ranges = self.ranges.get(id(owner_of(array)))
        if ranges is None:
            return False
        low, high = np.lib.array_utils.byte_bounds(array)
        return any(low < end and start < high for start, end in ranges)

    def refuse(self, primal: Any, values: Iterable[Any]) -> None:
        """Raise where one of the values, or one in a container among them, reads such memory."""
        for value in values:
            if is_container(value):
                self.refuse(primal, fields(value).values())
            elif type(array := plain(value)) is np.ndarray and self.holds(array):
                raise InPlaceError(
                    qualified_name(primal),
                    "an array on memory that x += v, or the like, was to write into by another name: it shows the old value",
                    "write x = x + v, or take the view after the assignment",
                    operation=primal,
                    value=value,
                )


def owner_of(array: np.ndarray) -> Any:
    """Whose memory an array reads: its own, or that of what it is a view of."""
    return array if array.base is None else array.base


def observed(owner: Any, when_gone: Callable[[Any], None]) -> Any:
    """Refer to an owner weakly; strongly, where its class allows no other reference."""
    try:
        return weakref.ref(owner, when_gone)
    except TypeError:
        return owner


def forget(ranges: Ranges, key: int, reference: Any) -> None:
    """The owner is gone, and with it all that read its memory; another object may have its number soon."""
    ranges.pop(key, None)
