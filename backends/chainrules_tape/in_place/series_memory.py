"""Memory into which power series are written.

The values are where those of any storage are. Beside them, round k of the level
(`series.level`) has memory of the same layout for the coefficients of t**k. Each write into the
values, and each read, is a node, whose coefficient k is the same write into that memory, or the
same read of it. Nodes advance in the order of the program, so each read sees the writes before it.
When a round is over its coefficients have been read, and the next round begins with new memory.
"""

import operator
from typing import Any, NoReturn

import numpy as np

from chainrules_py.annotations import Options
from chainrules_py.tangents import ZERO
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.records import Record
from chainrules_tape.in_place.regions import Region, view_at
from chainrules_tape.in_place.repeated_entries import mark_set
from chainrules_tape.in_place.storages import buffer_of, entries_of, handle_on, put_beside
from chainrules_tape.refusals.errors import InPlaceError
from chainrules_tape.series.coefficients import Coefficients, Path, Step
from chainrules_tape.series.level import MEMORY, Series

# functions that write, and are linear in the array and in what is written: the position of that
WRITTEN: dict[Any, int] = {
    operator.setitem: 2,
    np.copyto: 1,
    np.put: 2,
    np.place: 2,
    np.putmask: 2,
    np.put_along_axis: 2,
    np.fill_diagonal: 1,
    np.add.at: 2,
    np.subtract.at: 2,
}


class SeriesMemory:
    """The memory of one storage at a level of Taylor mode."""

    def __init__(self, level: Series, root: np.ndarray) -> None:
        self.level, self.root = level, root
        self.is_set = np.zeros(root.shape, root.dtype)  # by values that it was made of
        self.order, self.buffer = 0, None

    def part(self, k: int, region: Region | None) -> Any:
        """The stored array on a region of the memory for coefficient k, zeros at first."""
        if self.order != k:
            self.order, self.buffer = k, buffer_of(np.zeros(self.root.shape, self.root.dtype))
        storage = self.buffer.storage  # type: ignore[attr-defined]
        return handle_on(storage, view_at(storage.root, region))

    def adopt(self, x, region: Region | None, index) -> None:
        """Take over the series of a value, or of its entries at an index, that a region shows,
        where none was before.
        """
        is_set = view_at(self.is_set, region)
        self.level.handle(None, Adopted(self, x.node.coefficients, region, index, is_set.copy()))
        mark_set(is_set)

    def read(self, y, region: Region | None, index) -> Any:
        """The handle on a value that was read from a region, or on its entries at an index."""
        return self.level.handle(y, Read(self, region, index))

    def write(self, primal, args: list[Any], options: Options, region: Region | None) -> None:
        """Note a write into a region, which is the first argument."""
        values = args[WRITTEN[primal]]
        series = self.level.series(values)
        self.level.handle(None, Written(self, primal, args, options, region, series))


class Adopted(Step, Record):
    """The series of a value becomes part of the memory, where none was before."""

    memory: SeriesMemory
    series: Coefficients
    region: Region | None
    index: Any
    is_set: np.ndarray

    def coefficient(self, k: int, path: Path, known: Coefficients) -> Any:
        """Put coefficient k where nothing was before."""
        found = self.series[k]
        if found is not ZERO:
            put_beside(self.memory.part(k, self.region), self.is_set, found, self.index)
        return ZERO


class Read(Step, Record):
    """The coefficients that a region of the memory holds, or those of its entries at an index."""

    memory: SeriesMemory
    region: Region | None
    index: Any

    def coefficient(self, k: int, path: Path, known: Coefficients) -> Any:
        """Copy coefficient k."""
        return entries_of(self.memory.part(k, self.region), self.index)


class Written(Step, Record):
    """A write into a region of the memory."""

    memory: SeriesMemory
    primal: Any
    args: list[Any]
    options: dict[str, Any]
    region: Region | None
    series: Coefficients

    def coefficient(self, k: int, path: Path, known: Coefficients) -> Any:
        """Write coefficient k as the value was written; that of a constant is zero."""
        found = self.series[k] if k < len(self.series) else ZERO
        if found is ZERO:
            found = np.zeros(np.shape(self.series[0]))
        args = list(self.args)
        args[0], args[WRITTEN[self.primal]] = self.memory.part(k, self.region), found
        self.primal(*args, **self.options)
        return ZERO


def refuse_write(primal, target) -> NoReturn:
    """Raise for a function that computes with what it overwrites."""
    raise InPlaceError(
        qualified_name(primal),
        "a function that computes with an array with a power series, and overwrites it",
        "compute a new array, and assign that: x[...] = y",
        operation=primal,
        value=target,
    )


MEMORY.append(SeriesMemory)
