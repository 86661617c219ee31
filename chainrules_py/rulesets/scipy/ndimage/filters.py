"""Linear filters of `scipy.ndimage`: with weights of their own, by which they are differentiated
too, and with fixed ones.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import ndimage, signal

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair, transposed
from chainrules_py.rulesets.scipy.ndimage.boundaries import PADDING, filter_adjoint
from chainrules_py.values.arrays import Array, call

# Fixed weights


def gaussian_reach(sigma: Any, truncate: float = 4.0, radius: Any = None, **options: Any) -> Any:
    """How far the window of a Gaussian goes."""
    reach = np.asarray(truncate) * sigma + 0.5 if radius is None else radius
    return np.asarray(reach, int).tolist() if np.ndim(reach) else int(reach)


def size_reach(size: Any = 3, **options: Any) -> Any:
    """The whole length of a window, whatever its origin."""
    return size


def next_reach(**options: Any) -> int:
    """The next entry on each side."""
    return 1


CVAL = ("cval",)
for _function, _reach, _axis, _options in (
    (ndimage.gaussian_filter, gaussian_reach, None, "sigma order mode cval truncate radius axes"),
    (ndimage.gaussian_filter1d, gaussian_reach, -1, "sigma axis order mode cval truncate radius"),
    (ndimage.uniform_filter, size_reach, None, "size mode cval origin axes"),
    (ndimage.uniform_filter1d, size_reach, -1, "size axis mode cval origin"),
    (ndimage.gaussian_laplace, gaussian_reach, None, "sigma mode cval axes"),
    (ndimage.laplace, next_reach, None, "mode cval axes"),
):
    linear_pair(_function, filter_adjoint(_function, _reach, _axis), _options, CVAL)


def edge_adjoint(function: Any) -> Any:
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
    input: Array, *, sigma: Any, mode: str = "reflect", cval: float = 0.0, out: Any, xp: Any
) -> LinearMap:
    """The length of the vector of smooth slopes along the axes; 0 where that is 0."""
    orders = np.eye(input.ndim, dtype=int).tolist()
    options = [{"sigma": sigma, "order": order, "mode": mode} for order in orders]
    slopes = [call(ndimage.gaussian_filter, input, cval=cval, **each) for each in options]
    inverse = xp.where(out == 0, 0, 1 / xp.where(out == 0, 1, out))
    shape, dtype = input.shape, input.dtype

    def magnitude_pushforward(dot: Any) -> Any:
        moved = (
            slope * call(ndimage.gaussian_filter, dot, **each)
            for slope, each in zip(slopes, options, strict=True)
        )
        return inverse * sum(moved)

    def magnitude_pullback(y_bar: Any) -> Any:
        parts = zip(slopes, options, strict=True)
        return sum(
            transposed(slope * inverse * y_bar, ndimage.gaussian_filter, shape, dtype, each)
            for slope, each in parts
        )

    return LinearMap(magnitude_pushforward, magnitude_pullback)


# Weights that are arguments


class Weighted(NamedTuple):
    """A correlation, whose weights are conjugated, or a convolution, whose weights run backwards;
    along an axis or all.
    """

    function: Any
    backwards: bool
    axis: int | None

    def maps(
        self, x: Any, weights: Any, mode: str, cval: Any, origin: Any, xp: Any
    ) -> tuple[LinearMap, LinearMap]:
        """The derivatives by the input and by the weights."""
        axis = None if self.axis is None else self.axis % x.ndim
        options: dict[str, Any] = {"mode": mode, "origin": origin} | (
            {} if axis is None else {"axis": axis}
        )
        shape, of_weights = x.shape, weights.shape
        sizes = (
            list(of_weights)
            if axis is None
            else [of_weights[0] if k == axis else 1 for k in range(x.ndim)]
        )
        axes = tuple(range(x.ndim)) if axis is None else (axis,)
        reach = [(n - 1, n - 1) for n in sizes]

        def input_pullback(y_bar: Any) -> Any:
            turned = xp.conj(xp.flip(xp.pad(y_bar, reach), axes))
            turned = call(self.function, turned, weights, **{**options, "mode": "constant"})
            return fold(xp.conj(xp.flip(turned, axes)), shape, reach, mode)

        def weights_pullback(y_bar: Any) -> Any:
            filled = {"constant_values": cval} if PADDING[mode] == "constant" else {}
            wide = xp.pad(x, self.seen(sizes, origin), PADDING[mode], **filled)
            used = call(signal.correlate, wide, y_bar, mode="valid", method="direct")
            return xp.reshape(xp.flip(xp.conj(used)) if self.backwards else used, of_weights)

        return (
            LinearMap(lambda dot: call(self.function, dot, weights, **options), input_pullback),
            LinearMap(
                lambda dot: call(self.function, x, dot, cval=cval, **options), weights_pullback
            ),
        )

    def seen(self, sizes: list[int], origin: Any) -> list[tuple[int, int]]:
        """How far the filter sees before and after an entry."""
        widths = []
        for size, at in zip(
            sizes, [origin] * len(sizes) if np.ndim(origin) == 0 else origin, strict=True
        ):
            before = 0 if size == 1 else (size - 1) // 2 - at if self.backwards else size // 2 + at
            widths.append((before, size - 1 - before))
        return widths


def fold(wide: Any, shape: tuple[int, ...], widths: Any, mode: str) -> Any:
    """The border folded back, by the adjoint of `numpy.pad`."""
    return transposed(wide, np.pad, shape, wide.dtype, {"pad_width": widths, "mode": PADDING[mode]})


@linearised_rule(ndimage.correlate)
def correlate_linearised(
    input: Array,
    weights: Array,
    *,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap]:
    return Weighted(ndimage.correlate, False, None).maps(input, weights, mode, cval, origin, xp)


@linearised_rule(ndimage.convolve)
def convolve_linearised(
    input: Array,
    weights: Array,
    *,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap]:
    return Weighted(ndimage.convolve, True, None).maps(input, weights, mode, cval, origin, xp)


@linearised_rule(ndimage.correlate1d)
def correlate1d_linearised(
    input: Array,
    weights: Array,
    *,
    axis: int = -1,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap]:
    return Weighted(ndimage.correlate1d, False, axis).maps(input, weights, mode, cval, origin, xp)


@linearised_rule(ndimage.convolve1d)
def convolve1d_linearised(
    input: Array,
    weights: Array,
    *,
    axis: int = -1,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap]:
    return Weighted(ndimage.convolve1d, True, axis).maps(input, weights, mode, cval, origin, xp)
