"""Who may write to an array: what the doors return belongs to the caller alone."""

import sys
from typing import Any

import numpy as np


def unshared(leaves: list[Any]) -> list[Any]:
    """The leaves, arrays that somebody else holds being replaced by copies; empties the list it is given.

    CPython counts references: the variable here and the parameter of getrefcount make two where nobody else has one. Where
    somebody else counts differently, the answer is one copy too many.
    """
    leaves.reverse()
    owned = []
    while leaves:
        leaf = leaves.pop()
        # The count comes first: a flags object holds its array.
        if type(leaf) is np.ndarray and (sys.getrefcount(leaf) > 2 or not is_plain(leaf)):
            leaf = leaf.copy()
        owned.append(leaf)
    return owned


def is_plain(x: Any) -> bool:
    """Whether an array has memory of its own and may be written."""
    flags = x.flags
    return x.base is None and flags.owndata and flags.writeable


def copied(leaf: Any) -> Any:
    """An array that the caller may overwrite, as another one; other leaves as they are."""
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf
