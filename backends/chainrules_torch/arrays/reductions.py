"""Sums, products, extremes and statistics over axes, and their cumulative forms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_tuple

from chainrules_py.engines import Axis, averaging, reduction
from chainrules_torch.arrays.elementwise import iscomplexobj, where as choose_between
from chainrules_torch.arrays.promotion import averaged, torch_dtype
from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of


def axes_of(axis, ndim: int) -> tuple[int, ...]:
    """The axes that are meant, all of them by None."""
    return tuple(range(ndim)) if axis is None else normalize_axis_tuple(axis, ndim)


def on_tensors(complete: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction with NumPy's options, of whatever becomes a tensor."""

    def compute(a, *args, **options):
        return complete(
            a if type(a) is TensorArray else TensorArray(tensor_of(a)), *args, **options
        )

    return compute


def summed(a: TensorArray, *, axis: Axis, dtype, keepdims: bool) -> TensorArray:
    """The sum; in a real dtype that of the real parts."""
    t, axes = a.tensor, axes_of(axis, a.ndim)
    wanted = None if dtype is None else torch_dtype(dtype)
    if wanted is not None and t.is_complex() and not wanted.is_complex:
        t = t.real
    if axes:
        return TensorArray(torch.sum(t, axes, keepdim=keepdims, dtype=wanted))
    return TensorArray(t if wanted is None else t.to(wanted))


def product(a: TensorArray, *, axis: Axis, dtype, keepdims: bool) -> TensorArray:
    """The product, along one axis after the other."""
    t = a.tensor if dtype is None else a.tensor.to(torch_dtype(dtype))
    for k in sorted(axes_of(axis, t.ndim), reverse=True):
        t = torch.prod(t, k, keepdim=keepdims)
    return TensorArray(t)


def over_axes(
    function: Callable[..., torch.Tensor], dtype_for: Callable[[torch.dtype], torch.dtype]
) -> Callable[..., TensorArray]:
    """A reduction of entries in the dtype that is computed in for theirs; none over no axes."""

    def reduce(a: TensorArray, *, axis: Axis, dtype, keepdims: bool) -> TensorArray:
        t, axes = a.tensor, axes_of(axis, a.ndim)
        wanted = dtype_for(t.dtype) if dtype is None else torch_dtype(dtype)
        t = t if t.dtype is wanted else t.to(wanted)
        return TensorArray(function(t, axes, keepdim=keepdims) if axes else t)

    return reduce


sum = on_tensors(reduction("sum", summed))
mean = _mean = on_tensors(averaging(sum, over_axes(torch.mean, averaged)))


def counted(a, axis, keepdims: bool, mask) -> Any:
    """How many entries count, a number where all do."""
    shape = tensor_of(a).shape
    if mask is True:
        return int(np.prod([shape[k] for k in axes_of(axis, len(shape))], dtype=int))
    return sum(TensorArray(torch.broadcast_to(tensor_of(mask), shape)), axis, keepdims=keepdims)


