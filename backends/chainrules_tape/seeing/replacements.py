"""What stands in the place of modules and functions of NumPy, SciPy, `math` and `cmath` in code that is seen through."""

import cmath
import importlib.util
import math
import sys
from functools import cache
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy

import chainrules_tape.numpy
from chainrules_py.registry import default_rules
from chainrules_tape.numpy.namespaces import Namespace, made_interceptable
from chainrules_tape.seeing.math_functions import module_of_numbers

_ROOTS = frozenset({"numpy", "scipy"})
# What is a function in a package's eyes: what a class makes of it is told by its type, and objects of other types are not asked.
_FUNCTIONS = (FunctionType, BuiltinFunctionType, type(numpy.sum), numpy.vectorize)
_LOCAL = frozenset({"scipy.special"})  # modules of SciPy with a file in chainrules_tape


def replacement(found: Any) -> Any:
    """What stands in the place of a value that a module holds; the value itself where it stays.

    >>> replacement(numpy) is chainrules_tape.numpy, replacement(numpy.float64) is numpy.float64
    (True, True)
    """
    if isinstance(found, ModuleType):
        return of_module(found)
    known = replaced().get(id(found))
    if known is not None:
        return known
    if isinstance(found, _FUNCTIONS) and is_from_elsewhere(found) and found in default_rules:
        return replaced().setdefault(id(found), made_interceptable(found))
    return found


def is_from_elsewhere(function: Any) -> bool:
    """Whether a function is NumPy's or SciPy's."""
    return (getattr(function, "__module__", None) or "").partition(".")[0] in _ROOTS


def of_module(module: ModuleType) -> Any:
    """The module in the place of a module."""
    known = replaced().get(id(module))
    if known is not None:
        return known
    if module.__name__.partition(".")[0] not in _ROOTS:
        return module
    return replaced().setdefault(id(module), own_module(module.__name__) or Namespace(module))


def own_module(name: str) -> Any:
    """The module of this package that stands for one of NumPy's or SciPy's; None where there is none."""
    own = f"chainrules_tape.{name}"
    if own in sys.modules:
        return sys.modules[own]
    return importlib.import_module(own) if importlib.util.find_spec(own) is not None else None


@cache
def replaced() -> dict[int, Any]:
    """The replacements by the identity of what they stand for, which lives as long as the process does."""
    found: dict[int, Any] = {}
    for module in (math, cmath):
        made = module_of_numbers(module)
        found[id(module)] = made
        found.update({id(f): vars(made)[name] for name, f in vars(module).items() if vars(made)[name] is not f})
    for name in numpy.__all__:
        original, made = getattr(numpy, name), getattr(chainrules_tape.numpy, name)
        if made is not original:
            found[id(original)] = made
    return found
