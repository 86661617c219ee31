"""Which functions there are: those that a file or a module holds, in classes, containers, closures
and tables, too, and which of them Numba compiles.
"""

import builtins
import sys
from functools import cached_property, partialmethod
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from chainrules_py.introspection import closure_values
from chainrules_py.introspection.collections_paused import holders_of
from chainrules_py.values.wrappers import wrapped_parts


def functions_with(variables: dict[str, Any], anywhere: bool = False) -> list[FunctionType]:
    """The functions with some global variables that these hold, in classes, containers and closures,
    too; or all there are, `anywhere`, for which all objects of the process are looked at.
    """
    start = holders_of(variables) if anywhere else list(variables.copy().values())
    found = functions_in(start, variables.get("__name__"))
    return [each for each in found if each.__globals__ is variables]


def functions_in(waiting: list[Any], name: Any) -> list[FunctionType]:
    """The functions that some objects hold, in classes of the module of a name, containers and
    closures, too.
    """
    found: dict[int, Any] = {id(vars(builtins)): None}  # which every module holds
    while waiting:
        each = waiting.pop()
        if type(each) in _HOLDING_NOTHING or id(each) in found:
            continue
        if type(each) is FunctionType:
            found[id(each)] = each
            waiting += [*closure_values(each).values(), *vars(each).values()]
        elif isinstance(each, type):
            if each.__module__ == name:
                found[id(each)] = each
                waiting += vars(each).values()
        elif type(each) in (list, tuple, dict):
            if len(each) < _LONG:
                found[id(each)] = each
                waiting += each.values() if type(each) is dict else each
        elif type(each) in _WITH_FUNCTIONS:
            waiting += vars(each).values()
        else:
            waiting += wrapped_parts(each)
    return [each for each in found.values() if type(each) is FunctionType]


_HOLDING_NOTHING = frozenset({str, bool, int, float, type(None), BuiltinFunctionType})
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
