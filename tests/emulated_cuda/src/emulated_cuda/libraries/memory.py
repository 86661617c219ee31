"""Device memory, which is the memory of this process, as NumPy's arrays.

Libraries are given addresses and speak of columns: entry (i, j) of a matrix lies `ld * j + i`
entries behind the first one. The arrays made here are views; to write into one is to write into the
memory of the device.
"""

import ctypes
from collections.abc import Sequence
from typing import Any

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


def load(pointer: int, dtype: DTypeLike) -> Any:
    """The number at an address."""
    return vector(pointer, dtype, 1)[0]


def store(pointer: int, dtype: DTypeLike, value: Any) -> None:
    """Write a number to an address."""
    vector(pointer, dtype, 1)[0] = value
