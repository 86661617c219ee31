"""Which arrays a residual keeps alive: what a rule holds on to for its pullback, in tuples and in
closures.
"""

import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from chainrules_programs.recording.dependence import owner_of
from chainrules_py.introspection import closure_values
from chainrules_py.table.registry import RuleTable
from chainrules_py.values.structure import attribute_values
from chainrules_py.values.wrappers import wrapped_parts
from chainrules_tape.refusals.handles import TracedArray


def owners(kept) -> list[Any]:
    """The arrays that own the memory which residuals keep alive, each once."""
    found: dict[int, Any] = {}
    for array in arrays_in(kept):
        owner = owner_of(array)
        found.setdefault(id(owner), owner)
    return list(found.values())


def arrays_in(kept) -> Iterator[Any]:
    """The arrays in residuals: in containers, in the closures and defaults of functions, in the
    fields of objects.
    """
    stack, seen = [kept], set()
    while stack:
        x = stack.pop()
        while isinstance(x, TracedArray):
            x = x.value
        if id(x) in seen:
            continue
        seen.add(id(x))
        if issubclass(type(x), np.ndarray):
            yield x
        elif not isinstance(x, type | types.ModuleType):
            stack += reversed(parts_of_residuals(x))


def parts_of_residuals(x) -> list[Any]:
    """The objects that a residual refers to and that may hold arrays."""
    if isinstance(x, types.FunctionType):
        cells = closure_values(x).values()
        return [*cells, *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()]
    if isinstance(x, dict):
        return list(x.values())
    if isinstance(x, tuple | list):
        return list(x)
    if issubclass(type(x), (RuleTable, str, bytes, int, float, complex, np.generic, np.dtype)):
        return []
    return [*wrapped_parts(x), *attribute_values(x)]
