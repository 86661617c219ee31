"""Compare values, and find the arrays that were written to since a snapshot was taken.

before = snapshot(values)
...
for array, copy in changes(before): ...
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from chainrules_py.tangents import AbstractZero, NotImplementedTangent, Tangent
from chainrules_py.tangents.structural import entries
from chainrules_py.values.arrays import library_of
from chainrules_py.values.structure import fields, is_container, is_structural

Snapshot = list[tuple[Any, Any]]


def snapshot(value, lists: bool = False) -> Snapshot:
    """Copy every mutable array inside a value, and the lists, too, where these are asked for.

    Lists of objects are their own affair: a table of rules learns while it is asked.
    """
    found: Snapshot = []
    pending, seen = [(value, lists)], set()
    while pending:
        item, of_containers = pending.pop()
        if id(item) in seen:
            continue  # objects may refer to each other
        seen.add(id(item))
        library = library_of(type(item))
        if library is not None and library.mutable and isinstance(item, library.array_types):
            array: Any = item
            found.append((array, array.copy()))
        elif isinstance(item, Tangent):
            pending += [(part, of_containers) for part in entries(item).values()]
        elif is_structural(item):
            of_containers = of_containers and is_container(item)
            pending += [(part, of_containers) for part in fields(item).values()]
            if of_containers and isinstance(item, list):
                found.append((item, item.copy()))
    return found


def changes(before: Iterable[tuple[Any, Any]]) -> Snapshot:
    """List the arrays and lists of a snapshot that hold something else now, with their copies."""
    return [(array, copy) for array, copy in before if not same_value(array, copy)]


def same_value(one, other) -> bool:
    """Whether two tangents or arrays hold the same numbers, nan being equal to nan."""
    if isinstance(one, AbstractZero) or isinstance(other, AbstractZero):
        return one is other
    if isinstance(one, Tangent) or isinstance(other, Tangent):
        if not (isinstance(one, Tangent) and isinstance(other, Tangent)):
            return False
        mine, theirs = entries(one), entries(other)
        return mine.keys() == theirs.keys() and all(
            same_value(mine[key], theirs[key]) for key in mine
        )
    if isinstance(one, NotImplementedTangent):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            mine is theirs for mine, theirs in zip(one, other, strict=True)
        )
    if getattr(one, "shape", ()) != getattr(other, "shape", ()):
        return False
    if _have_same_bytes(one, other):  # quick, where nothing has changed
        return True
    same: Any = (one == other) | ((one != one) & (other != other))
    while hasattr(type(same), "all_lanes"):  # of many examples, where all of them have to be
        same = same.all_lanes
    return bool(same.all() if hasattr(same, "all") else same)


def _have_same_bytes(one: Any, other: Any) -> bool:
    are_plain = type(one) is type(other) is np.ndarray and one.dtype == other.dtype
    return are_plain and bool(one.tobytes() == other.tobytes())
