"""Convolution and correlation in any number of axes, and in two with a boundary.

Every mode is a part of the full convolution: the adjoint puts the cotangent back into a full one
and convolves it with the other array, conjugated and backwards. A boundary continues the first
array as `numpy.pad` does.
"""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import composed
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import Linearised, LinearMap, linear_rule, linearised_rule
from chainrules_py.projection import Space
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.scipy.linear_pairs import transposed
from chainrules_py.rulesets.scipy.ndimage.boundaries import filtered_axes
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, call


def whole(y_bar, a, v, mode: str, axes: tuple[int, ...], xp, late: bool = False) -> Any:
    """The cotangent of the full result, zero outside of the part that a mode keeps.

    Of two entries in the middle the part begins with the second if `late`.
    """

    def start(full: int, n: int, m: int, axis: int) -> int:
        if mode == "same":
            return (full - n + late) // 2
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


def against(full_bar, other, x: Space, how, options: dict[str, Any], xp) -> Any:
    """The part of a convolution where both overlap fully, summed over axes that were broadcast."""
    return unbroadcast(call(how, full_bar, other, mode="valid", **options), x.shape, xp)


def declare_convolution(function, names: str) -> None:
    """Register the rule of a convolution; where it has the option `axes`, its other axes are
    broadcast.
    """

    def factor_bar(y_bar, factor: Space, other, both: tuple[Any, Any], options: Options, xp) -> Any:
        along = filtered_axes(factor.ndim, options.get("axes"))
        full_bar = whole(y_bar, *both, options.mode, along, xp)
        passed = {name: value for name, value in options.items() if name != "mode"}
        return against(full_bar, turned(other, along, xp), factor, function, passed, xp)

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


def require_real(in1, in2) -> None:
    """Raise for complex arrays of which the first is the smaller one.

    SciPy returns the conjugate of their correlation.
    """
    if "c" in (in1.dtype.kind, in2.dtype.kind):
        raise NotDifferentiableError(
            "the rule of scipy.signal.correlate2d",
            "got complex arrays with mode='valid', the first smaller than the second",
            "pass the larger one first, and turn the result round",
            primal=signal.correlate2d,
            argument=0,
        )


def maps_with_boundary(function, in1, in2, options: Options, xp) -> tuple[LinearMap, LinearMap]:
    """The derivatives of `convolve2d` or `correlate2d` by both arrays."""
    mode = options.mode
    padding = BOUNDARIES[options.boundary]
    fillvalue = options.fillvalue
    shape, widths = in1.shape, [(n - 1, n - 1) for n in in2.shape]
    convolves = function is signal.convolve2d
    if mode == "valid":
        if in1.shape[0] < in2.shape[0] and not convolves:
            require_real(in1, in2)
        # nothing is continued, whichever array is the smaller one
        padding, fillvalue = "constant", 0
    without_fill = {"mode": mode, "boundary": options.boundary}

    def full(y_bar) -> Any:
        return whole(y_bar, in1, in2, mode, (0, 1), xp, late=not convolves)

    def first_pullback(y_bar):
        wide = call(signal.convolve2d, full(y_bar), turned(in2, (0, 1), xp) if convolves else in2)
        return transposed(wide, np.pad, shape, wide.dtype, {"pad_width": widths, "mode": padding})

    def second_pushforward(dot):
        return call(function, in1, dot, **without_fill, fillvalue=fillvalue)

    def second_pullback(y_bar):
        filled = {"constant_values": fillvalue} if padding == "constant" else {}
        wide = xp.pad(in1, widths, padding, **filled)
        used = call(signal.correlate, wide, full(y_bar), mode="valid")
        return turned(used, (0, 1), xp) if convolves else used

    by_first = LinearMap(lambda dot: call(function, dot, in2, **without_fill), first_pullback)
    return by_first, LinearMap(second_pushforward, second_pullback)


@linearised_rule(signal.convolve2d)
@with_options(signal.convolve2d, "mode boundary fillvalue")
def convolve2d_linearised(
    in1: Array, in2: Array, *, options: Options, out, xp
) -> tuple[LinearMap, LinearMap]:
    return maps_with_boundary(signal.convolve2d, in1, in2, options, xp)


@linearised_rule(signal.correlate2d)
@with_options(signal.correlate2d, "mode boundary fillvalue")
def correlate2d_linearised(in1: Array, in2: Array, *, options: Options, xp) -> Linearised:
    maps = maps_with_boundary(signal.correlate2d, in1, in2, options, xp)
    return call(signal.correlate2d, in1, in2, **options), *maps