def var(
    a,
    axis: Any = None,
    dtype: Any = None,
    ddof: float = 0,
    *,
    keepdims: bool = False,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """The mean squared distance from the mean."""
    center = _mean(a, axis, dtype, keepdims=True, where=where) if mean is None else mean
    distance = abs(TensorArray(tensor_of(a)) - center)
    total = sum(distance * distance, axis, keepdims=keepdims, where=where)
    free = counted(a, axis, keepdims, where) - (ddof if correction is None else correction)
    if isinstance(free, int | float):
        return total / max(free, 0)
    y = total / TensorArray(torch.clamp(free.tensor, min=0))
    return TensorArray(y.tensor.to(total.tensor.dtype))


def std(a, *args, **options) -> TensorArray:
    """The square root of the variance."""
    return TensorArray(torch.sqrt(var(a, *args, **options).tensor))


def position(of_axis: Callable[..., torch.Tensor]) -> Callable[..., Any]:
    """Where the first extreme along an axis is."""

    def compute(a, axis: Any = None, *, keepdims: bool = False) -> TensorArray:
        t = tensor_of(a)
        if axis is None and keepdims:
            return TensorArray(of_axis(t).reshape((1,) * t.ndim))
        return TensorArray(of_axis(t, axis, keepdim=keepdims) if axis is not None else of_axis(t))

    return compute


def count_nonzero(a, axis: Any = None, *, keepdims: bool = False) -> TensorArray:
    """The number of entries that are not zero."""
    found: TensorArray = sum(TensorArray(tensor_of(a) != 0), axis, keepdims=keepdims)
    return found


def cumulative(of_axis: Callable[..., torch.Tensor]) -> Callable[..., Any]:
    """A sum or product of all entries so far."""

    def compute(a, axis: Any = None, dtype: Any = None) -> TensorArray:
        t = tensor_of(a) if axis is not None else tensor_of(a).reshape(-1)
        return TensorArray(
            of_axis(
                t, 0 if axis is None else axis, dtype=None if dtype is None else torch_dtype(dtype)
            )
        )

    return compute


def without_nan(function: Callable[..., Any], instead) -> Callable[..., Any]:
    """A reduction of what is not nan."""

    def compute(a, axis: Any = None, **options):
        if not tensor_of(a).is_floating_point():
            return function(a, axis, **options)
        is_nan = TensorArray(torch.isnan(tensor_of(a)))
        return function(choose_between(is_nan, instead, a), axis, **options)

    return compute


def nanvar(
    a,
    axis: Any = None,
    dtype: Any = None,
    ddof: float = 0,
    *,
    keepdims: bool = False,
    where: Any = True,
    **options,
) -> Any:
    """The variance of what is not nan."""
    mask = _present(a, where)
    y = var(a, axis, dtype, ddof, keepdims=keepdims, where=mask, **options)
    is_enough = counted(a, axis, keepdims, mask) > options.get("correction", ddof)
    return choose_between(is_enough, y, np.nan)


def nanstd(a, *args, **options) -> TensorArray:
    """The square root of the variance of what is not nan."""
    return TensorArray(torch.sqrt(nanvar(a, *args, **options).tensor))


def _present(a, mask) -> TensorArray:
    here = ~torch.isnan(tensor_of(a))
    return TensorArray(here if mask is True else here & tensor_of(mask))


def median(a, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The middle of the sorted entries, nan where one of them is."""
    t = tensor_of(a)
    if iscomplexobj(a):
        raise TypeError("PyTorch does not order complex numbers")
    axes = axes_of(axis, t.ndim)
    if axes:
        last = tuple(range(-len(axes), 0))
        flat = t.movedim(axes, last).flatten(-len(axes))
    else:
        flat = t.unsqueeze(-1)
    flat = flat.to(averaged(t.dtype))
    n = flat.shape[-1]
    ordered = torch.sort(flat, -1).values
    y = torch.mean(ordered[..., (n - 1) // 2 : n // 2 + 1], -1)
    y = torch.where(torch.isnan(ordered[..., -1]), torch.nan, y)
    if keepdims:
        y = y.reshape([1 if k in axes else m for k, m in enumerate(t.shape)])
    return TensorArray(y)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        var,
        std,
        count_nonzero,
        nanvar,
        nanstd,
        median,
    )
}
FUNCTIONS |= {
    "sum": sum,
    "mean": mean,
    "prod": on_tensors(reduction("prod", product)),
    "max": on_tensors(reduction("max", over_axes(torch.amax, lambda dtype: dtype))),
    "min": on_tensors(reduction("min", over_axes(torch.amin, lambda dtype: dtype))),
    "any": on_tensors(reduction("any", over_axes(torch.any, lambda dtype: torch.bool))),
    "all": on_tensors(reduction("all", over_axes(torch.all, lambda dtype: torch.bool))),
    "argmax": position(torch.argmax),
    "argmin": position(torch.argmin),
    "cumsum": cumulative(torch.cumsum),
    "cumprod": cumulative(torch.cumprod),
    "nanargmax": without_nan(position(torch.argmax), -np.inf),
    "nanargmin": without_nan(position(torch.argmin), np.inf),
}
FUNCTIONS |= {"amax": FUNCTIONS["max"], "amin": FUNCTIONS["min"]}
