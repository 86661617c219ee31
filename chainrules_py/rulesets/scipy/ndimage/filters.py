"""Linear filters of `scipy.ndimage`.

Some have fixed weights, as the Gaussian filters; to others weights are passed, and these are
differentiated by them, too.
"""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from scipy import ndimage

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.scipy.linear_pairs import ADJOINTS, linear_pair, transposed
from chainrules_py.rulesets.scipy.ndimage.boundaries import (
    PADDING,
    ascending,
    filter_adjoint,
    filtered_axes,
    per_axis,
)
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, call

# Fixed weights


def gaussian_reach(sigma, truncate: float = 4.0, radius: Any = None, **options) -> Any:
    """How far the window of a Gaussian goes."""
    reach = np.asarray(truncate) * sigma + 0.5 if radius is None else radius
    return np.asarray(reach, int).tolist() if np.ndim(reach) else int(reach)


def size_reach(size: Any = 3, **options) -> Any:
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
):
    linear_pair(_function, filter_adjoint(_function, _reach, _axis), _options, CVAL)


def gaussian_laplace_adjoint(
    y_bar, shape: tuple[int, ...], sigma, mode: Any = "reflect", axes: Any = None
) -> Any:
    """The sum of the adjoints of the second derivatives, one per axis.

    SciPy's `mode` of an axis is that of the whole term that differentiates along it, whose smoothing
    runs over all axes.
    """
    ndim = len(shape)
    axes = ascending(ndimage.gaussian_laplace, ndim, axes, sigma, mode)
    if not axes:
        return y_bar
    sigmas, modes = per_axis(sigma, ndim, axes, 0), per_axis(mode, ndim, axes, None)

    def term(axis: int) -> Any:
        orders = [2 if k == axis else 0 for k in range(ndim)]
        smoothed = ADJOINTS[ndimage.gaussian_filter]
        return smoothed(y_bar, shape, sigma=sigmas, order=orders, mode=modes[axis])

    return sum(term(axis) for axis in axes)


linear_pair(ndimage.gaussian_laplace, gaussian_laplace_adjoint, "sigma mode cval axes", CVAL)


def edge_adjoint(function) -> Any:
    """The adjoint of a filter that smoothes the other axes, so that `axis` says where it
    differentiates, not where it runs.
    """
    over_all = filter_adjoint(
        lambda wide, axis, mode: call(function, wide, axis, mode=mode), lambda axis: 1
    )
    return lambda y_bar, shape, axis=-1, mode="reflect": over_all(y_bar, shape, axis, mode=mode)


for _function in (ndimage.sobel, ndimage.prewitt):
    linear_pair(_function, edge_adjoint(_function), "axis mode cval", CVAL)


@linearised_rule(ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude_linearised(
    input: Array, *, sigma, mode: Any = "reflect", cval: float = 0.0, out, xp
) -> LinearMap:
    """The length of the vector of smooth slopes along the axes; 0 where that is 0.

    SciPy's `mode` of an axis is that of the whole slope along it, whose smoothing runs over all axes.
    """
    shape, dtype, ndim = input.shape, input.dtype, input.ndim
    orders = np.eye(ndim, dtype=int).tolist()
    modes = per_axis(mode, ndim, filtered_axes(ndim, None), None)
    options = [
        {"sigma": sigma, "order": order, "mode": mode}
        for order, mode in zip(orders, modes, strict=True)
    ]
    slopes = [call(ndimage.gaussian_filter, input, cval=cval, **each) for each in options]
    inverse = xp.where(out == 0, 0, 1 / xp.where(out == 0, 1, out))

    def slope_of(dot, along: dict[str, Any]) -> Any:
        return call(ndimage.gaussian_filter, dot, **along)

    def bar_of_slope(slope_bar, along: dict[str, Any]) -> Any:
        return transposed(slope_bar, ndimage.gaussian_filter, shape, dtype, along)

    def magnitude_pushforward(dot) -> Any:
        both = zip(slopes, options, strict=True)
        return inverse * sum(slope * slope_of(dot, along) for slope, along in both)

    def magnitude_pullback(y_bar) -> Any:
        both = zip(slopes, options, strict=True)
        return sum(bar_of_slope(xp.conj(slope * inverse) * y_bar, along) for slope, along in both)

    return LinearMap(magnitude_pushforward, magnitude_pullback)


# Weights that are arguments


class Weighted(NamedTuple):
    """A filter along one axis or all: a correlation, or a convolution, whose weights run backwards."""

    function: Any
    backwards: bool

    def maps(self, x, weights, options: Options, xp) -> tuple[LinearMap, LinearMap]:
        """The derivatives by the input and by the weights."""
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
        def input_pullback(y_bar) -> Any:
            turned = xp.conj(xp.flip(xp.pad(y_bar, reach), axes))
            turned = call(self.function, turned, weights, **with_zeros)
            return fold(xp.conj(xp.flip(turned, axes)), shape, reach, mode)

        def weights_pullback(y_bar) -> Any:
            filled = {"constant_values": options.cval} if PADDING[mode] == "constant" else {}
            wide = xp.pad(x, self.seen(sizes, options.origin), PADDING[mode], **filled)
            # not before it is needed: importing it takes a quarter of a second
            signal: Any = import_module("scipy.signal")
            used = call(signal.correlate, wide, y_bar, mode="valid", method="direct")
            return xp.reshape(xp.flip(xp.conj(used)) if self.backwards else used, of_weights)

        by_input = LinearMap(
            lambda dot: call(self.function, dot, weights, **without_cval), input_pullback
        )
        by_weights = LinearMap(lambda dot: call(self.function, x, dot, **options), weights_pullback)
        return by_input, by_weights

    def seen(self, sizes: list[int], origin) -> list[tuple[int, int]]:
        """How far the filter sees before and after an entry."""
        origins = [origin] * len(sizes) if np.ndim(origin) == 0 else origin
        widths = []
        for size, at in zip(sizes, origins, strict=True):
            before = (size - 1) // 2 - at if self.backwards else size // 2 + at
            before = 0 if size == 1 else before
            widths.append((before, size - 1 - before))
        return widths


def fold(wide, shape: tuple[int, ...], widths, mode: str) -> Any:
    """The border folded back, by the adjoint of `numpy.pad`."""
    return transposed(wide, np.pad, shape, wide.dtype, {"pad_width": widths, "mode": PADDING[mode]})


def declare_weighted(function, names: str, *, backwards: bool) -> None:
    """Register the rule of a filter by its input and by its weights."""

    @linearised_rule(function)
    @with_options(function, names)
    def weighted_linearised(
        input: Array, weights: Array, *, options: Options, out, xp
    ) -> tuple[LinearMap, LinearMap]:
        return Weighted(function, backwards).maps(input, weights, options, xp)


declare_weighted(ndimage.correlate, "mode cval origin", backwards=False)
declare_weighted(ndimage.convolve, "mode cval origin", backwards=True)
declare_weighted(ndimage.correlate1d, "axis mode cval origin", backwards=False)
declare_weighted(ndimage.convolve1d, "axis mode cval origin", backwards=True)
