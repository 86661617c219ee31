"""Modules of NumPy with other functions in the place of its own."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from chainrules_py.annotations import Function

UFUNC_METHODS = ("at", "reduce", "reduceat", "accumulate", "outer")


class NamesOfNumPy:
    """A module of NumPy's, or of others, with other functions: those in `own`, and for any other what
    ``find(function, name)`` gives; the name has that of a module within NumPy in it.
    """

    def __init__(
        self, module: ModuleType, own: dict[str, Any], find: Callable[[Any, str], Any]
    ) -> None:
        self.__dict__ |= own
        self.__wrapped__, self._find = module, find

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__wrapped__, name)  # AttributeError for what NumPy does not have
        if isinstance(found, ModuleType):
            found = NamesOfNumPy(found, {}, self._find)
        elif callable(found) and not isinstance(found, type):
            dotted = f"{self.__wrapped__.__name__}.{name}"
            found = self._find(found, dotted.removeprefix("numpy."))
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted(public_names(self.__wrapped__))

    def __repr__(self) -> str:
        return f"<{self.__wrapped__.__name__}, with other functions>"


def public_names(module: ModuleType) -> set[str]:
    """The names in a module that are meant for others, by its list or without an underscore."""
    return set(getattr(module, "__all__", ())) or {
        name for name in dir(module) if not name.startswith("_")
    }


def found_at(module, path: str) -> Any:
    """What a module has at a place such as ``linalg.inv``; None where it has nothing there."""
    for name in path.split("."):
        module = getattr(module, name, None)
    return module


def numpy_beside(own, either: Callable[[Function, Function], Function]) -> NamesOfNumPy:
    """NumPy with ``either(function, other)`` in the place of its functions, the other being that of
    the namespace of a library; NumPy's own once more where the library lacks it.
    """

    def find(function, name: str) -> Function:
        other = found_at(own, name)
        return either(function, function if other is None else other)

    return NamesOfNumPy(np, {}, find)


def with_ufunc_methods(make: Callable[..., Function], function, *others) -> Function:
    """What is made of a function, and of others in its place; if that is a ufunc, with methods that
    are made of its methods that return something.
    """
    made = make(function, *others)
    for name in UFUNC_METHODS if isinstance(function, np.ufunc) else ():
        method = getattr(function, name)
        setattr(made, name, make(method, *[getattr(other, name, method) for other in others]))
    return made
