"""Splines through images: `map_coordinates`, shifts, zooms, rotations and affine transforms.

The others read the image at points that are an affine function of the position in the result: as
`map_coordinates` does at these points.
"""

from typing import Any, cast

import numpy as np
from scipy import ndimage, special

from chainrules_py import composed
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, on_arrays
from chainrules_py.rulesets.scipy.linear_pairs import array_like, linear_pair, transposed
from chainrules_py.rulesets.scipy.ndimage.boundaries import PADDING
from chainrules_py.rulesets.scipy.ndimage.filters import fold
from chainrules_py.rulesets.scipy.ndimage.spline_sums import spline_scatter, spline_slope
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, call, shape_of

# how many entries SciPy puts around the image before it finds coefficients, by the mode
PADDED = {"nearest": 12, "grid-constant": 12}
# modes that find them for an image continued by its mirror image, whose edge is not repeated
MIRRORS = ("mirror", "constant", "wrap", "grid-constant")

SHORT = 64  # up to this length the filter that SciPy starts with "reflect" is not quite symmetric


def spline_filter1d_adjoint(
    y_bar, shape, order: int = 3, axis: int = -1, output: Any = None, mode: str = "mirror"
) -> Any:
    """The filter itself, which is symmetric; with mirrors, after halving both ends."""
    n = shape[axis]
    if order < 2 or 0 in shape:
        return y_bar
    lines = np.moveaxis(y_bar, axis, 0).reshape(n, -1)
    if n <= SHORT:
        units = array_like(np.eye(n), lines)
        found = call(ndimage.spline_filter1d, units, order, 0, mode=mode).T @ lines
    else:
        weights = np.ones((n, 1))
        weights[[0, -1]] = 0.5 if mode in MIRRORS else 1.0
        lines, dtype = lines / array_like(weights, lines), np.result_type(lines.dtype, float)
        found = call(ndimage.spline_filter1d, lines, order, 0, output=dtype, mode=mode)
        found = found * array_like(weights, lines)
    return np.moveaxis(found.reshape(n, *np.delete(shape, axis)), 0, axis)


def spline_filter_adjoint(y_bar, shape, order: int = 3, output: Any = None, mode: str = "mirror"):
    for axis in range(len(shape)):
        y_bar = spline_filter1d_adjoint(y_bar, shape, order, axis, mode=mode)
    return y_bar


linear_pair(ndimage.spline_filter1d, spline_filter1d_adjoint)
linear_pair(ndimage.spline_filter, spline_filter_adjoint)


SPLINE = "order mode cval prefilter"


def image_maps(
    image, points, transform, options: dict[str, Any], xp
) -> tuple[LinearMap, LinearMap]:
    """The derivatives of a spline at points, by the image and by the points.

    `transform` is the pushforward of the image: its tangent is read at the same points.
    """
    order, mode = options["order"], options["mode"]
    shape, axes = image.shape, range(image.ndim)
    filtered = options["prefilter"] and order > 1
    pad = PADDED.get(mode, 0) if filtered else 0
    widths = [(pad, pad)] * image.ndim
    wide, how = tuple(n + 2 * pad for n in shape), {"order": order, "mode": mode, "pad": pad}

    def filter_options(x) -> dict[str, Any]:
        return {"order": order, "mode": mode, "output": np.result_type(x.dtype, np.float64)}

    def image_pullback(y_bar):
        c_bar = spline_scatter(y_bar, points, shape=wide, **how)
        if filtered:
            given = filter_options(c_bar)
            c_bar = transposed(c_bar, ndimage.spline_filter, wide, c_bar.dtype, given)
        return fold(c_bar, shape, widths, mode) if pad else c_bar

    def coefficients() -> Any:
        cval = options["cval"]
        filled = {"constant_values": cval} if PADDING[mode] == "constant" else {}
        c = xp.pad(image, widths, PADDING[mode], **filled) if pad else image
        c = call(ndimage.spline_filter, c, **filter_options(c)) if filtered else c
        return c - cval if mode == "grid-constant" else c  # so that there are zeros outside

    def slopes() -> list[Any]:
        c = coefficients()
        return [spline_slope(c, points, along=axis, **how) for axis in axes]

    return LinearMap(transform, image_pullback), LinearMap(
        lambda dot: sum(slope * dot[axis] for axis, slope in enumerate(slopes())),
        lambda y_bar: xp.stack([xp.real(xp.conj(slope) * y_bar) for slope in slopes()]),
    )


def without_cval(options: dict[str, Any]) -> dict[str, Any]:
    """The options for a tangent, which is zero outside of the image."""
    return {name: value for name, value in options.items() if name != "cval"}


