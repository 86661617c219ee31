"""Copies of values in the memory layout of the originals, read-only, so that writers are found."""

from typing import Any

import numpy as np

from chainrules_py import Tangent
from chainrules_py.tangents.structural import entries, with_entries
from chainrules_py.values.structure import fields, is_structural, rebuild

REFUSALS = (
    "buffer source array is read-only",  # memoryviews of Cython
    "readonly array(",  # signatures of Numba
    "array is not writeable",  # pybind11
    "underlying buffer is not writable",  # ctypes
)


def asks_for_writable_arrays(error: BaseException) -> bool:
    """Whether compiled code refused an array that is read-only, before it wrote anything."""
    return any(refusal in str(error) for refusal in REFUSALS)


def frozen(value, *, writable: bool = False) -> Any:
    """A value with every NumPy array in it replaced by a read-only copy, layout kept.

    Code that takes writable arrays only gets `writable` copies.
    """

    def copied(parts: dict[Any, Any]) -> dict[Any, Any]:
        return {key: frozen(part, writable=writable) for key, part in parts.items()}

    if type(value) is np.ndarray:
        return _writable_copy(value) if writable else _read_only(value)
    if isinstance(value, Tangent):
        return with_entries(value.primal_type, copied(entries(value)))
    if not is_structural(value):
        return value
    return rebuild(value, copied(fields(value)))


def _read_only(array) -> Any:
    if not array.flags.writeable and array.base is None:
        return array
    copy = _writable_copy(array)
    copy.flags.writeable = False
    return copy


def _writable_copy(array) -> Any:
    return np.copy(array, order="K") if array.flags.forc else with_gaps(array)


def with_gaps(array) -> Any:
    """Copy an array into memory with gaps, in the directions of the original's."""
    padded = np.empty([2 * n for n in array.shape], array.dtype)
    view = padded[tuple(slice(None, None, -2 if stride < 0 else 2) for stride in array.strides)]
    view[...] = array
    padded.flags.writeable = False
    return view
