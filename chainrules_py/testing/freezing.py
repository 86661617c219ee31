"""Read-only copies of values in the memory layout of the originals, so that writers are found."""

from typing import Any

import numpy as np

from chainrules_py import Tangent
from chainrules_py.tangents.structural import entries, with_entries
from chainrules_py.values.structure import fields, is_structural, rebuild


def frozen(value) -> Any:
    """A value with every NumPy array in it replaced by a read-only copy, layout kept."""
    if type(value) is np.ndarray:
        return _read_only(value)
    if isinstance(value, Tangent):
        return with_entries(
            value.primal_type, {key: frozen(entry) for key, entry in entries(value).items()}
        )
    if not is_structural(value):
        return value
    return rebuild(value, {key: frozen(entry) for key, entry in fields(value).items()})


def _read_only(array) -> Any:
    if not array.flags.writeable and array.base is None:
        return array
    copy = np.copy(array, order="K") if array.flags.forc else with_gaps(array)
    copy.flags.writeable = False
    return copy


def with_gaps(array) -> Any:
    """Copy an array into memory with gaps, in the directions of the original's."""
    padded = np.empty([2 * n for n in array.shape], array.dtype)
    view = padded[tuple(slice(None, None, -2 if stride < 0 else 2) for stride in array.strides)]
    view[...] = array
    padded.flags.writeable = False
    return view
