"""Functions by NumPy's names that Dask lacks, or has with fewer options; all of them lazy."""

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from chainrules_dask import ordering, products, reductions, shapes
from chainrules_dask.errors import raise_not_lazy, refused
from chainrules_dask.undecided import undecided


def astype(x, dtype, /, *, copy: bool = True, device: Any = None) -> Any:
    """Return the array in another type of numbers."""
    return x.astype(dtype, copy=copy)


def copy(a, order: str = "K", subok: bool = False) -> Any:
    """Return another array of the same numbers."""
    return a.copy()


def iscomplexobj(x) -> bool:
    """Tell whether numbers of this type are complex."""
    return np.dtype(getattr(x, "dtype", type(x))).kind == "c"


def nan_to_num(
    x, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Return the array with numbers in the place of nan and the infinities."""
    return da.map_blocks(np.nan_to_num, x, nan=nan, posinf=posinf, neginf=neginf, dtype=x.dtype)


def choose(a, choices, out: None = None, mode: str = "raise") -> Any:
    """Choose each entry from the one of several arrays that an integer names."""
    if mode != "raise":
        raise_not_lazy("choose", f"mode={mode!r}", "bring the integers into their range before")
    return da.choose(a, choices)


def conjugate(x) -> Any:
    """Return the complex conjugate."""
    return da.conj(x)


def gradient(f, *spacing, axis: Any = None, **options) -> Any:
    """Return the slopes between neighbours: an array for one axis, a tuple for several."""
    found = da.gradient(f, *spacing, axis=axis, **options)
    if isinstance(found, da.Array):
        return found
    return found[0] if len(found) == 1 else tuple(found)  # Dask has one in a list


def along_first(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make the method of a ufunc of Dask's function for it: the first axis is the default."""

    def method(array, axis: Any = 0, *args, **options) -> Any:
        return function(array, axis, *args, **options)

    return method


METHODS: dict[str, Callable[..., Any]] = {
    **{f"{ufunc}.reduce": along_first(reduce) for ufunc, reduce in reductions.BY_UFUNC.items()},
    "add.accumulate": along_first(da.cumsum),
    "multiply.accumulate": along_first(da.cumprod),
}
COUNTED = (
    *("nonzero", "flatnonzero", "argwhere", "extract", "union1d"),
    *("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
)
NAMES: dict[str, Any] = {
    **{
        f.__name__: f for f in (astype, copy, iscomplexobj, nan_to_num, choose, conjugate, gradient)
    },
    **reductions.FUNCTIONS,
    **shapes.FUNCTIONS,
    **products.FUNCTIONS,
    **ordering.FUNCTIONS,
    **{
        name: undecided(getattr(da, name))
        for name in ("any", "all", "count_nonzero", "argmax", "argmin")
    },
    **{name: refused(name, "how many there are depends on the values") for name in COUNTED},
    "errstate": np.errstate,
}
LINALG: dict[str, Any] = {**products.LINALG, **shapes.LINALG}
