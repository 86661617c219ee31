"""Sums and their like, and orders, by NumPy's names and options."""

from functools import partial
from typing import Any

import numpy as np

from chainrules_array_api.errors import computed_by_standard, raise_not_standard
from chainrules_array_api.standard_array import (
    StandardArray,
    array_of,
    on_standard,
    own_dtype,
    wrapped,
)
from chainrules_py.annotations import Function
from chainrules_py.engines.reductions import Axis, averaging, reduction


def of_standard(name: str, a: StandardArray, *, axis: Axis, dtype, keepdims: bool):
    """The standard's reduction by this name, in which booleans are no numbers."""
    array, run = a.array, getattr(a.xp, OF_BOOLEANS.get(name, name) if a.dtype == bool else name)
    if a.dtype == bool and name in ("sum", "prod"):
        array = array_of(a.xp, a, np.int64)
    return wrapped(run(array, axis=axis, keepdims=keepdims, **given_dtype(a, dtype)))


OF_BOOLEANS = {"max": "any", "min": "all"}


def mean_of_standard(a: StandardArray, *, axis: Axis, dtype, keepdims: bool):
    """The mean; of whole numbers, of which the standard has none, that of floating ones."""
    return wrapped(a.xp.mean(floating(a, dtype), axis=axis, keepdims=keepdims))


def floating(a: StandardArray, dtype: Any = None) -> Any:
    """A library's array in a dtype, or in the one in which NumPy computes a mean."""
    if dtype is None:
        dtype = a.dtype if a.dtype.kind in "fc" else np.float64
    return array_of(a.xp, a, dtype)


def dispersion_by_standard(name: str) -> Function:
    """`var` or `std`, with NumPy's options."""

    def compute_dispersion(
        a,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        ddof: float = 0,
        keepdims: bool = False,
        **more,
    ):
        if a.dtype.kind == "c" or set(more) - {"correction"}:
            raise_not_standard(name, "complex numbers or where=...", "write it by numpy.mean")
        correction = more.get("correction", ddof)
        return wrapped(
            getattr(a.xp, name)(
                floating(a, dtype), axis=axis, correction=correction, keepdims=keepdims
            )
        )

    return compute_dispersion


def cumulative(name: str) -> Function:
    """`cumsum` or `cumprod`, along one axis or of all entries."""
    theirs = f"cumulative_{name.removeprefix('cum')}"

    def compute_cumulative(a, axis: int | None = None, dtype: Any = None):
        array, along = numbers_along(a, axis)
        return wrapped(getattr(a.xp, theirs)(array, axis=along, **given_dtype(a, dtype)))

    return compute_cumulative


def numbers_along(a: StandardArray, axis: int | None) -> tuple[Any, int]:
    """A library's array, with numbers for booleans, flat where no axis is meant; and the axis."""
    array = array_of(a.xp, a, np.int64) if a.dtype == bool else a.array
    return (a.xp.reshape(array, (-1,)), 0) if axis is None else (array, axis)


def given_dtype(a: StandardArray, dtype) -> dict[str, Any]:
    """The option of a dtype, where there is one."""
    return {} if dtype is None else {"dtype": own_dtype(a.xp, dtype)}


def order(name: str) -> Function:
    """`sort` or `argsort`."""

    def compute_order(
        a,
        axis: int | None = -1,
        kind: Any = None,
        order: None = None,
        *,
        stable: bool | None = None,
    ):
        array, along = numbers_along(a, axis)
        y = wrapped(computed_by_standard(a.xp, name, name, array, axis=along))
        return y.astype(a.dtype) if name == "sort" and a.dtype == bool else y

    return compute_order


def position(name: str) -> Function:
    """`argmax` or `argmin`."""

    def compute_position(a, axis: int | None = None, out: None = None, *, keepdims: bool = False):
        return wrapped(getattr(a.xp, name)(a.array, axis=axis, keepdims=keepdims))

    return compute_position


REDUCTIONS = {
    name: reduction(name, partial(of_standard, name))
    for name in ("sum", "prod", "max", "min", "any", "all")
}
ON_STANDARD: dict[str, Function] = {
    **REDUCTIONS,
    "mean": averaging(on_standard(REDUCTIONS["sum"], np.sum), mean_of_standard),
    **{name: dispersion_by_standard(name) for name in ("var", "std")},
    **{name: cumulative(name) for name in ("cumsum", "cumprod")},
    **{name: order(name) for name in ("sort", "argsort")},
    **{name: position(name) for name in ("argmax", "argmin")},
}
FUNCTIONS = {name: on_standard(f, getattr(np, name)) for name, f in ON_STANDARD.items()}
FUNCTIONS |= {"amax": FUNCTIONS["max"], "amin": FUNCTIONS["min"]}
