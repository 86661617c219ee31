"""Numbers in equal steps between arrays, and windows that slide over one: CuPy's own functions look at
the steps and the lengths on the device before they answer, and wait for that.
"""

from typing import Any

import numpy as np

from chainrules_cupy.numbers import NUMBERS


def linspace(
    cp,
    start,
    stop,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers in equal steps from `start` to `stop`, which are numbers or arrays."""
    if isinstance(start, NUMBERS) and isinstance(stop, NUMBERS):
        return cp.linspace(start, stop, num, endpoint, retstep, dtype, axis)
    first: Any = start
    last: Any = stop
    return ramp(cp, 1.0 * first, 1.0 * last, num, endpoint, retstep, dtype, axis)


def ramp(cp, start, stop, num: int, endpoint: bool, retstep: bool, dtype, axis: int) -> Any:
    """Numbers in equal steps between floating-point numbers of which one at least is an array."""
    delta = stop - start
    steps = num - 1 if endpoint else num
    step = delta / steps if steps > 0 else delta * np.nan
    real_dtype = delta.dtype.char.lower()  # "f" of "F", "d" of "D"
    k = cp.arange(num, dtype=real_dtype).reshape((-1,) + (1,) * delta.ndim)
    y = start + k * (step if steps > 0 else delta)
    if endpoint and num > 1:
        y = cp.where(k == steps, stop, y)  # the last one to the last bit
    y = cp.moveaxis(in_dtype(cp, y, dtype), 0, axis)
    return (y, step) if retstep else y


def in_dtype(cp, y, dtype) -> Any:
    """The numbers in a dtype, rounded down where that has whole numbers only."""
    if dtype is None:
        return y
    return (cp.floor(y) if np.dtype(dtype).kind in "iu" else y).astype(dtype, copy=False)


def logspace(
    cp,
    start,
    stop,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
):
    """Powers of `base` with exponents in equal steps."""
    if getattr(base, "ndim", 0):
        ndim = np.max([np.ndim(start), np.ndim(stop), base.ndim]).item()
        start, stop, base = (lifted(x, ndim) for x in (start, stop, base))
        base = cp.expand_dims(base, axis)
    y = cp.power(base, linspace(cp, start, stop, num, endpoint, axis=axis))
    return y if dtype is None else y.astype(dtype, copy=False)


def lifted(x, ndim: int) -> Any:
    """An array with axes of length one before its own; a number as it is."""
    return x if isinstance(x, NUMBERS) else x.reshape((1,) * (ndim - x.ndim) + x.shape)


def pad(cp, array, pad_width, mode: Any = "constant", **options) -> Any:
    """An array with more entries around it; ramps are made here."""
    if mode != "linear_ramp":
        return cp.pad(array, pad_width, mode, **options)
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    ends = np.broadcast_to(options.get("end_values", 0), (array.ndim, 2)).tolist()
    for axis, (width, end) in enumerate(zip(widths, ends, strict=True)):
        array = with_ramps(cp, array, width, end, axis)
    return array


def with_ramps(cp, array, widths: list[int], ends: list[Any], axis: int) -> Any:
    """An array that goes on along an axis, on both sides, to these numbers."""
    lines = cp.moveaxis(array, axis, 0)
    before, after = (
        linspace(cp, end, edge, width, endpoint=False, dtype=array.dtype)
        for width, end, edge in zip(widths, ends, (lines[0], lines[-1]), strict=True)
    )
    return cp.moveaxis(cp.concatenate([before, lines, after[::-1]], axis=0), 0, axis)


def sliding_window_view(cp, x, window_shape, axis: Any = None) -> Any:
    """A view of every window; NumPy checks the lengths, on an array that takes no memory."""
    of_host = np.lib.stride_tricks.sliding_window_view(
        np.broadcast_to(np.False_, x.shape), window_shape, axis
    )
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis).tolist()
    strides = (*x.strides, *(x.strides[k] for k in axes))
    return cp.lib.stride_tricks.as_strided(x, shape=of_host.shape, strides=strides)
