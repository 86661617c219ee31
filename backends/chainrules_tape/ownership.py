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
        if type(leaf) is np.ndarray:
            flags = leaf.flags
            if sys.getrefcount(leaf) > 2 or leaf.base is not None or not (flags.owndata and flags.writeable):
                leaf = leaf.copy()
        owned.append(leaf)
    return owned


def copied(leaf: Any) -> Any:
    """An array that the caller may overwrite, as another one; other leaves as they are."""
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf
