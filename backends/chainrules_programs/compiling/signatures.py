"""The signature of a call: what a program was recorded for, as a key of the cache.

Arrays of numbers count by type, shape and memory order, real and complex numbers by class, and
all else by value: whole numbers, strings, None, arrays of strings and of times. An object that is
none of these counts by identity, and is followed as a captured one is (`surroundings`). Containers
count by their structure.
"""

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_programs.recording.program import Value
from chainrules_py.annotations import Args, Options
from chainrules_py.values.arrays import library_of
from chainrules_py.values.structure import fields, is_container
from chainrules_tape.core.trees import leaves_and_structure
from chainrules_tape.refusals.handles import TracedArray

COUNTED_BY_CLASS = frozenset({float, complex, np.float64, np.float32, np.complex128, np.complex64})
_BY_VALUE = frozenset({int, bool, str, bytes, type(None), np.int64, np.int32, np.bool_, np.dtype})
NUMBERS = frozenset("fciub")  # the kinds of arrays that are inputs
_WITH_PARTS = (tuple, list, dict, deque)  # of optree's; it sorts the keys of dicts


class SeenFromOutsideError(Exception):
    """An argument belongs to an engine or library that is to see the function itself."""


class Same:
    """An object as a part of a key, by its identity; the key does not keep it alive.

    That of an object which is gone is equal to no other key.
    """

    __slots__ = ("instance", "number")

    def __init__(self, instance) -> None:
        self.number = id(instance)
        try:
            self.instance: Callable[[], Any] = weakref.ref(instance)
        except TypeError:  # of no class with weak references
            self.instance = lambda: instance

    def __eq__(self, other: object) -> bool:
        if type(other) is not Same or other.number != self.number:
            return False
        instance = self.instance()
        return instance is not None and other.instance() is instance

    def __hash__(self) -> int:
        return self.number


def signature(args: Args, options: Options) -> tuple[Any, list[Any]]:
    """Return the key of a call and the leaves of its arguments.

    >>> key, leaves = signature((np.ones((2, 3)), 0.5), {})
    >>> key[1:], leaves[1]
    (((dtype('float64'), (2, 3), True), <class 'float'>), 0.5)
    """
    leaves: list[Any]
    if not options:
        # the most frequent call, without containers: 1 us for one array, with optree 2 us
        key: list[Any] = [None]
        for x in args:
            cls = type(x)
            if cls is np.ndarray and x.dtype.kind in NUMBERS:
                key.append((x.dtype, x.shape, x.flags.c_contiguous or x.strides))
            elif cls in COUNTED_BY_CLASS:
                key.append(cls)
            else:
                break
        else:
            return tuple(key), list(args)
    container: Any = (args, options)
    leaves, structure = leaves_and_structure(container)
    key = [structure]
    _add_orders(container, key)
    found: list[Any] = []
    for x in leaves:
        _add(x, key, found)
    return tuple(key), found


def _add_orders(x, key: list[Any]) -> None:
    """Add the keys of each dict in their order, which optree's structures leave out; raise where they
    leave out attributes, as of users' dicts and lists.
    """
    if getattr(x, "__dict__", None):
        name = f"{type(x).__module__}.{type(x).__qualname__}"
        raise SeenFromOutsideError(
            f"an argument is a {name}, which has attributes beside its items"
        )
    if isinstance(x, dict):
        key.append(exactly(tuple(x)))
        x = x.values()
    for part in x:
        if type(part) is not np.ndarray and isinstance(part, _WITH_PARTS):
            _add_orders(part, key)


def exactly(x) -> Any:
    """Return a key of a dict so that 1 differs from True and from 1.0, in tuples, too."""
    if isinstance(x, tuple):
        return tuple(map(exactly, x))
    return (type(x), repr(x)) if isinstance(x, int | float | complex | np.number) else x


def _add(x, key: list[Any], leaves: list[Any]) -> None:
    """Add a leaf of optree's, or the fields of a container that it does not know."""
    cls = type(x)
    if cls is np.ndarray:
        key.append((x.dtype, x.shape, x.flags.c_contiguous or x.strides))
        if x.dtype.kind not in NUMBERS:
            require_bytes(x)
            key.append(x.tobytes())
    elif cls in COUNTED_BY_CLASS or issubclass(cls, np.inexact):
        key.append(cls)
    elif cls in _BY_VALUE:
        key.append((cls, x))
    elif issubclass(cls, np.integer):
        key.append((cls, x.dtype, x))  # of time differences the unit is in the dtype
    elif is_container(x):
        parts = fields(x)
        key.append((cls, tuple(parts)))
        for part in parts.values():
            inner, structure = leaves_and_structure(part)
            key.append(structure)
            for leaf in inner:
                _add(leaf, key, leaves)
        _add_orders(parts.values(), key)
        return
    else:
        require_plain(x)
        key.append(Same(x))
    leaves.append(x)


def require_bytes(x: np.ndarray[Any, Any]) -> None:
    """Raise for an array of objects, whose bytes do not say what they are."""
    if x.dtype.hasobject or x.dtype.kind not in "SUmMV":
        raise SeenFromOutsideError(f"an argument is an array of type {x.dtype}, not of numbers")


def require_plain(x) -> None:
    """Raise for a value of an engine or of another array library."""
    cls = type(x)
    if issubclass(cls, TracedArray | Value) or hasattr(cls, "__chainrules_call__"):
        raise SeenFromOutsideError(f"a traced value is among its arguments, a {cls.__name__}")
    library = library_of(cls)
    is_other_array = hasattr(cls, "__array_function__") or hasattr(cls, "__array_ufunc__")
    if is_other_array or (library is not None and library.name != "numpy"):
        name = f"{cls.__module__}.{cls.__qualname__}"
        raise SeenFromOutsideError(f"an argument is a {name}, and programs take numpy.ndarray")
