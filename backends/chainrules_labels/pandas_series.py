"""Constant Series of pandas beside traced values: the array in one, where its labels say nothing.

pandas gives a Series for a Series times an array, and aligns that with the next one by its labels.
A traced value has none. Nothing is lost where the labels are the positions 0, 1, 2, ..., nor where
pandas itself gives an array. Results have NumPy's methods then, and some that a Series has.

Once a Series was an operand, each value of that derivative may be a Series to its author: pandas
aligns this one even where it makes an array of a Series beside an array.
"""

import operator
from functools import cache
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.guests import become_arrays, give_methods, method_of_guest
from chainrules_tape.core.levels import innermost
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.subclasses import is_labelled

_GIVING_ARRAYS = frozenset({np.where, np.dot, np.inner, np.vdot})
_INDEXED = frozenset({operator.getitem, operator.setitem})
_BESIDE_ARRAYS = _INDEXED | {np.matmul, operator.matmul}  # which pandas aligns with a Series
_NUMBERS = "biufc"
OTHER_LABELS = "whose labels are not the positions 0, 1, 2, ..."
INSTEAD = (
    "compute with the values of each Series in this function, s.to_numpy() or s.values; labels can"
    " follow afterwards"
)


def declare_pandas() -> None:
    """Have the arrays of Series and their like stand for these."""
    become_arrays(is_series, array_in_series)


def is_series(cls: type) -> bool:
    """Whether a class is one of arrays with labels that give their array, as those of pandas do."""
    return is_labelled(cls) and hasattr(cls, "to_numpy")


def array_in_series(primal, x, operands: tuple[Any, ...]):
    """Return the array in a constant Series or Index; raise where that would lose something.

    An index is returned as it is: NumPy makes an array of it.
    """
    cls: Any = type(x)
    keeps_labels = has_result_with_labels(primal, operands)
    if primal in _INDEXED:
        reason = OTHER_LABELS if keeps_labels and is_mask_with_labels(x) else ""
    else:
        reason = what_an_array_loses(x, keeps_labels)
    if reason:
        got = f"a {qualified_name(cls)} {reason}, beside a traced value"
        raise InputError(qualified_name(primal), got, INSTEAD, function=primal, value=x)

    if primal in _INDEXED:
        return x
    level = innermost(operands)
    if level is not None and keeps_labels:
        give_methods(level, methods_beside(cls))
    return x.to_numpy()


def has_result_with_labels(primal, operands: tuple[Any, ...]) -> bool:
    """Whether pandas goes by labels in an operation, and does not make an array of a Series."""
    if primal in _BESIDE_ARRAYS:
        return any(method_of_guest(x, "_typ") is not None for x in operands)
    return primal not in _GIVING_ARRAYS


def is_mask_with_labels(index) -> bool:
    """Whether an index says of labels that are no positions which entries are meant."""
    return np.asarray(index).dtype.kind == "b" and not labelled_by_position(index)


def what_an_array_loses(x, keeps_labels: bool) -> str:
    """Say what a Series has that its array has not; nothing where both mean the same."""
    if x.ndim != 1:
        return "with labels on two axes"
    if not isinstance(x.dtype, np.dtype) or x.dtype.kind not in _NUMBERS:
        return f"of dtype {x.dtype}, which NumPy does not have for numbers"
    if not keeps_labels:
        return ""
    if not labelled_by_position(x):
        return OTHER_LABELS
    if np.isnan(x.to_numpy()).any():
        return "with missing values (nan), which pandas leaves out of sums"
    return ""


def labelled_by_position(x) -> bool:
    """Whether the labels of a Series count its entries; an Index has none besides its values."""
    index = getattr(x, "index", None)
    return index is None or np.array_equal(np.asarray(index), np.arange(x.shape[0]))


# Methods of what may be a Series to its author, because one stood for its array


@cache
def methods_beside(cls: type) -> dict[str, Any]:
    """The methods of traced values beside a Series of a class."""
    return {
        "std": dispersion_by_pandas("std", cls),
        "var": dispersion_by_pandas("var", cls),
        "abs": absolute,
        "median": np.median,
        "quantile": quantile,
        "dot": dot,
        "_typ": entries_for(cls),
    }


def dispersion_by_pandas(name: str, cls: type) -> Function:
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


def absolute(x) -> Any:
    """The absolute values, whose method an array has not."""
    return np.abs(x)


def dot(x, other) -> Any:
    """The product ``x.dot(other)``, which is ``x @ other`` where a Series is the other factor."""
    return np.matmul(x, other) if is_series(type(other)) else np.dot(x, other)


def entries_for(cls: type) -> property:
    """The property that pandas asks any value for before it takes the entries, which raises: a
    column or a new Series would have them in their order, and not by label.
    """

    def refuse_to_give_entries(x):
        if not x.shape:
            raise AttributeError("a number has no labels, and stands at all of them")
        where = "entries of x for pandas"
        name = qualified_name(cls)
        got = (
            f"a traced value, where a {name} was an operand: pandas goes by the labels of a Series"
        )
        raise InputError(where, got, INSTEAD, function=where, value=x)

    return property(refuse_to_give_entries)
