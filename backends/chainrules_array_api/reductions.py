"""Sums and their like, and orders, by NumPy's names and options."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_array_api.elementwise import where as chosen
from chainrules_array_api.errors import raise_not_standard
from chainrules_array_api.standard_array import StandardArray, array_of, own_dtype, wrapped

Axis = int | tuple[int, ...] | None


def reduction(name: str, identity: Any = None) -> Callable[..., Any]:
    """The standard's reduction by this name, with NumPy's options."""
    function = getattr(np, name)

    def reduced(
        a: Any,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        if type(a) is not StandardArray:
            return function(a, axis=axis, keepdims=keepdims, **({} if dtype is None else {"dtype": dtype}))
        if where is not True and identity is None:
            raise_not_standard(name, "where=...", "numpy.where(mask, x, y) before")
        if where is not True:
            a = chosen(where, a, np.asarray(identity, a.dtype))
        array = array_of(a.xp, a, np.int64) if a.dtype == bool and name not in ("any", "all") else a.array
        found = wrapped(getattr(a.xp, name)(array, axis=axis, keepdims=keepdims, **given_dtype(a, dtype)))
        return found if initial is None else COMBINED[name](found, initial)

    return reduced


COMBINED: dict[str, Callable[[Any, Any], Any]] = {"sum": lambda x, y: x + y, "prod": lambda x, y: x * y}


def spread(name: str) -> Callable[..., Any]:
    """`var` or `std`, with NumPy's options."""
    function = getattr(np, name)

    def compute(
        a: Any, axis: Axis = None, dtype: Any = None, out: None = None, ddof: float = 0, keepdims: bool = False, **more: Any
    ) -> Any:
        if type(a) is not StandardArray:
            return function(a, axis, dtype, out, ddof, keepdims, **more)
        if a.dtype.kind == "c" or set(more) - {"correction"}:
            raise_not_standard(name, "complex numbers or where=...", "write it by numpy.mean")
        a = a if dtype is None else StandardArray(array_of(a.xp, a, dtype))
        correction = more.get("correction", ddof)
        return wrapped(getattr(a.xp, name)(a.array, axis=axis, correction=correction, keepdims=keepdims))

    return compute


def cumulative(name: str, theirs: str) -> Callable[..., Any]:
    """`cumsum` or `cumprod`, along one axis or of all entries."""
    function = getattr(np, name)

    def compute(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
        if type(a) is not StandardArray:
            return function(a, axis, dtype)
        array = array_of(a.xp, a, np.int64) if a.dtype == bool else a.array
        array = a.xp.reshape(array, (-1,)) if axis is None else array
        return wrapped(getattr(a.xp, theirs)(array, axis=0 if axis is None else axis, **given_dtype(a, dtype)))

    return compute


def given_dtype(a: StandardArray, dtype: Any) -> dict[str, Any]:
    """The option of a dtype, where there is one."""
    return {} if dtype is None else {"dtype": own_dtype(a.xp, dtype)}


def order(name: str) -> Callable[..., Any]:
    """`sort` or `argsort`."""
    function = getattr(np, name)

    def compute(a: Any, axis: int | None = -1, kind: Any = None, order: None = None, *, stable: bool | None = None) -> Any:
        if type(a) is not StandardArray:
            return function(a, axis, kind, order, stable=stable)
        array = a.xp.reshape(a.array, (-1,)) if axis is None else a.array
        return wrapped(getattr(a.xp, name)(array, axis=-1 if axis is None else axis))

    return compute


def position(name: str) -> Callable[..., Any]:
    """`argmax` or `argmin`."""
    function = getattr(np, name)

    def compute(a: Any, axis: int | None = None, out: None = None, *, keepdims: bool = False) -> Any:
        if type(a) is not StandardArray:
            return function(a, axis, keepdims=keepdims)
        return wrapped(getattr(a.xp, name)(a.array, axis=axis, keepdims=keepdims))

    return compute


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: reduction(name, identity) for name, identity in {"sum": 0, "prod": 1, "any": False, "all": True}.items()},
    **{name: reduction(name) for name in ("max", "min", "mean")},
    **{name: spread(name) for name in ("var", "std")},
    **{name: cumulative(name, f"cumulative_{name.removeprefix('cum')}") for name in ("cumsum", "cumprod")},
    **{name: order(name) for name in ("sort", "argsort")},
    **{name: position(name) for name in ("argmax", "argmin")},
}
FUNCTIONS |= {"amax": FUNCTIONS["max"], "amin": FUNCTIONS["min"]}
