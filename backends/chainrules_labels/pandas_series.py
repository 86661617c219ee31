"""Constant Series of pandas beside traced values: the array in one, where its labels say nothing.

pandas gives a Series for a Series times an array, and aligns that with the next one by its labels.
A traced value has none. Nothing is lost where the labels are the positions 0, 1, 2, ..., nor where
pandas itself gives an array. Results have NumPy's methods then, and some that a Series has.
"""

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.guests import become_arrays, give_methods
from chainrules_tape.core.levels import Level
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.subclasses import is_labelled

_GIVING_ARRAYS = frozenset({np.where, np.dot, np.inner, np.vdot, np.matmul, operator.matmul})
_NUMBERS = "biufc"


def declare() -> None:
    """Have the arrays of Series and their like stand for these."""
    become_arrays(is_series, array_in_series)


def is_series(cls: type) -> bool:
    """Whether a class is one of arrays with labels that give their array, as those of pandas do."""
    return is_labelled(cls) and hasattr(cls, "to_numpy")


def array_in_series(primal, x, level: Level | None):
    """Return the array in a constant Series or Index; raise where that would lose something."""
    cls: Any = type(x)
    if level is not None and primal not in _GIVING_ARRAYS:  # pandas gives a Series
        give_methods(level, methods_beside(cls))

    reason = what_an_array_loses(primal, x)
    if reason:
        got = f"a {qualified_name(cls)} {reason}, beside a traced value"
        instead = "compute with its values, s.to_numpy() or s.values; labels can follow afterwards"
        raise InputError(qualified_name(primal), got, instead, function=primal, value=x)
    return x.to_numpy()


def what_an_array_loses(primal, x) -> str:
    """Say what a Series has that its array has not; nothing where both mean the same."""
    if x.ndim != 1:
        return "with labels on two axes"
    if not isinstance(x.dtype, np.dtype) or x.dtype.kind not in _NUMBERS:
        return f"of dtype {x.dtype}, which NumPy does not have for numbers"
    if primal in _GIVING_ARRAYS:
        return ""
    if not labelled_by_position(x):
        return "whose labels are not the positions 0, 1, 2, ..."
    if np.isnan(x.to_numpy()).any():
        return "with missing values (nan), which pandas leaves out of sums"
    return ""


def labelled_by_position(x) -> bool:
    """Whether the labels of a Series count its entries; an Index has none besides its values."""
    index = getattr(x, "index", None)
    return index is None or np.array_equal(np.asarray(index), np.arange(x.shape[0]))


# Methods of what may be a Series to its author, because one stood for its array


@cache
def methods_beside(cls: type) -> dict[str, Callable[..., Any]]:
    """The methods of traced values beside a Series of a class."""
    return {
        "std": spread("std", cls),
        "var": spread("var", cls),
        "abs": np.abs,
        "median": np.median,
        "quantile": quantile,
    }


def spread(name: str, cls: type) -> Callable[..., Any]:
    """The method `std` or `var`, which asks for the divisor: pandas divides by n - 1 what NumPy
    divides by n.
    """
    primal = getattr(np, name)

    def method(x, *args, **options):
        if "ddof" in options:
            return primal(x, *args, **options)

        where = f"x.{name}()"
        got = (
            f"a traced value, where a {qualified_name(cls)} was an operand: NumPy divides by n,"
            " pandas by n - 1"
        )
        instead = f"write x.{name}(ddof=1) for what pandas computes, x.{name}(ddof=0) for NumPy's"
        raise InputError(where, got, instead, function=where, value=x)

    return method


def quantile(x, q: Any = 0.5, **options) -> Any:
    """The quantile of a traced value, which is the median by default, as of a Series."""
    return np.quantile(x, q, **options)
