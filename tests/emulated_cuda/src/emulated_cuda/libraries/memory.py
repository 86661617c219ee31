"""Device memory, which is the memory of this process, as NumPy's arrays.

Libraries are given addresses and speak of columns: entry (i, j) of a matrix lies `ld * j + i`
entries behind the first one. The arrays made here are views; to write into one is to write into the
memory of the device.
"""

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]


def strided(pointer: int, dtype: DTypeLike, shape: Sequence[int], steps: Sequence[int]) -> Array:
    """The entries ``pointer + steps * index`` for each index below `shape`; steps count entries and
    are not negative.
    """
    dtype = np.dtype(dtype)
    if 0 in shape:
        return np.empty(shape, dtype)
    last = sum((length - 1) * step for length, step in zip(shape, steps, strict=True))
    buffer: Any = (ctypes.c_char * ((last + 1) * dtype.itemsize)).from_address(pointer)
    return np.ndarray(shape, dtype, buffer, strides=[step * dtype.itemsize for step in steps])


def matrix(pointer: int, dtype: DTypeLike, rows: int, columns: int, ld: int) -> Array:
    """The matrix whose columns begin `ld` entries apart."""
    check_distance(rows, ld)
    return strided(pointer, dtype, (rows, columns), (1, ld))


def matrices(
    pointer: int, dtype: DTypeLike, rows: int, columns: int, ld: int, step: int, count: int
) -> Array:
    """Matrices that begin `step` entries apart: entry (k, i, j) is that of matrix k."""
    check_distance(rows, ld)
    return strided(pointer, dtype, (count, rows, columns), (step, 1, ld))


def check_distance(rows: int, ld: int) -> None:
    """Columns must not overlap; the libraries refuse it even where there are none."""
    if ld < max(1, rows):
        raise ValueError(f"columns of {rows} entries cannot begin {ld} apart")


def spoil(entries: Array) -> None:
    """Leave nan where a library leaves whatever it computed with: a caller that reads it is wrong."""
    entries[...] = np.nan


def vector(pointer: int, dtype: DTypeLike, length: int, step: int = 1) -> Array:
    """Entries `step` apart; as in BLAS, with a negative step the first one is the last in memory."""
    entries = strided(pointer, dtype, (length,), (abs(step),))
    return entries[::-1] if step < 0 else entries


def addresses(pointer: int, count: int) -> list[int]:
    """What an array of pointers holds."""
    return [int(address) for address in vector(pointer, np.uintp, count)]


class Columns(NamedTuple):
    """A matrix as BLAS passes it: an address, or that of as many as there are, and the distance
    between columns.
    """

    pointer: int
    ld: int

    def of(self, dtype: DTypeLike, rows: int, columns: int) -> Array:
        """The matrix with so many rows and columns."""
        return matrix(self.pointer, dtype, rows, columns, self.ld)

    def each(self, count: int) -> "Iterator[Columns]":
        """The matrices of an array of pointers."""
        return (Columns(address, self.ld) for address in addresses(self.pointer, count))

    def stack(self, dtype: DTypeLike, rows: int, columns: int, count: int) -> Array:
        """Matrices one after the other: entry (k, i, j) is that of matrix k."""
        return matrices(self.pointer, dtype, rows, columns, self.ld, self.ld * columns, count)


class Entries(NamedTuple):
    """A vector as BLAS passes it: an address, and the distance between entries."""

    pointer: int
    step: int

    def of(self, dtype: DTypeLike, length: int) -> Array:
        """The vector of this length."""
        return vector(self.pointer, dtype, length, self.step)


def load(pointer: int, dtype: DTypeLike) -> Any:
    """The number at an address."""
    return vector(pointer, dtype, 1)[0]


def store(pointer: int, dtype: DTypeLike, value: Any) -> None:
    """Write a number to an address."""
    vector(pointer, dtype, 1)[0] = value
