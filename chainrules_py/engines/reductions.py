"""Reductions with all of NumPy's options, made of those of a library whose own have fewer."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.errors import OptionError

Axis = int | tuple[int, ...] | None
Reduction = Callable[..., Any]
UFUNCS: dict[str, Any] = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
UFUNCS |= {"any": np.logical_or, "all": np.logical_and}


def reduction(name: str, reduce: Reduction) -> Reduction:
    """Make NumPy's reduction by this name of a library's ``reduce(a, axis=, dtype=, keepdims=)``.

    NumPy's functions, which hand their calls over to the library, replace what a mask leaves out,
    and add `initial`.
    """
    ufunc = UFUNCS[name]

    def reduced(
        a: Any,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        if where is not True:
            a = np.where(where, a, np.asarray(neutral(name, initial), a.dtype))
        if a.size == 0 and ufunc.identity is None:
            return of_no_entries(ufunc, a, axis, keepdims, initial)
        found = reduce(a, axis=axis, dtype=dtype, keepdims=keepdims)
        return found if initial is None else ufunc(found, initial)

    return reduced


def of_no_entries(ufunc: Any, a: Any, axis: Axis, keepdims: bool, initial: Any) -> Any:
    """Return the largest or smallest of no entries, which is `initial`; NumPy raises where there is
    no result.
    """
    likely = None if initial is None else 0.0
    shape = ufunc.reduce(np.empty(a.shape), axis, keepdims=keepdims, initial=likely).shape
    return np.full_like(a, 0.0 if initial is None else initial, shape=shape)


def neutral(name: str, initial: Any) -> Any:
    """Return the number that changes nothing in a reduction; for a largest or smallest entry,
    `initial`.
    """
    identity = UFUNCS[name].identity
    if identity is None and initial is None:
        where, got = f"numpy.{name}", "where= without initial="
        instead = "pass initial=, too, which is the result where the mask holds nowhere"
        raise OptionError(where, got, instead, primal=getattr(np, name), option="where")
    return initial if identity is None else identity


def averaging(total: Reduction, reduce: Reduction) -> Reduction:
    """Make NumPy's mean of a library's ``reduce(a, axis=, dtype=, keepdims=)``; with a mask, it is
    a sum over a count.
    """

    def mean(
        a: Any,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        *,
        where: Any = True,
    ) -> Any:
        if where is True:
            return reduce(a, axis=axis, dtype=dtype, keepdims=keepdims)
        count = total(np.broadcast_to(where, a.shape), axis, keepdims=keepdims)
        return total(a, axis, dtype, keepdims=keepdims, where=where) / count

    return mean
