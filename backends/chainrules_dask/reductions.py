"""Sums and their like, with NumPy's options; Dask's own reductions compute them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da

from chainrules_py.engines import Axis, averaging, reduction


def of_dask(name: str, a, *, axis: Axis, dtype, keepdims: bool) -> Any:
    """Dask's reduction by this name, of which some do not take `dtype=None`."""
    options = {} if dtype is None else {"dtype": dtype}
    return getattr(da, name)(a, axis=axis, keepdims=keepdims, **options)


def on_dask(name: str) -> Callable[..., Any]:
    """Dask's reduction by this name, with NumPy's options."""
    complete = reduction(name, partial(of_dask, name))
    return lambda a, *args, **options: complete(da.asarray(a), *args, **options)


sum_, prod, max_, min_ = map(on_dask, ("sum", "prod", "max", "min"))
mean = averaging(sum_, partial(of_dask, "mean"))


def ptp(a, axis: Axis = None, out: None = None, keepdims: bool = False) -> Any:
    """The largest less the smallest."""
    return da.max(a, axis=axis, keepdims=keepdims) - da.min(a, axis=axis, keepdims=keepdims)


BY_UFUNC = {"add": sum_, "multiply": prod, "maximum": max_, "minimum": min_}
FUNCTIONS: dict[str, Callable[..., Any]] = dict(
    sum=sum_, prod=prod, max=max_, min=min_, amax=max_, amin=min_, mean=mean, ptp=ptp
)
