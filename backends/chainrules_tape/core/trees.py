"""Arguments and results: any nesting of tuples, lists, dicts, namedtuples, and dataclasses and
attrs classes inside them.

optree knows the first four and whatever was registered with it. What is a leaf there and has fields
of its own (a dataclass), and all containers where optree is not installed, are taken apart by
`chainrules_py.values.structure`, which knows how to make another one.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from functools import cache
from importlib import import_module
from typing import Any, cast

from numpy import float64, ndarray

from chainrules_py.annotations import Function
from chainrules_py.introspection import is_held_once
from chainrules_py.projection.admission import seed_error
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.tangents import ZERO, Tangent, entries
from chainrules_py.values.arrays import given_out, library_of, taken_in
from chainrules_py.values.discovery import is_installed
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, kind, rebuild
from chainrules_tape.core.levels import differentiates_here
from chainrules_tape.core.values import is_array_class
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.subclasses import carrying, changes_meanings, numbers_of

Rebuild = Callable[[list[Any]], Any]

# Classes whose values are leaves, and as a user has them what rules get. Those of traced values, and
# the arrays of other libraries, join when the first of them is met.
LEAVES: set[type] = {ndarray, float64, float, int}


def flatten(tree) -> tuple[list[Any], Rebuild]:
    """The leaves of a tree, and the function that makes a tree of the same structure from as many
    others.

    Values such as PyTorch's tensors become arrays that rules know; `unshared` makes tensors of
    these again.

    >>> leaves, rebuilt = flatten({"b": (2.0, None), "w": 1.0})
    >>> leaves, rebuilt([6.0, 0.0, 3.0])
    ([2.0, None, 1.0], {'b': (6.0, 0.0), 'w': 3.0})
    """
    cls = type(tree)
    if cls is tuple and are_leaves(tree):  # arguments of most functions
        return list(tree), tuple
    if cls in LEAVES or issubclass(cls, TracedArray):  # `is_leaf` written out
        return [tree], only
    if cls is list and are_leaves(tree):
        return tree.copy(), list
    if cls is tuple and len(tree) == 1:  # one container as the only argument
        leaves, rebuilt_part = flatten(tree[0])
        return leaves, lambda others: (rebuilt_part(others),)
    leaves, spec = leaves_and_structure(tree)
    if are_leaves(leaves):
        return leaves, spec.unflatten
    LEAVES.update(filter(is_leaf_class, set(map(type, leaves)) - LEAVES))
    leaves = list(map(taken_in, leaves))
    if not any(map(is_container, leaves)):
        return leaves, spec.unflatten
    inner = [_flatten_fields(leaf) if is_container(leaf) else ([leaf], only) for leaf in leaves]
    return together(inner, spec.unflatten)


def leaves_and_structure(tree) -> tuple[list[Any], Any]:
    """The leaves of a container and its structure, by optree, which is written in C.

    Where optree is not installed, the container is one leaf, and its fields are asked for.
    """
    found = optree()
    return ([tree], OneLeaf) if found is None else found.tree_flatten(tree, none_is_leaf=True)


@cache
def optree() -> Any:
    """optree, or None where it is not installed.

    It is imported by the first container that is no tuple or list of leaves, which most programs
    do not have.
    """
    return import_module("optree") if is_installed("optree") else None


def is_leaf_class(cls: type) -> bool:
    """Whether a class is some library's own array class, of arrays that users have, too."""
    if not is_array_class(cls):
        return False
    library = library_of(cls)
    return library is not None and library.given_out is None


def is_leaf(x) -> bool:
    """Whether a value is known to be none that is taken apart."""
    return type(x) in LEAVES or issubclass(type(x), TracedArray)


def are_leaves(values: Collection[Any]) -> bool:
    """Whether values are known to be none that are taken apart."""
    if LEAVES.issuperset(map(type, values)):
        return True
    if not all(map(is_leaf, values)):
        return False
    LEAVES.update(map(type, values))
    return True


def only(leaves: list[Any]):
    """The tree that consists of one leaf is that leaf."""
    return leaves[0]


def as_constant(tree) -> Any:
    """An argument that is not differentiated, with arrays for tensors and the like; the argument
    itself where it has none.
    """
    if type(tree) in LEAVES or issubclass(type(tree), TracedArray):
        return tree
    leaves, rebuilt = flatten(tree)
    return rebuilt(leaves) if any(given_out(leaf) is not leaf for leaf in leaves) else tree


class OneLeaf:
    """The structure of a tree that consists of one leaf."""

    unflatten = staticmethod(only)


def together(inner: list[tuple[list[Any], Rebuild]], make: Rebuild) -> tuple[list[Any], Rebuild]:
    """The leaves of several trees, and the function that makes the trees of others, and `make` a
    tree of these.
    """

    def rebuilt(others: list[Any]) -> Any:
        remaining = iter(others)
        return make([each([next(remaining) for _ in own]) for own, each in inner])

    return [leaf for own, _ in inner for leaf in own], rebuilt


