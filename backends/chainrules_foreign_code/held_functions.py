"""Which functions there are: those that a file or a module holds, in classes, containers, closures
and tables, too, and which of them Numba compiles.
"""

import sys
from collections.abc import Iterable
from functools import cached_property, partial, partialmethod
from types import FunctionType
from typing import Any

import numpy as np

from chainrules_py.introspection import closure_values
from chainrules_py.introspection.collections_paused import holders_of
from chainrules_py.values.wrappers import wrapped_parts
from chainrules_tape.core.saved_state import reached


def functions_with(variables: dict[str, Any], anywhere: bool = False) -> list[FunctionType]:
    """The functions with some global variables that these hold, in classes, containers and closures,
    too; or all there are, `anywhere`, for which all objects of the process are looked at.
    """
    start = holders_of(variables) if anywhere else list(variables.copy().values())
    found = functions_in(start, variables.get("__name__"))
    return [each for each in found if each.__globals__ is variables]


def functions_in(start: list[Any], name: Any) -> list[FunctionType]:
    """The functions that some objects hold, in classes of the module of a name, containers and
    closures, too.
    """
    found = reached(start, partial(parts_of, name=name), sys.maxsize)
    return [each for each in found if type(each) is FunctionType]


def parts_of(x, name: Any) -> Iterable[Any]:
    """What may lead to functions of a module."""
    if type(x) is FunctionType:
        return *closure_values(x).values(), *vars(x).values()
    if isinstance(x, type):
        return [*vars(x).values()] if x.__module__ == name else ()
    if type(x) in (list, tuple, dict):
        entries = x.values() if type(x) is dict else x
        return [*entries] if len(x) < _LONG else ()
    return [*vars(x).values()] if type(x) in _WITH_FUNCTIONS else wrapped_parts(x)


_LONG = 1000  # of containers: longer ones are data
# whose attributes are functions
_WITH_FUNCTIONS = (cached_property, partialmethod, np.vectorize)


def compiled_by_numba() -> frozenset[int]:
    """The identities of the functions that Numba compiles. All objects of the process are looked at.

    Instances hold their class, and to look who holds many functions takes minutes.
    """
    dispatchers = dispatchers_of_numba()
    if not dispatchers:
        return frozenset()
    found: list[Any] = [each for each in holders_of(*dispatchers) if isinstance(each, dispatchers)]
    return frozenset([id(each.py_func) for each in found])


def dispatchers_of_numba() -> tuple[type, ...]:
    """The classes of what Numba makes of functions; none where it is not imported."""
    found = [
        getattr(sys.modules.get(f"numba.{module}"), name, None)
        for module, name in (
            ("core.dispatcher", "Dispatcher"),
            ("np.ufunc.ufuncbuilder", "UFuncDispatcher"),
        )
    ]
    waiting = [each for each in found if each is not None]
    for each in waiting:
        waiting += each.__subclasses__()
    return tuple(waiting)
