"""Arguments and results: any nesting of tuples, lists, dicts, namedtuples, and dataclasses and attrs classes inside them.

optree knows the first four and whatever was registered with it; what it takes for a leaf and has fields of its own (a dataclass) is
taken apart by `chainrules_py.structure`, which knows how to make another one.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import optree

from chainrules_py.structure import fields, is_container, rebuild

Rebuild = Callable[[list[Any]], Any]

_LEAVES = frozenset({np.ndarray, np.float64, float, int})


def flatten(tree: Any) -> tuple[list[Any], Rebuild]:
    """The leaves of a tree, and the function that makes a tree of the same structure from as many others.

    >>> leaves, rebuilt = flatten({"w": 1.0, "b": (2.0, None)})
    >>> rebuilt([3 * x for x in leaves if x is not None] + [0.0])
    {'w': 6.0, 'b': (3.0, 0.0)}
    """
    if type(tree) in _LEAVES:
        return [tree], _only
    leaves, spec = optree.tree_flatten(tree, none_is_leaf=True)
    if not any(map(is_container, leaves)):
        return leaves, lambda others: optree.tree_unflatten(spec, others)
    inner = [_flatten_fields(leaf) if is_container(leaf) else ([leaf], _only) for leaf in leaves]

    def rebuilt(others: list[Any]) -> Any:
        remaining = iter(others)
        return optree.tree_unflatten(spec, [make([next(remaining) for _ in own]) for own, make in inner])

    return [leaf for own, _ in inner for leaf in own], rebuilt


def _only(leaves: list[Any]) -> Any:
    return leaves[0]


def _flatten_fields(x: Any) -> tuple[list[Any], Rebuild]:
    parts = fields(x)
    leaves, make = flatten(list(parts.values()))
    return leaves, lambda others: rebuild(x, dict(zip(parts, make(others), strict=True)))