def _flatten_fields(x) -> tuple[list[Any], Rebuild]:
    parts = fields(x)
    keys = in_order(parts) if type(x) in (dict, defaultdict) else list(parts)
    inner = [flatten(parts[key]) for key in keys]
    return together(inner, lambda values: rebuild(x, dict(zip(keys, values, strict=True))))


def in_order(keys: Iterable[Any]) -> list[Any]:
    """The keys of a dict in optree's order: sorted, so that equal dicts have their leaves in one
    order, however they were made.
    """

    def with_class(key) -> tuple[str, Any]:
        return f"{type(key).__module__}.{type(key).__qualname__}", key

    for order in (None, with_class):
        try:
            return sorted(keys, key=order)
        except TypeError:
            pass
    return list(keys)


class TreeSpace:
    """The `Space` of a tree with the tree's skeleton: `leaves` checks what a caller passes as a
    tangent, and takes it apart.
    """

    __slots__ = ("count", "skeleton", "space")

    def __init__(self, leaves: list[Any], rebuilt: Rebuild) -> None:
        self.count = len(leaves)
        self.space = admitting_space(rebuilt(leaves))
        self.skeleton = rebuilt([None] * len(leaves))

    def leaves(self, t, function: Function) -> list[Any]:
        """The leaves of a tangent: natural ones, or ZERO; SeedError for what is no tangent of the
        tree, with the name of the function whose argument or result that is.
        """
        space = self.space
        is_array = type(t) is ndarray and self.skeleton is None and t.dtype.kind == "f"
        if is_array and t.dtype is space.dtype and t.shape == space.shape:  # nearly always
            return [t]
        where = qualified_name(function)
        t = space.admit(t, where)
        if self.skeleton is None:
            return [t if type(t) in LEAVES else natural(t, where)]
        if t is ZERO:
            return [ZERO] * self.count
        return [natural(leaf, where) for leaf in flatten(filled_tree(t, self.skeleton))[0]]


def natural(t, where: str) -> Any:
    """A tangent that a caller passes as rules take it: an array of NumPy's in place of one of a
    subclass, which has the same numbers.
    """
    cls = type(t)
    if cls in LEAVES or not issubclass(cls, ndarray):
        return taken_in(t)
    if changes_meanings(cls):
        got = f"a {qualified_name(cls)}"
        raise seed_error(t, got, "numpy.ndarray", where, "pass its numbers, numpy.asarray(t)")
    return numbers_of(t)


def filled_tree(t, skeleton) -> Any:
    """A structural tangent as a plain tree with the structure of `skeleton`, ZERO for what is
    absent.
    """
    if not is_container(skeleton):
        return t
    own = entries(t) if isinstance(t, Tangent) else {}
    parts = {key: filled_tree(own.get(key, ZERO), part) for key, part in fields(skeleton).items()}
    if kind(type(skeleton)) == "declared":
        return list(parts.values())  # no object of its class may hold zeros that are no arrays
    return rebuild(skeleton, parts)


def unshared(leaves: list[Any]) -> list[Any]:
    """The leaves, arrays that somebody else holds being replaced by copies; empties the list it is
    given.
    """
    leaves.reverse()
    owned = []
    while leaves:
        leaf = leaves.pop()
        cls = type(leaf)
        if cls is ndarray:
            # The count comes first: a flags object holds its array.
            is_alone = is_held_once(leaf) and leaf.base is None
            if not (is_alone and leaf.flags.owndata and leaf.flags.writeable):
                leaf = leaf.copy("K")
        elif cls is float64 or cls is float:
            pass
        elif issubclass(cls, ndarray):
            leaf = carrying(numbers_of(leaf).copy("K"), leaf)
        elif issubclass(cls, TracedArray):
            if not (is_held_once(leaf) and holds_array_alone(leaf)):
                leaf = cast(TracedArray, leaf).resolved()
        elif cls not in LEAVES and not differentiates_here():
            leaf = given_out(leaf)  # nobody differentiates the caller: it gets what it passed
        owned.append(leaf)
    return owned


def holds_array_alone(x) -> bool:
    """Whether a handle, which nobody else has, is all that holds its array, and no array of its
    level was written to.
    """
    if x.is_stored or x.level.written is not None:
        return False
    value, x.value = x.value, None  # to be counted without the handle
    found = type(value) is ndarray and is_held_once(value) and owns_writable_memory(value)
    x.value = value
    return found


def owns_writable_memory(x) -> bool:
    """Whether an array has memory of its own and may be written."""
    flags = x.flags
    return x.base is None and flags.owndata and flags.writeable
