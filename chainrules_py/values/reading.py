"""Read the entries of arrays at positions that an engine may trace."""

import operator
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from chainrules_py.values.indices import normal_index

# Classes of indices, and of parts of them, that no engine has to be asked about.
PLAIN = frozenset({int, slice, np.ndarray, NoneType, EllipsisType})


def read(a, index) -> Any:
    """a[index], where an engine may trace the index or parts of it.

    NumPy's arrays do not ask them what to read, so that the engine is called here.

    >>> read(np.array([1.0, 2.0]), 1)
    np.float64(2.0)
    """
    # the frequent ones first: loops over entries call this
    if type(index) in PLAIN:
        return a[index]
    if type(index) is tuple and PLAIN.issuperset(map(type, index)):
        return a[index]
    index = normal_index(index)
    parts: Any = index if type(index) is tuple else (index,)
    for part in parts:
        if hasattr(type(part), "__chainrules_call__"):
            return part.__chainrules_call__(operator.getitem, (a, index), {})
    return a[index]
