"""Copies of functions that an engine calls later, the same until what they capture has changed."""

from collections.abc import Iterator
from numbers import Number
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from chainrules_py.values.captured_values import Snapshot, frozen

# copies of functions, with the state that they are of
_frozen: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()


def frozen_once(x: Any, variables_only: bool = False) -> Any:
    """Return functions as `frozen` does, the same copies until what they capture has changed.

    It is for engines that call a function later, and know functions by their identity. Of whole
    programs, which may write into what they capture, it copies variables only.
    """
    if type(x) in (tuple, list):
        return type(x)(map(frozen_once, x))
    if type(x) is dict:
        return {name: frozen_once(part) for name, part in x.items()}
    if hasattr(type(x), "is_whole_program"):
        return x.with_function(frozen_once(x.function, variables_only=True))
    if not callable(x) or isinstance(x, type):
        return x
    if not Snapshot(variables_only).visit(x):
        return x
    try:
        before, copy = _frozen.get(x, (None, None))
    except TypeError:  # there are no weak references to it, or it cannot be hashed
        return frozen(x, variables_only)
    state = variables_only, list(state_of(x, Snapshot(variables_only), set()))
    if state != before:
        copy = frozen(x, variables_only)
        _frozen[x] = state, copy
    return copy


def state_of(x, snapshot: Snapshot, seen: set[int]) -> Iterator[Any]:
    """List what a snapshot copies of a value: numbers, and the identities of what is shared."""
    if id(x) in seen:
        return
    seen.add(id(x))
    if snapshot.is_wanted(x):
        yield from (x.shape, x.dtype, x.tobytes())
        return
    parts = list(snapshot.parts_of(x))
    if isinstance(x, FunctionType):
        yield id(x.__code__)
    elif not parts:
        yield (type(x), repr(x)) if isinstance(x, Number | str) else id(x)
    for key, part in parts:
        yield key
        yield from state_of(part, snapshot, seen)
