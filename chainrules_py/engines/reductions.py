"""NumPy's options of sums, products, extremes and means, for a library whose own reductions have
fewer.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.errors import OptionError

Axis = int | tuple[int, ...] | None
Reduction = Callable[..., Any]
UFUNCS: dict[str, Any] = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
UFUNCS |= {"any": np.logical_or, "all": np.logical_and}


def reduction(name: str, reduce: Reduction) -> Reduction:
    """NumPy's reduction by this name on a library's arrays, by the library's own ``reduce(a, axis=,
    dtype=, keepdims=)``.

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
    """The largest or smallest of no entries, which is the initial one; NumPy says where there is no
    result.
    """
    shape = ufunc.reduce(
        np.empty(a.shape), axis, keepdims=keepdims, initial=None if initial is None else 0.0
    ).shape
    return np.full_like(a, 0.0 if initial is None else initial, shape=shape)


def neutral(name: str, initial: Any) -> Any:
    """The number that changes nothing in a reduction; in a largest or smallest entry that is the
    initial one.
    """
    identity = UFUNCS[name].identity
    if identity is None and initial is None:
        instead = "pass initial=, too, which is the result where the mask holds nowhere"
        raise OptionError(
            f"numpy.{name}",
            "where= without initial=",
            instead,
            primal=getattr(np, name),
            option="where",
        )
    return initial if identity is None else identity


def averaging(total: Reduction, reduce: Reduction) -> Reduction:
    """NumPy's mean by a library's own ``reduce(a, axis=, dtype=, keepdims=)``; of the entries where
    a mask holds by its sum.
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
