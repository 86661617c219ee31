"""Containers taken apart and put together in Python, for where optree is not installed.

Each function does what optree's of this name does of Python's own containers, with None as a leaf.
Classes that were registered with optree need optree.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

DICTS = (dict, OrderedDict, defaultdict)
SEQUENCES = (tuple, list, deque)


class Structure(NamedTuple):
    """What a container is without its leaves; of a leaf, the class is None."""

    cls: type | None = None
    keys: tuple[Any, ...] = ()
    option: Any = None  # a default factory, or the greatest length
    parts: tuple[Any, ...] = ()  # in the order of the leaves

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The container with these leaves.

        >>> tree_flatten({"b": (1, 2), "a": 3})[1].unflatten("xyz")
        {'b': ('y', 'z'), 'a': 'x'}
        """
        return put_together(self, iter(leaves))


def tree_flatten(tree, none_is_leaf: Literal[True] = True) -> tuple[list[Any], Structure]:
    """The leaves of a container, and its structure.

    >>> tree_flatten({"b": (1.0, None), "a": [2.0]})[0]
    [2.0, 1.0, None]
    """
    leaves: list[Any] = []

    def structure_of(x) -> Structure:
        parts = taken_apart(x)
        if parts is None:
            leaves.append(x)
            return Structure()
        below = tuple(map(structure_of, parts.values()))
        keys = tuple(x) if type(x) in DICTS else ()
        return Structure(type(x), keys, option_of(x), below)

    return leaves, structure_of(tree)


def tree_map_(
    function: Callable[[Any, Any], object],
    tree,
    other,
    is_leaf: Callable[[Any], bool],
    none_is_leaf: Literal[True] = True,
) -> None:
    """Call a function of each leaf of a tree and what stands at its place in another one.

    ValueError where there is another structure.
    """
    parts = None if is_leaf(tree) else taken_apart(tree)
    if parts is None:
        function(tree, other)
        return
    others = taken_apart(other)
    if (
        others is None
        or kind_of_container(tree) is not kind_of_container(other)
        or parts.keys() != others.keys()
    ):
        raise ValueError(f"{tree!r} in the place of {other!r}")
    for key, part in others.items():
        tree_map_(function, parts[key], part, is_leaf)


def option_of(x) -> Any:
    """What the constructor of a container takes beside its parts."""
    if type(x) is defaultdict:
        return x.default_factory
    return x.maxlen if type(x) is deque else None


def kind_of_container(x) -> type:
    """The class of a container; one for all kinds of dicts."""
    return dict if type(x) in DICTS else type(x)


def taken_apart(x) -> dict[Any, Any] | None:
    """The parts of a container by key or position, in the order of the leaves; None for a leaf."""
    cls = type(x)
    if cls is OrderedDict:
        return dict(x)
    if cls in DICTS:
        return {key: x[key] for key in keys_in_order(x)}
    if cls in SEQUENCES or is_namedtuple(cls):
        return dict(enumerate(x))
    return None


def is_namedtuple(cls: type) -> bool:
    """Whether the objects of a class are made of the values of its fields."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make")


def keys_in_order(keys: Iterable[Any]) -> list[Any]:
    """The keys of a dict in an order that does not depend on how it was made, if there is one."""

    def with_class(key) -> tuple[str, Any]:
        return f"{type(key).__module__}.{type(key).__qualname__}", key

    for order in (None, with_class):
        try:
            return sorted(keys, key=order)
        except TypeError:
            pass
    return list(keys)


def put_together(structure: Structure, leaves: Iterator[Any]) -> Any:
    """The container of a structure with the next of some leaves."""
    cls, keys, option, below = structure
    if cls is None:
        return next(leaves)
    parts = [put_together(part, leaves) for part in below]
    if cls is OrderedDict:
        return OrderedDict(zip(keys, parts, strict=True))
    if cls in DICTS:
        found = dict(zip(keys_in_order(keys), parts, strict=True))
        entries = {key: found[key] for key in keys}
        return entries if cls is dict else defaultdict(option, entries)
    if cls is deque:
        return deque(parts, option)
    return cls(*parts) if is_namedtuple(cls) else cls(parts)
