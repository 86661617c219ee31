"""Which calls in the code of foreign functions are replaced, and by which functions.

Python asks the class, so no handle can answer a call of `float`. Nor can the name `float` stand for
something else, because `float` is also what types are compared with and arrays are made of. So only
calls are changed: where the code of a function loads the name in order to call it, it loads another
function, and in all other places what it always did.

Likewise other functions are called for methods (`methods`, and those of plain arrays, which convert
in C), for ufuncs, which take no list of traced values (`ufuncs_of_lists`), and for those classes
and functions of Python's that look at the type of a number and ask it nothing (`refused_calls`).
"""

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

import chainrules_tape.numpy
from chainrules_foreign_code.conversions import (
    as_complex,
    as_float,
    as_int,
    as_iterator,
    as_type,
    of_class,
    of_integer_class,
)
from chainrules_foreign_code.methods import (
    array,
    array_namespace,
    astype,
    copy,
    dot,
    item,
    of_objects,
    round_method,
    tolist,
)
from chainrules_foreign_code.refused_calls import REFUSED, methods_of_float, refusal_of_call
from chainrules_foreign_code.rounding import as_round
from chainrules_foreign_code.stand_in_modules import stand_in_module
from chainrules_foreign_code.ufuncs_of_lists import accumulate, of_lists, outer, reduce
from chainrules_py.introspection.called_code import Calls, calls_of
from chainrules_tape.refusals.advice import OF_OBJECTS

_TABLES = frozenset({dict, list, tuple})
_SHORT = 100  # entries


def as_map(function, *sequences):
    """``map(f, ...)``, which may be asked to convert each of its values."""
    return map(CONVERTING.get(id(function), function), *sequences)


BUILTINS: dict[Any, Any] = {
    float: as_float,
    int: as_int,
    complex: as_complex,
    type: as_type,
    map: as_map,
    iter: as_iterator,
    round: as_round,
}
_OF_PYTHON = {found.__name__: made for found, made in BUILTINS.items()}
# Names of variables and attributes for what makes numbers of values.
HOLDERS = frozenset(
    {
        *("dtype", "dt", "type_", "typ", "type", "kind", "conv", "converter", "convert"),
        *("cast", "caster", "factory", "ctor", "number", "scalar", "float_type", "real_type"),
        *("num_type", "to_float", "as_float", "parse", "parser", "value_type", "scalar_type"),
    }
)

# Names of attributes for tables of them.
TABLES_OF_HOLDERS = frozenset(
    {*(f"{name}s" for name in HOLDERS), *("factories", "conversions", "readers", "actions")}
)


def call_held(function, *args, **options) -> Any:
    """Call what a variable or a table holds, or what is to be called in its place."""
    return CONVERTING.get(id(function), function)(*args, **options)


class CalledTable:
    """A global table for code that calls its entries: those that are replaced are others."""

    def __init__(self, variables: dict[str, Any], name: str) -> None:
        self.variables, self.name = variables, name

    def __getitem__(self, key) -> Any:
        found = self.variables[self.name][key]
        return CONVERTING.get(id(found), found)


def call_attribute(name: str) -> Any:
    """The function to call in the place of a method of this name, which may hold a conversion."""

    def call_held_attribute(owner, *args, **options):
        return call_held(getattr(owner, name), *args, **options)

    return call_held_attribute


METHODS: dict[str, Any] = {name: call_attribute(name) for name in sorted(HOLDERS)}
METHODS |= {name: of_objects(name) for name in sorted(OF_OBJECTS)}
METHODS |= {
    "__array__": array,
    "__array_namespace__": array_namespace,
    "accumulate": accumulate,
    "astype": astype,
    "copy": copy,
    "dot": dot,
    "item": item,
    "outer": outer,
    "reduce": reduce,
    "round": round_method,
    "tolist": tolist,
}
OF_NUMBERS = dict.fromkeys(("float64", "float32", "complex128", "double"), of_class)
OF_NUMBERS |= dict.fromkeys(("int64", "int32", "int_", "intp"), of_integer_class)
OF_FLOAT = {name: made for name, made in methods_of_float().items() if name not in METHODS}
# By identity, because anything may be looked up here.
CONVERTING = {id(found): made for found, made in BUILTINS.items()}
CONVERTING |= {id(getattr(np, name)): make(getattr(np, name)) for name, make in OF_NUMBERS.items()}


@cache
def numpys() -> frozenset[int]:
    """The identities of NumPy, and of the modules that stand for it."""
    return frozenset(map(id, (np, chainrules_tape.numpy, stand_in_module("numpy"))))


def calls_in(namespace: dict[str, Any]) -> Calls:
    """The calls that are replaced in the code of functions that have these globals.

    A global name may stand for something else than Python's function of this name.
    """
    own_numpy: Any = np
    hidden = _OF_PYTHON.keys() & namespace.keys()
    functions = {name: made for name, made in _OF_PYTHON.items() if name not in hidden}
    in_modules = {} if "float" in hidden else {"float": OF_FLOAT}
    tables: dict[str, Any] = {}
    for name, found in namespace.copy().items():
        kind = type(found)
        if id(found) in numpys():
            in_modules[name] = called_of_module(own_numpy)
        elif kind is ModuleType:
            if found.__name__ in REFUSED:
                in_modules[name] = called_of_module(found)
        elif kind in _TABLES:
            if holds_conversion(found):
                tables[name] = CalledTable(namespace, name)
        elif found is float:
            functions[name] = as_float
            in_modules[name] = OF_FLOAT
        elif (made := called_instead(found)) is not None:
            functions[name] = made
    return calls_of(functions, in_modules, METHODS, call_held, HOLDERS, tables, TABLES_OF_HOLDERS)


def holds_conversion(table) -> bool:
    """Whether a short dict, list or tuple holds a class that converts numbers."""
    entries = table.values() if type(table) is dict else table
    return len(table) <= _SHORT and not CONVERTING.keys().isdisjoint(map(id, list(entries)))


def called_instead(found) -> Any:
    """The function to call in the place of a conversion or a ufunc.

    None where the object itself is called.
    """
    kind = type(found)
    if issubclass(kind, np.ufunc):
        return of_lists(found)
    return CONVERTING.get(id(found)) or refusal_of_call(found)


@cache
def called_of_module(module) -> dict[str, Any]:
    """The functions to call in the place of those of a module, by their names in it."""
    made = {name: called_instead(found) for name, found in vars(module).copy().items()}
    return {name: each for name, each in made.items() if each is not None}
