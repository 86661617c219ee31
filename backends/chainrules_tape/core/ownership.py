"""Who may write to an array: what the doors return belongs to the caller alone."""

import sys
from typing import Any

import numpy as np


def unshared(leaves: list[Any]) -> list[Any]:
    """The leaves, arrays that somebody else holds being replaced by copies; empties the list it is given.

    CPython counts references; how many a variable of a function makes where nobody else has one depends on its version, and is
    measured once.
    """
    leaves.reverse()
    owned = []
    while leaves:
        leaf = leaves.pop()
        # The count comes first: a flags object holds its array.
        if type(leaf) is np.ndarray and (sys.getrefcount(leaf) > _SOLE or not is_plain(leaf)):
            leaf = leaf.copy()
        owned.append(leaf)
    return owned


def _references_of_a_variable() -> int:
    leaf = np.empty(0)
    return sys.getrefcount(leaf)


_SOLE = _references_of_a_variable()


def is_plain(x: Any) -> bool:
    """Whether an array has memory of its own and may be written."""
    flags = x.flags
    return x.base is None and flags.owndata and flags.writeable


def copied(leaf: Any) -> Any:
    """An array that the caller may overwrite, as another one; other leaves as they are."""
    return leaf.copy("K") if issubclass(type(leaf), np.ndarray) else leaf
