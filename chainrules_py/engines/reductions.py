"""NumPy's options of reductions for an array library whose own reductions have fewer."""

from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.errors import OptionError

Axis = int | tuple[int, ...] | None
Reduction = Function
UFUNCS: dict[str, Any] = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
UFUNCS |= {"any": np.logical_or, "all": np.logical_and}


def reduction(name: str, reduce: Reduction, xp: Any = np) -> Reduction:
    """NumPy's reduction `name`, made of a library's own ``reduce(a, axis=, dtype=, keepdims=)``.

    For `where` and `initial` it calls functions of `xp`: NumPy's dispatch to most libraries.
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
    ):
        if where is not True:
            a = xp.where(where, a, a.dtype.type(neutral(name, initial)))
        if ufunc.identity is None and 0 in a.shape:
            return of_no_entries(ufunc, a, axis, keepdims, initial, xp)
        found = reduce(a, axis=axis, dtype=dtype, keepdims=keepdims)
        return found if initial is None else ufunc(found, found.dtype.type(initial))

    return reduced


def of_no_entries(ufunc, a, axis: Axis, keepdims: bool, initial, xp) -> Any:
    """The largest or smallest of no entries, `initial`; without it NumPy raises."""
    shape = ufunc.reduce(
        np.empty(a.shape), axis, keepdims=keepdims, initial=None if initial is None else 0.0
    ).shape
    return xp.full_like(a, 0.0 if initial is None else initial, shape=shape)


def neutral(name: str, initial) -> Any:
    """Return the number that changes nothing in a reduction; for a largest or smallest entry,
    `initial`.
    """
    identity = UFUNCS[name].identity
    if identity is None and initial is None:
        where, got = f"numpy.{name}", "where= without initial="
        instead = "pass initial=, too, which is the result where the mask holds nowhere"
        raise OptionError(where, got, instead, primal=getattr(np, name), option="where")
    return initial if identity is None else identity


def averaging(total: Reduction, reduce: Reduction, xp: Any = np) -> Reduction:
    """NumPy's mean, made of a library's own ``reduce(a, axis=, dtype=, keepdims=)``.

    With a mask it is the library's sum `total` over the number of entries where the mask holds.
    """

    def mean(
        a: Any,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        *,
        where: Any = True,
    ):
        if where is True:
            return reduce(a, axis=axis, dtype=dtype, keepdims=keepdims)
        summed = total(a, axis, dtype, keepdims=keepdims, where=where)
        count = total(xp.broadcast_to(where, a.shape), axis, keepdims=keepdims)
        return (summed / count).astype(np.result_type(summed.dtype, np.float16), copy=False)

    return mean
