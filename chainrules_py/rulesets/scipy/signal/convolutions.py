"""Convolution and correlation in any number of axes, and in two with a boundary.

Every mode is a part of the full convolution: the adjoint puts the cotangent back into a full one
and convolves it with the other array, conjugated and backwards. A boundary continues the first
array as `numpy.pad` does.
"""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import composed
from chainrules_py.makers import linear_rule, primitive
from chainrules_py.projection import Space
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.scipy.ndimage.boundaries import filtered_axes
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, call


def whole(y_bar, a, v, mode: str, axes: tuple[int, ...], xp) -> Any:
    """The cotangent of the full result, zero outside of the part that a mode keeps."""

    def start(full: int, n: int, m: int, axis: int) -> int:
        if mode == "same":
            return (full - n) // 2
        return min(n, m) - 1 if mode == "valid" and axis in axes else 0

    widths = []
    for axis, (n, m, length) in enumerate(zip(a.shape, v.shape, y_bar.shape, strict=True)):
        full = n + m - 1 if axis in axes else max(n, m)
        first = start(full, n, m, axis)
        widths.append((first, full - first - length))
    return xp.pad(y_bar, widths) if any(map(any, widths)) else y_bar


def turned(x, axes: tuple[int, ...], xp) -> Any:
    """The conjugates of an array, backwards along some axes."""
    return xp.conj(xp.flip(x, axes))


def declare_convolution(function, names: str) -> None:
    """Register the rule of a convolution; where it has the option `axes`, its other axes are
    broadcast.
    """

    def factor_bar(y_bar, factor: Space, other, both: tuple[Any, Any], options: Options, xp) -> Any:
        along = filtered_axes(factor.ndim, options.get("axes"))
        full_bar = whole(y_bar, *both, options.mode, along, xp)
        # where both overlap fully
        bar = call(function, full_bar, turned(other, along, xp), **{**options, "mode": "valid"})
        return unbroadcast(bar, factor.shape, xp)

    @with_options(function, names)
    def adjoint_a(y_bar, in1: Space, in2: Array, *, options: Options, xp):
        return factor_bar(y_bar, in1, in2, (in1, in2), options, xp)

    @with_options(function, names)
    def adjoint_v(y_bar, in1: Array, in2: Space, *, options: Options, xp):
        return factor_bar(y_bar, in2, in1, (in1, in2), options, xp)

    linear_rule(function, adjoint_a, adjoint_v)


declare_convolution(signal.convolve, "mode method")
declare_convolution(signal.fftconvolve, "mode axes")
declare_convolution(signal.oaconvolve, "mode axes")


@composed(signal.correlate)
def correlate(in1: Array, in2: Array, *, mode: str = "full", method: str = "auto", xp) -> Any:
    """A convolution with the other array turned round, which is what SciPy makes of it, too."""
    other = xp.asarray(turned(in2, filtered_axes(in2.ndim, None), xp))
    return call(signal.convolve, in1, other, mode=mode, method=method)


# Two axes, with a boundary

BOUNDARIES = {
    "fill": "constant",
    "pad": "constant",
    "wrap": "wrap",
    "circular": "wrap",
    "symm": "symmetric",
    "symmetric": "symmetric",
}


@primitive
def with_zeros_outside(in1, in2, mode: str = "full") -> Any:
    """The result of `scipy.signal.convolve2d` without a boundary: other functions take four times as
    long.
    """
    return call(signal.convolve2d, in1, in2, mode=mode)


declare_convolution(with_zeros_outside, "mode")


def continued(function, in1, in2, options: Options, xp) -> Any:
    """The convolution with a first array that goes on as far as the second one reaches."""
    function(np.ones((1, 1)), np.ones((1, 1)), **options)  # for its errors
    mode, boundary = options.mode, BOUNDARIES[options.boundary]
    if mode == "valid":
        return with_zeros_outside(in1, in2, mode="valid")
    filled = {"constant_values": options.fillvalue} if boundary == "constant" else {}
    wide = xp.pad(in1, [(n - 1, n - 1) for n in in2.shape], boundary, **filled)
    full = with_zeros_outside(wide, in2, mode="valid")
    if mode == "full":
        return full
    late = function is signal.correlate2d
    starts = [(n - 1 + late) // 2 for n in in2.shape]
    return full[tuple([slice(k, k + n) for k, n in zip(starts, in1.shape, strict=True)])]


@with_options(signal.convolve2d, "mode boundary fillvalue", composed)
def convolve2d(in1: Array, in2: Array, *, options: Options, xp) -> Any:
    return continued(signal.convolve2d, in1, in2, options, xp)


@with_options(signal.correlate2d, "mode boundary fillvalue", composed)
def correlate2d(in1: Array, in2: Array, *, options: Options, xp) -> Any:
    """A convolution with the other array turned round; of a smaller first one SciPy returns the
    conjugate.
    """
    found = continued(signal.correlate2d, in1, turned(in2, (0, 1), xp), options, xp)
    is_smaller = options.mode == "valid" and in1.shape[0] < in2.shape[0]
    return xp.conj(found) if is_smaller else found
