"""Linear filters of `scipy.ndimage`.

Some have fixed weights, as the Gaussian filters; to others weights are passed, and these are
differentiated by them, too.
"""

from functools import reduce
from importlib import import_module
from operator import add
from typing import Any

import numpy as np
from scipy import ndimage

from chainrules_py import composed
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.without_cancellation import root_flat_at_zero
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair, transposed
from chainrules_py.rulesets.scipy.ndimage.boundaries import (
    PADDING,
    ascending,
    filter_adjoint,
    filtered_axes,
    per_axis,
    widths_seen,
)
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, call

# Fixed weights


def gaussian_reach(sigma, truncate: float = 4.0, radius: Any = None, **options):
    """How far the window of a Gaussian goes."""
    reach = np.asarray(truncate) * sigma + 0.5 if radius is None else radius
    return np.asarray(reach, int).tolist() if np.ndim(reach) else int(reach)


def size_reach(size: Any = 3, **options):
    """The whole length of a window, whatever its origin."""
    return size


def next_reach(**options) -> int:
    """The next entry on each side."""
    return 1


CVAL = ("cval",)
for _function, _reach, _axis, _options in (
    (ndimage.gaussian_filter, gaussian_reach, None, "sigma order mode cval truncate radius axes"),
    (ndimage.gaussian_filter1d, gaussian_reach, -1, "sigma axis order mode cval truncate radius"),
    (ndimage.uniform_filter, size_reach, None, "size mode cval origin axes"),
    (ndimage.uniform_filter1d, size_reach, -1, "size axis mode cval origin"),
    (ndimage.laplace, next_reach, None, "mode cval axes"),
    (ndimage.sobel, next_reach, None, "axis mode cval"),
    (ndimage.prewitt, next_reach, None, "axis mode cval"),
):
    linear_pair(_function, filter_adjoint(_function, _reach, _axis), _options, CVAL)


@composed(ndimage.gaussian_laplace)
def gaussian_laplace(
    input: Array, *, sigma, mode: Any = "reflect", cval: float = 0.0, axes: Any = None
):
    """The sum of the smooth second derivatives along the axes.

    SciPy's `mode` of an axis is that of the whole term that differentiates along it, whose smoothing
    runs over all axes.
    """
    rank = input.ndim
    along = ascending(ndimage.gaussian_laplace, rank, axes, sigma, mode)
    sigmas, modes = per_axis(sigma, rank, along, 0), per_axis(mode, rank, along, None)
    return reduce(add, smooth_slopes(input, 2, sigmas, modes, along, cval)) if along else input


@composed(ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(
    input: Array, *, sigma, mode: Any = "reflect", cval: float = 0.0, xp
):
    """The length of the vector of smooth slopes along the axes; where it is 0, so is its derivative."""
    along = filtered_axes(input.ndim, None)
    modes = per_axis(mode, input.ndim, along, None)
    slopes = smooth_slopes(input, 1, sigma, modes, along, cval)
    square = reduce(add, [slope * slope for slope in slopes])
    return root_flat_at_zero(square, xp).astype(input.dtype)


def smooth_slopes(
    input, order: int, sigma, modes: list[Any], along: tuple[int, ...], cval: float
) -> list[Any]:
    """The derivatives along axes of an image that is smoothed along all."""
    orders = order * np.eye(input.ndim, dtype=int)
    return [
        call(
            ndimage.gaussian_filter,
            input,
            sigma=sigma,
            order=orders[axis].tolist(),
            mode=modes[axis],
            cval=cval,
        )
        for axis in along
    ]


# Weights that are arguments


def declare_weighted(function, names: str, *, backwards: bool) -> None:
    """Register the rule of a filter along one axis or all: a correlation, or a convolution, whose
    weights run backwards.
    """

    @with_options(function, names, linearised_rule)
    def weighted_linearised(
        input: Array, weights: Array, *, options: Options, out, xp
    ) -> tuple[LinearMap, LinearMap]:
        x: Any = input
        shape, of_weights, mode = x.shape, weights.shape, options.mode
        if "axis" in options:
            axes: tuple[int, ...] = (options.axis % x.ndim,)
            sizes = [of_weights[0] if k in axes else 1 for k in range(x.ndim)]
        else:
            axes, sizes = tuple(range(x.ndim)), list(of_weights)
        reach = [(n - 1, n - 1) for n in sizes]
        without_cval = {name: value for name, value in options.items() if name != "cval"}
        with_zeros = without_cval | {"mode": "constant"}

        # the adjoint is the same filter run backwards over the cotangent, wide enough for all that
        # the border has taken part in
        def input_pullback(y_bar):
            turned = xp.conj(xp.flip(xp.pad(y_bar, reach), axes))
            turned = call(function, turned, weights, **with_zeros)
            return fold(xp.conj(xp.flip(turned, axes)), shape, reach, mode)

        def weights_pullback(y_bar):
            filled = {"constant_values": options.cval} if PADDING[mode] == "constant" else {}
            wide = xp.pad(x, widths_seen(sizes, options.origin, backwards), PADDING[mode], **filled)
            # not before it is needed: importing it takes a quarter of a second
            signal: Any = import_module("scipy.signal")
            used = call(signal.correlate, wide, y_bar, mode="valid", method="direct")
            return xp.reshape(xp.flip(xp.conj(used)) if backwards else used, of_weights)

        by_input = LinearMap(
            lambda dot: call(function, dot, weights, **without_cval), input_pullback
        )
        by_weights = LinearMap(lambda dot: call(function, x, dot, **options), weights_pullback)
        return by_input, by_weights


def fold(wide, shape: tuple[int, ...], widths, mode: str) -> Any:
    """The border folded back, by the adjoint of `numpy.pad`."""
    return transposed(wide, np.pad, shape, wide.dtype, {"pad_width": widths, "mode": PADDING[mode]})


declare_weighted(ndimage.correlate, "mode cval origin", backwards=False)
declare_weighted(ndimage.convolve, "mode cval origin", backwards=True)
declare_weighted(ndimage.correlate1d, "axis mode cval origin", backwards=False)
declare_weighted(ndimage.convolve1d, "axis mode cval origin", backwards=True)
