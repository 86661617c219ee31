"""The one form in which rules see an index: arrays for whatever NumPy takes as an array; and reading
at indices that an engine may trace.
"""

import operator
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from chainrules_py.values.arrays import library_of

# classes of indices, and of parts of them, that are in that form
NORMAL = frozenset({int, bool, slice, np.ndarray, NoneType, EllipsisType, np.int64, np.bool_, str})


def normal_index(index) -> Any:
    """An index with new arrays for lists, ranges and other sequences, and for objects that give an
    array, as those of pandas do; and with Python's integers for objects that stand for one.

    Arrays of any library are as they are, and so are lists with parts that an engine traces.

    >>> normal_index((range(2), [], ...))
    (array([0, 1]), array([], dtype=int64), Ellipsis)
    """
    if isinstance(index, tuple):
        if NORMAL.issuperset(map(type, index)):
            return index
        return tuple(map(normal_item, index))
    return normal_item(index)


def normal_item(item) -> Any:
    """An index that is no tuple, or an item of one, in the form of `normal_index`."""
    cls: Any = type(item)
    if cls in NORMAL or is_traced(item) or library_of(cls) is not None:
        return item
    if hasattr(cls, "__index__") and not hasattr(cls, "__array__"):
        return operator.index(item)
    if isinstance(item, list | tuple) and holds_traced(item):
        return item
    made = np.array(item)
    return made if made.size else made.astype(np.intp)


def is_traced(item) -> bool:
    """Whether an engine traces a value."""
    return hasattr(type(item), "__chainrules_call__")


def holds_traced(items) -> bool:
    """Whether an engine traces a part of a list, or of a list in it."""
    return any(
        holds_traced(item) if isinstance(item, list | tuple) else is_traced(item) for item in items
    )


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
