"""NumPy's functions hand calls with a library's arrays over to the library.

This concerns constants: an engine sees first what is differentiated, and its rules compute.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Options
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import ArrayLibrary, library_of


def answer_numpy(array_type: Any) -> None:
    """Let NumPy's functions hand calls with such arrays over to the library of their class.

    Functions that write into other arrays do not.
    """

    def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any):
        if method == "at" or has_others(array_type, map(type, (*inputs, *options.values()))):
            return NotImplemented
        return computed_by_library(
            library_of(array_type),
            ufunc if method == "__call__" else getattr(ufunc, method),
            inputs,
            options,
        )

    def array_function(
        self: Any,
        primal: Any,
        types: Iterable[type],
        args: Args,
        options: Options,
    ):
        if writes(primal) or has_others(array_type, types):
            return NotImplemented
        return computed_by_library(library_of(array_type), primal, args, options)

    array_type.__array_ufunc__ = array_ufunc
    array_type.__array_function__ = array_function


@cache
def writes(primal) -> bool:
    """Tell whether a function writes into an argument, which nobody may call twice."""
    return any(rule.overwrites is not None for rule in default_rules.rules(primal))


def has_others(array_type: type, types: Iterable[type]) -> bool:
    """Tell whether another class than NumPy's and this one has an answer to NumPy's functions."""
    return any(
        cls is not array_type
        and not issubclass(cls, np.ndarray | np.generic)
        and (hasattr(cls, "__array_ufunc__") or hasattr(cls, "__array_function__"))
        for cls in types
    )


def computed_by_library(library: ArrayLibrary | None, primal, args: Args, options: Options) -> Any:
    """The value of a function by a library; NotImplemented where it has none but NumPy's, which
    would ask again.
    """
    canonical, args, options = default_rules.canonical(primal, args, options)
    found = canonical if library is None else library.implementation(canonical)
    return NotImplemented if found == primal else found(*args, **options)
