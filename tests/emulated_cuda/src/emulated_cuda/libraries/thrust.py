"""Sorting. CuPy has Thrust compiled into a module, for a device; here are that module's functions,
for the processor.

NumPy's order is Thrust's as CuPy calls it: nan last, complex numbers by their real part first. Both
are stable.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from emulated_cuda.libraries.memory import Array, strided, vector

KINDS = "?bhilqBHILQefdFD"


def rows(pointer: int, dtype: DTypeLike, shape: Sequence[int]) -> Array:
    """An array whose last axis is contiguous, and the others too."""
    steps = [int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
    return strided(pointer, dtype, tuple(shape), steps)


def sort(dtype: Any, data_start: int, keys_start: int, shape: Sequence[int]) -> None:
    """Sort along the last axis, in place."""
    check(dtype, NotImplementedError)
    rows(data_start, dtype, shape).sort(axis=-1, kind="stable")


def argsort(
    dtype: Any, idx_start: int, data_start: int, keys_start: int, shape: Sequence[int]
) -> None:
    """The positions that sort along the last axis; the data are sorted too."""
    check(dtype, NotImplementedError)
    data = rows(data_start, dtype, shape)
    order = np.argsort(data, axis=-1, kind="stable")
    rows(idx_start, np.intp, shape)[...] = order
    data[...] = np.take_along_axis(data, order, axis=-1)


def lexsort(dtype: Any, idx_start: int, keys_start: int, k: int, n: int) -> None:
    """The positions that sort by the last of k keys, then by the one before."""
    check(dtype, TypeError)
    vector(idx_start, np.intp, n)[...] = np.lexsort(rows(keys_start, dtype, (k, n)))


def check(dtype: Any, error: type[Exception]) -> None:
    """Refuse what Thrust has no order for."""
    if np.dtype(dtype).char not in KINDS:
        raise error(f"Sorting with dtype '{dtype}' is not supported")


def connect() -> None:
    """CuPy looks the functions up in the module at each call."""
    import cupy.cuda.thrust

    for function in (sort, argsort, lexsort):
        setattr(cupy.cuda.thrust, function.__name__, function)
