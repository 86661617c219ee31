"""Memory into which patterns are written: the tangent of an array that a program writes into.

It holds no patterns but numbers of rows, in an array that is laid out as the one that is written
to. So NumPy's views, and its functions that write, do to the numbers what they do to entries.
"""

from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.values.structure import is_container
from chainrules_sparse.patterns.rows import Rows, no_columns, one_after_the_other
from chainrules_tape.in_place.regions import Region, view_at
from chainrules_tape.refusals.handles import plain

SUMS: tuple[Any, ...] = (np.add.at, np.subtract.at)


class PatternMemory:
    """An array of numbers of rows, from 1 on; 0 is for constants.

    It is laid out as the array that is written to, so that views fit. In half and single precision,
    whose large integers are rounded, the numbers are in double precision, and an entry takes
    `scale` times as many bytes.
    """

    def __init__(self, level, root: np.ndarray) -> None:
        self.level = level
        self.dtype = root.dtype
        self.numbers = np.zeros(root.shape, dtype_of_numbers(root.dtype))
        self.scale = self.numbers.itemsize // root.itemsize
        self.rows = no_columns(0)

    def read(self, region: Region | None, index) -> Any:
        """The pattern of a region, or of its entries at an index."""
        dtype = self.dtype if region is None else region.dtype
        numbers = self.region(region)
        found = numbers if index is None else numbers[index]
        return self.level.handle(zeros_like(found, dtype), self.rows_of(found))

    def adopt(self, x, region: Region | None, index) -> None:
        """Take over the rows of a pattern, or of its entries at an index, into a region."""
        target = self.region(region)
        target[...] = self.numbered(x[index] if index else x, target.dtype)

    def region(self, region: Region | None) -> np.ndarray:
        """The numbers in a region of the memory."""
        if region is None:
            return self.numbers
        if self.scale > 1:
            region = Region(
                region.shape,
                dtype_of_numbers(region.dtype),
                region.offset * self.scale,
                tuple([stride * self.scale for stride in region.strides]),
            )
        view: np.ndarray = view_at(self.numbers, region)
        return view

    def rows_of(self, numbers) -> Rows:
        """The rows with these numbers; a complex entry has those of both its parts."""
        flat: Any = np.ravel(numbers)
        rows = self.rows.taken(flat.real.astype(np.intp) - 1)
        if flat.dtype.kind == "c":
            rows = rows.united_with(self.rows.taken(flat.imag.astype(np.intp) - 1))
        return rows

    def numbered(self, value, dtype) -> Any:
        """The numbers of the rows of a pattern, which are kept; constants have number 0."""
        value = self.level.resolved(value)
        if not self.level.owns(value):
            return np.zeros(np.shape(plain(value)), dtype)[()]
        start = self.rows.count + 1
        self.rows = one_after_the_other([self.rows, value.rows])
        numbers = np.arange(start, start + value.rows.count).reshape(value.shape)
        if np.dtype(dtype).kind == "c":
            numbers = numbers * (1 + 1j)
        return numbers.astype(dtype)[()]

    def write(
        self,
        primal: Function,
        args: Args,
        options: Options,
        position: int,
        region: Region | None,
    ) -> None:
        """Write into a region as a function does that writes into its argument at a position."""
        target = self.region(region)
        if primal in SUMS:
            _, index, values = args
            self.add(target, index, values)
        else:
            given = [self.as_written(arg, target.dtype) for arg in args]
            given[position] = target
            primal(*given, **options)
        self.compress()

    def as_written(self, value, dtype) -> Any:
        """An argument of a function that writes: values by their numbers; places as they are."""
        is_number = isinstance(value, float | complex)
        has_dtype = hasattr(value, "dtype") and not is_container(value)
        if is_number or (has_dtype and value.dtype.kind in "fc"):
            return self.numbered(value, dtype)
        return value

    def add(self, target: np.ndarray, index, values) -> None:
        """Unite entries with what is added to them, repeatedly where an index repeats."""
        from chainrules_py.rulesets.entries.scatter import scatter_add

        values = self.level.resolved(values)
        if not self.level.owns(values):
            return
        shape = np.shape(target[index])
        if values.shape != shape:
            values = np.broadcast_to(values, shape)
        added = scatter_add(values, index, target.shape, target.dtype)
        held = self.rows_of(target)
        united = self.level.handle(zeros_like(target, target.dtype), held.united_with(added.rows))
        target[...] = self.numbered(united, target.dtype)

    def compress(self) -> None:
        """Forget rows that no entry has any more, when they are many."""
        if self.rows.count <= 4 * self.numbers.size + 64:
            return
        rows = self.rows_of(self.numbers)
        self.rows = rows
        numbers = np.arange(1, rows.count + 1).reshape(self.numbers.shape)
        self.numbers[...] = numbers * (1 + 1j) if self.numbers.dtype.kind == "c" else numbers


def dtype_of_numbers(dtype) -> Any:
    """The dtype for numbers of rows in the place of entries of a dtype, with at least as many bytes:
    it has all integers up to 2**53.
    """
    if dtype.kind == "f" and dtype.itemsize < 8:
        return np.dtype(np.float64)
    if dtype.kind == "c" and dtype.itemsize < 16:
        return np.dtype(np.complex128)
    return dtype


def zeros_like(x, dtype) -> Any:
    """Zeros of a dtype without memory, of the shape of an array or number, which may be traced."""
    zero = np.zeros((), dtype)
    return np.broadcast_to(zero, np.shape(x)) if isinstance(x, np.ndarray) else zero[()]