@with_options(ndimage.map_coordinates, SPLINE, linearised_rule)
def map_coordinates_linearised(
    input: ArrayLike, coordinates: ArrayLike, *, options: Options, xp
) -> Linearised:
    def on_both(image, points, xp) -> Linearised:
        def of_tangent(dot):
            return call(ndimage.map_coordinates, dot, points, **without_cval(options))

        y = call(ndimage.map_coordinates, image, points, **options)
        return y, *image_maps(image, points, of_tangent, options, xp)

    return on_arrays(on_both, (input, coordinates), xp)


def positions_in_result(shape) -> Any:
    """The positions in a result of this shape, coordinates first."""
    return np.indices(tuple(shape)).astype(float)


def affine_points(matrix, offset, at, xp) -> Any:
    """The points at which an affine transform reads the image.

    The matrix may be a diagonal, or have the offset as its last column.
    """
    ndim = len(at)
    flat = xp.asarray(np.reshape(at, (ndim, -1)))
    if matrix.ndim == 2 and matrix.shape[1] == ndim + 1:
        matrix, offset = matrix[:ndim, :ndim], matrix[:ndim, ndim]
    moved = xp.reshape(matrix, (-1, 1)) * flat if matrix.ndim == 1 else matrix @ flat
    start = xp.reshape(offset, (-1, 1)) if shape_of(offset) else offset
    return xp.reshape(moved + start, at.shape)


@with_options(ndimage.affine_transform, f"output_shape {SPLINE}", composed)
def affine_transform(
    input: Array, matrix: Array, offset: ArrayLike | float = 0.0, *, options: Options, xp
) -> Any:
    """Read the image at an affine function of the positions."""
    how = {name: value for name, value in options.items() if name != "output_shape"}
    at = positions_in_result(input.shape if options.output_shape is None else options.output_shape)
    points = affine_points(matrix, offset, at, xp)
    return call(ndimage.map_coordinates, input, points, **how)


@with_options(ndimage.shift, SPLINE, composed)
def shift(input: Array, shift: ArrayLike, *, options: Options, xp) -> Any:
    """Read the image at the positions minus the shift, given for all axes or for each."""
    by = xp.reshape(shift, (-1,) + (1,) * input.ndim) if shape_of(shift) else shift
    points = xp.asarray(positions_in_result(input.shape)) - by
    return call(ndimage.map_coordinates, input, points, **options)


def complex_as_real(options) -> bool:
    """Whether SciPy zooms complex images as real ones; some versions forget `grid_mode`."""
    image, zoom = np.arange(3.0), cast(Any, ndimage.zoom)
    return np.allclose(zoom(image + 0j, 2, **options), zoom(image, 2, **options))


GRID_MODE_OF_COMPLEX = complex_as_real({"order": 1, "mode": "nearest", "grid_mode": True})


@with_options(ndimage.zoom, "zoom order mode prefilter grid_mode")
def zoom_adjoint(y_bar, shape, *, options: Options):
    """The adjoint at points whose distance is the quotient of the two lengths of an axis."""
    if options.prefilter and np.all(np.asarray(options.zoom) == 1):
        return y_bar
    n, m = np.array(shape), np.array(y_bar.shape)
    grid_mode = options.grid_mode and (GRID_MODE_OF_COMPLEX or y_bar.dtype.kind != "c")
    less = 0 if grid_mode else 1
    middle = 0.5 if grid_mode else 0.0
    steps = np.divide(n - less, m - less, out=np.ones(len(n)), where=m != less)
    along = (-1,) + (1,) * len(n)
    points = (positions_in_result(m) + middle) * steps.reshape(along) - middle
    return placed_adjoint(y_bar, shape, points, options)


def placed_adjoint(y_bar, shape, points, options: dict[str, Any]) -> Any:
    """The adjoint of reading an image of this shape at points."""
    image = array_like(np.zeros(shape, y_bar.dtype), y_bar)
    of_image, _ = image_maps(image, array_like(points, y_bar), None, options, np)
    return of_image.pull(y_bar)


@with_options(ndimage.rotate, "angle axes reshape order mode prefilter")
def rotate_adjoint(y_bar, shape, *, options: Options):
    """The adjoint in each plane, which is read at points turned around its middle."""
    axes = sorted(axis % len(shape) for axis in options.axes)
    c, s = special.cosdg(options.angle), special.sindg(options.angle)
    plane, turned = [shape[axis] for axis in axes], [y_bar.shape[axis] for axis in axes]
    at = positions_in_result(turned) - (np.array(turned).reshape(2, 1, 1) - 1) / 2
    points = np.tensordot([[c, s], [-s, c]], at, 1) + (np.array(plane).reshape(2, 1, 1) - 1) / 2
    planes = np.moveaxis(y_bar, axes, (-2, -1))
    bars = [placed_adjoint(each, plane, points, options) for each in planes.reshape(-1, *turned)]
    return np.moveaxis(np.reshape(bars, (*planes.shape[:-2], *plane)), (-2, -1), axes)


linear_pair(ndimage.zoom, zoom_adjoint, value_only=("cval",))
linear_pair(ndimage.rotate, rotate_adjoint, value_only=("cval",))
