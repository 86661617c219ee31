"""Other names of NumPy's functions: ``cupy``'s, ``cupy.linalg``'s, ``cupy.fft``'s, and those of its
arrays.

Which functions mean the same is read off the two namespaces: CuPy gives NumPy's functions NumPy's
names. Where CuPy calls a parameter something else, the call is rewritten.
"""

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import cupy
import numpy as np

from chainrules_cupy.errors import require_version
from chainrules_cupy.scipy_functions import is_function
from chainrules_numpy.aliases import (
    OPERATORS,
    packed_axes,
    packed_shape,
    swapped,
)
from chainrules_numpy.call_forms import SYNONYMS, Call
from chainrules_numpy.linalg_aliases import SAME, of_three_components
from chainrules_py.calls.method_names import METHODS, RARER_METHODS
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.operators import BINARY

_BY_NAME = inspect.Parameter.POSITIONAL_OR_KEYWORD

MODULES: dict[str, tuple[ModuleType, ModuleType]] = {
    "": (np, cupy),
    "linalg": (np.linalg, cupy.linalg),
    "fft": (np.fft, cupy.fft),
}


def shared(name: str) -> Iterator[tuple[str, Any, Any]]:
    """The functions that a module of NumPy and its counterpart share, each in a version of its own:
    name, NumPy's, CuPy's.
    """
    host, device = MODULES[name]
    for function in dir(host):
        primal, other = getattr(host, function), getattr(device, function, None)
        if (
            not function.startswith("_")
            and is_function(primal)
            and is_function(other)
            and other is not primal
        ):
            yield function, primal, other


def renames(primal, other) -> dict[str, str]:
    """The required parameters that have another name in CuPy, each with NumPy's: ``stack(tup)`` is
    ``stack(arrays)``.
    """
    try:
        ours, theirs = (
            list(inspect.signature(function).parameters.values()) for function in (primal, other)
        )
    except (TypeError, ValueError):  # ufuncs and builtins say nothing, and are called by position
        return {}
    known = {parameter.name for parameter in ours}
    required = [
        (a, b)
        for a, b in zip(ours, theirs, strict=False)
        if b.default is b.empty and a.kind is b.kind is _BY_NAME
    ]
    return {b.name: a.name for a, b in required if b.name not in known}


def renaming(names: dict[str, str]) -> Callable[..., Call]:
    """The adapter that gives NumPy's names to the parameters of a call."""

    def adapt(*args, **options) -> Call:
        return args, {names.get(name, name): value for name, value in options.items()}

    return adapt


def register_aliases(table: RuleTable) -> None:
    """Declare CuPy's functions in a table as other names of NumPy's.

    What CuPy has under several names is known by the first of them.
    """
    seen: set[Any] = set()
    for module in MODULES:
        for _, primal, other in shared(module):
            if other not in seen:
                seen.add(other)
                names = renames(primal, other)
                table.alias(
                    other, (SAME | SYNONYMS).get(primal, primal), renaming(names) if names else None
                )
    table.alias(cupy.linalg.cross, np.cross, of_three_components, reads_shapes=True)
    register_methods(table)


def register_methods(table: RuleTable) -> None:
    """Operators and methods of CuPy's arrays."""
    array: Any = cupy.ndarray
    for name, primal in OPERATORS.items():
        table.alias(getattr(array, f"__{name}__"), primal)
    for name in BINARY:
        if hasattr(array, f"__r{name}__"):
            table.alias(getattr(array, f"__r{name}__"), OPERATORS[name], swapped)
    for name in (*METHODS, *RARER_METHODS):
        if hasattr(array, name) and hasattr(np, name):
            table.alias(getattr(array, name), getattr(np, name))
    table.alias(array.reshape, np.reshape, packed_shape)
    table.alias(array.transpose, np.transpose, packed_axes)
    table.alias(array.flatten, np.ravel)


require_version(cupy.__version__)  # before anything of it is used
register_aliases(default_rules)
