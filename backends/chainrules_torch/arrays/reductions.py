"""Sums, products, extremes and statistics over axes, and their cumulative forms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_tuple

from chainrules_torch.arrays.elementwise import iscomplexobj, where
from chainrules_torch.arrays.promotion import averaged, torch_dtype
from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of, tensors


def axes_of(axis, ndim: int) -> tuple[int, ...]:
    """The axes that are meant, all of them by None."""
    return tuple(range(ndim)) if axis is None else normalize_axis_tuple(axis, ndim)


def masked(a, mask, instead) -> torch.Tensor:
    """The entries that count, and something else for the others."""
    return tensor_of(a if mask is None or mask is True else where(mask, a, instead))


def sum(
    a,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    *,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The sum, of the entries that count; `out` is what NumPy passes on to a method, and is None."""
    t, axes = masked(a, where, 0), axes_of(axis, tensor_of(a).ndim)
    wanted = None if dtype is None else torch_dtype(dtype)
    if wanted is not None and t.is_complex() and not wanted.is_complex:
        t = t.real
    if axes:
        t = torch.sum(t, axes, keepdim=keepdims, dtype=wanted)
    elif wanted is not None:
        t = t.to(wanted)
    y = TensorArray(t)
    return y if initial is None else y + initial


def prod(
    a,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The product, of the entries that count."""
    t = masked(a, where, 1)
    t = t if dtype is None else t.to(torch_dtype(dtype))
    for k in sorted(axes_of(axis, t.ndim), reverse=True):
        t = torch.prod(t, k, keepdim=keepdims)
    return TensorArray(t) if initial is None else TensorArray(t) * initial


def extreme(
    of_axes: Callable[..., torch.Tensor], of_two: Callable[..., torch.Tensor]
) -> Callable[..., Any]:
    """A maximum or minimum over axes."""

    def compute(
        a, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
    ) -> TensorArray:
        t, axes = masked(a, where, initial), axes_of(axis, tensor_of(a).ndim)
        if initial is not None and not t.numel():
            shape = torch.sum(t, axes, keepdim=keepdims).shape
            return TensorArray(torch.full(shape, initial, dtype=t.dtype, device=t.device))
        y = TensorArray(of_axes(t, axes, keepdim=keepdims) if axes else t)
        return y if initial is None else TensorArray(of_two(*tensors(y, initial)))

    return compute


def mean(
    a, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, where: Any = None
) -> Any:
    """The mean, of the entries that count."""
    t, axes = masked(a, where, 0), axes_of(axis, tensor_of(a).ndim)
    t = t.to(averaged(t.dtype) if dtype is None else torch_dtype(dtype))
    if where is None or where is True:
        return TensorArray(torch.mean(t, axes, keepdim=keepdims) if axes else t)
    y = sum(TensorArray(t), axis, keepdims=keepdims) / counted(a, axis, keepdims, where)
    return TensorArray(y.tensor.to(t.dtype))


def counted(a, axis, keepdims: bool, mask) -> Any:
    """How many entries count, a number where all do."""
    shape = tensor_of(a).shape
    if mask is None or mask is True:
        return int(np.prod([shape[k] for k in axes_of(axis, len(shape))], dtype=int))
    return sum(TensorArray(torch.broadcast_to(tensor_of(mask), shape)), axis, keepdims=keepdims)


def var(
    a,
    axis: Any = None,
    dtype: Any = None,
    ddof: float = 0,
    *,
    keepdims: bool = False,
    where: Any = None,
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


_mean = mean


def std(a, *args, **options) -> TensorArray:
    """The square root of the variance."""
    return TensorArray(torch.sqrt(var(a, *args, **options).tensor))


def truth(of_axes: Callable[..., torch.Tensor], neutral: bool) -> Callable[..., Any]:
    """Tell whether any or all entries are true."""

    def compute(a, axis: Any = None, *, keepdims: bool = False, where: Any = None) -> TensorArray:
        t, axes = masked(a, where, neutral).bool(), axes_of(axis, tensor_of(a).ndim)
        return TensorArray(of_axes(t, axes, keepdim=keepdims) if axes else t)

    return compute


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
        return function(where(TensorArray(torch.isnan(tensor_of(a))), instead, a), axis, **options)

    return compute


def extreme_without_nan(name: str, worst: float) -> Callable[..., Any]:
    """A maximum or minimum of what is not nan; nan where there is nothing else."""

    def compute(
        a, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
    ):
        t = tensor_of(a)
        if not t.is_floating_point():
            return FUNCTIONS[name](a, axis, keepdims=keepdims, initial=initial, where=where)
        nan = TensorArray(torch.isnan(t))
        found = FUNCTIONS[name](
            _where(nan, worst, a), axis, keepdims=keepdims, initial=initial, where=where
        )
        if initial is not None:
            return found
        empty = FUNCTIONS["all"](nan, axis, keepdims=keepdims, where=where)
        return _where(empty, np.nan, found)

    return compute


_where = where


def nanvar(
    a,
    axis: Any = None,
    dtype: Any = None,
    ddof: float = 0,
    *,
    keepdims: bool = False,
    where: Any = None,
    **options,
) -> Any:
    """The variance of what is not nan."""
    return var(a, axis, dtype, ddof, keepdims=keepdims, where=_present(a, where), **options)


def nanstd(a, *args, **options) -> TensorArray:
    """The square root of the variance of what is not nan."""
    return TensorArray(torch.sqrt(nanvar(a, *args, **options).tensor))


def _present(a, mask) -> TensorArray:
    here = ~torch.isnan(tensor_of(a))
    return TensorArray(here if mask is None or mask is True else here & tensor_of(mask))


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
        sum,
        prod,
        mean,
        var,
        std,
        count_nonzero,
        nanvar,
        nanstd,
        median,
    )
}
FUNCTIONS |= {
    "max": extreme(torch.amax, torch.maximum),
    "min": extreme(torch.amin, torch.minimum),
    "any": truth(torch.any, False),
    "all": truth(torch.all, True),
    "argmax": position(torch.argmax),
    "argmin": position(torch.argmin),
    "cumsum": cumulative(torch.cumsum),
    "cumprod": cumulative(torch.cumprod),
    "nanmax": extreme_without_nan("max", -np.inf),
    "nanmin": extreme_without_nan("min", np.inf),
    "nanargmax": without_nan(position(torch.argmax), -np.inf),
    "nanargmin": without_nan(position(torch.argmin), np.inf),
}
FUNCTIONS |= {"amax": FUNCTIONS["max"], "amin": FUNCTIONS["min"]}
