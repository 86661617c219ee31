"""Samples of `scipy.ndimage`: boundary modes, sizes, origins, and splines of every order."""

from typing import Any

import numpy as np
from scipy import ndimage

from chainrules_py.rulesets.scipy.linear_pairs import transposed
from chainrules_py.rulesets.scipy.ndimage.non_differentiable import NAMES
from chainrules_py.rulesets.scipy.ndimage.spline_sums import b_spline, spline_scatter, spline_slope
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, Tag, samples_for
from chainrules_py.values.identity import takes

MODES = ("reflect", "constant", "nearest", "mirror", "wrap")
SPLINE_MODES = (*MODES, "grid-constant", "grid-wrap")
WEIGHTED = (ndimage.correlate, ndimage.convolve)
WEIGHTED_1D = (ndimage.correlate1d, ndimage.convolve1d)
RANKS = (
    ndimage.maximum_filter,
    ndimage.minimum_filter,
    ndimage.median_filter,
    ndimage.rank_filter,
    ndimage.percentile_filter,
)
REGIONS = (
    ndimage.sum_labels,
    ndimage.mean,
    ndimage.variance,
    ndimage.standard_deviation,
    ndimage.maximum,
    ndimage.minimum,
)
LABELS = np.array([[1, 2, 0], [2, 1, 3]])
LARGE_LABELS = np.array([1, 1, 0])
FIXED: dict[Any, list[dict[str, Any]]] = {
    ndimage.gaussian_filter: [
        {"sigma": 0.7},
        {
            "sigma": (0.5, 0.8),
            "order": (1, 0),
            "cval": 0.3,
            "truncate": 2.0,
            "mode": ["constant", "mirror"],
        },
        {"sigma": 0.6, "radius": 2, "mode": "wrap", "axes": (1,)},
    ],
    ndimage.gaussian_filter1d: [
        {"sigma": 0.7, "order": 1, "mode": "nearest"},
        {"sigma": 0.6, "axis": 0, "cval": 0.3, "truncate": 2.0, "mode": "constant"},
        {"sigma": 0.6, "radius": 2},
    ],
    ndimage.uniform_filter: [
        {"size": (2, 3), "origin": (-1, 1), "mode": "wrap"},
        {"size": 2, "mode": "constant", "cval": 0.3, "axes": (0,)},
    ],
    ndimage.uniform_filter1d: [
        {"size": 4, "origin": 1, "mode": "mirror"},
        {"size": 2, "axis": 0, "mode": "constant", "cval": 1.0},
    ],
    ndimage.gaussian_laplace: [
        {"sigma": 0.6},
        {"sigma": 0.5, "mode": "constant", "cval": 0.3},
        {"sigma": (0.6, 0.8), "mode": ("wrap", "constant")},
    ],
    ndimage.laplace: [{}, {"mode": "constant", "cval": 0.3}],
    ndimage.sobel: [{}, {"axis": 0, "mode": "constant", "cval": 0.3}],
    ndimage.prewitt: [{}, {"axis": 0, "mode": ("wrap", "constant"), "cval": 0.3}],
}
for _function in (ndimage.gaussian_laplace, ndimage.laplace):
    if takes(_function, "axes"):
        FIXED[_function].append(
            {"axes": (1,), **({"sigma": 0.5} if _function is ndimage.gaussian_laplace else {})}
        )


@samples_for(*FIXED, dtypes=["float64"])
def fixed_samples(draw: Draw, primal) -> Samples:
    """Filters with fixed weights."""
    for options in FIXED[primal]:
        yield Sample(draw.any(3, 4), options=options)


@samples_for(ndimage.gaussian_filter, ndimage.uniform_filter, ndimage.sobel, dtypes=["complex128"])
def complex_samples(draw: Draw, primal) -> Samples:
    """Complex images."""
    yield Sample(
        draw.any(3, 2), options={"sigma": 0.7} if primal is ndimage.gaussian_filter else {}
    )


@samples_for(ndimage.gaussian_gradient_magnitude, dtypes=["float64"])
def magnitude_samples(draw: Draw) -> Samples:
    """Smooth slopes, and an image without any."""
    yield Sample(draw.any(3, 4), options={"sigma": 0.7, "mode": "constant", "cval": 0.3})
    yield Sample(draw.any(3, 4), options={"sigma": 0.7, "mode": ("nearest", "wrap")})


@samples_for(ndimage.gaussian_gradient_magnitude, dtypes=["complex128"])
def complex_magnitude_samples(draw: Draw) -> Samples:
    """A complex image, of whose slopes the squares are added."""
    yield Sample(draw.any(3, 4), options={"sigma": 0.7})


@samples_for(*WEIGHTED, dtypes=["float64"])
def weighted_samples(draw: Draw) -> Samples:
    """Every mode; windows of even and odd lengths with origins."""
    for mode in MODES:
        yield Sample(draw.any(3, 3), draw.any(2, 3), options={"mode": mode})
    options = {"mode": "constant", "cval": 0.4, "origin": (-1, 1)}
    yield Sample(draw.any(3, 2), draw.any(2, 3), options=options)
    yield Sample(draw.any(3), draw.any(5), options={"origin": -2})


@samples_for(*WEIGHTED, *WEIGHTED_1D, dtypes=["complex128"])
def complex_weighted_samples(draw: Draw) -> Samples:
    """Complex images and weights."""
    yield Sample(draw.any(4), draw.any(3), options={"mode": "mirror"})


@samples_for(*WEIGHTED_1D, dtypes=["float64"])
def weighted_1d_samples(draw: Draw) -> Samples:
    """Along both axes."""
    yield Sample(draw.any(2, 4), draw.any(4), options={"mode": "wrap", "origin": 1})
    yield Sample(
        draw.any(3, 2),
        draw.any(3),
        options={"axis": 0, "mode": "constant", "cval": 0.4},
    )


@samples_for(*RANKS, dtypes=["float64"])
def rank_samples(draw: Draw, primal) -> Samples:
    """Windows and footprints in several modes, and ties."""
    given = {ndimage.rank_filter: {"rank": 1}, ndimage.percentile_filter: {"percentile": 40}}.get(
        primal, {}
    )
    options: list[dict[str, Any]] = [
        {"size": 3},
        {"size": 2, "mode": "constant", "cval": 0.05, "origin": -1},
    ]
    options += [
        {"footprint": np.array([[0, 1, 1], [1, 1, 0]]), "mode": "mirror"},
        {"size": 3, "axes": (1,), "mode": "wrap"},
    ]
    for each in options:
        yield Sample(draw.distinct(3, 4), options={**given, **each})
    yield Sample(
        np.array([1.0, 2.0, 1.0, 2.0, 2.0], draw.dtype),
        options={**given, "size": 3, "mode": "nearest"},
        tags=[Tag.TIE],
    )


@samples_for(ndimage.maximum_filter1d, ndimage.minimum_filter1d, dtypes=["float64"])
def extreme_1d_samples(draw: Draw) -> Samples:
    """Along both axes."""
    yield Sample(draw.distinct(2, 4), options={"size": 3})
    options = {"size": 2, "axis": 0, "mode": "constant", "cval": 0.05, "origin": -1}
    yield Sample(draw.distinct(3, 2), options=options)


@samples_for(*REGIONS, dtypes=["float64"])
def region_samples(draw: Draw) -> Samples:
    """The whole, what has a label, single regions, and one of them twice."""
    yield Sample(draw.distinct(2, 3))
    yield Sample(draw.distinct(2, 3), options={"labels": LABELS})
    yield Sample(draw.distinct(2, 3), options={"labels": LABELS, "index": 2})
    yield Sample(
        draw.distinct(2, 3),
        options={"labels": LABELS, "index": np.array([2, 1, 2])},
    )
    yield Sample(draw.distinct(2, 3), options={"labels": LARGE_LABELS, "index": [1, 0]})


@samples_for(
    *(
        getattr(ndimage, f"fourier_{name}")
        for name in ("gaussian", "uniform", "ellipsoid", "shift")
    ),
    dtypes=["complex128"],
)
def fourier_samples(draw: Draw, primal) -> Samples:
    """Of a transform with all frequencies and of one with half of them."""
    name = next(name for name in ("sigma", "size", "shift") if takes(primal, name))
    yield Sample(draw.any(3, 4), options={name: 1.3})
    yield Sample(draw.any(3, 3), options={name: 1.3, "n": 4, "axis": 1})


# Splines


def points(draw: Draw, *shape: int) -> Any:
    """Draw coordinates in an image and a little outside of it, away from kinks."""
    found = [draw.rng.uniform(-1.6, n + 0.6, 3) for n in shape]
    return np.asarray(
        [np.where(np.abs(np.mod(x, 0.5)) < 0.05, x + 0.1, x) for x in found], draw.dtype
    )


@samples_for(ndimage.map_coordinates, dtypes=["float64"])
def map_coordinates_samples(draw: Draw) -> Samples:
    """Every order and every mode, without a filter, with a value beyond the edges."""
    for mode in SPLINE_MODES:
        yield Sample(draw.any(4), points(draw, 4), options={"mode": mode})
    for order in (0, 1, 2, 4, 5):
        yield Sample(
            draw.any(2, 3),
            points(draw, 2, 3),
            options={"order": order, "mode": "mirror"},
        )
    yield Sample(
        draw.any(3, 2),
        points(draw, 3, 2),
        options={"cval": 0.3, "prefilter": False},
    )
    yield Sample(
        draw.any(3, 3),
        [np.array([0.3, 1.7]), np.array([1.2, 0.6])],
        options={"order": 1},
        name="list",
    )


@samples_for(ndimage.map_coordinates, dtypes=["complex128"])
def complex_map_coordinates_samples(draw: Draw) -> Samples:
    """A complex image at real points."""
    yield Sample(draw.any(3, 3), np.array([[0.3, 1.7], [1.2, 0.6]]))


@samples_for(ndimage.affine_transform, dtypes=["float64"])
def affine_samples(draw: Draw) -> Samples:
    """A matrix, a diagonal, and one with the offset in it."""
    matrix = np.array([[0.9, 0.21], [-0.17, 0.83]], draw.dtype)
    yield Sample(
        draw.any(2, 3),
        matrix,
        np.array([0.13, 0.27], draw.dtype),
        options={"mode": "mirror"},
    )
    yield Sample(
        draw.any(2, 3),
        matrix,
        options={"order": 2, "mode": "reflect", "output_shape": (2, 3)},
    )
    yield Sample(
        draw.any(2, 2),
        np.array([0.91, 0.83], draw.dtype),
        0.31,
        options={"mode": "nearest"},
    )
    options = {"mode": "grid-wrap", "prefilter": False, "order": 3, "cval": 0.2}
    homogeneous = np.concatenate([matrix, [[0.13], [0.27]]], axis=1)
    yield Sample(draw.any(2, 3), homogeneous, options=options)


@samples_for(ndimage.shift, dtypes=["float64"])
def translation_samples(draw: Draw) -> Samples:
    """By a number, and by one for each axis."""
    yield Sample(draw.any(3, 4), 0.31, options={"mode": "mirror", "order": 2})
    yield Sample(
        draw.any(3, 4),
        np.array([0.31, -0.73]),
        options={"cval": 0.3, "prefilter": False},
    )


@samples_for(ndimage.zoom, dtypes=["float64"])
def zoom_samples(draw: Draw) -> Samples:
    """Larger and smaller, with points at entries and between them; by one, which returns the image."""
    yield Sample(
        draw.any(3, 4),
        options={"zoom": (1.7, 0.6), "order": 2, "mode": "mirror"},
    )
    options = {"zoom": 1.7, "grid_mode": True, "mode": "grid-constant", "cval": 0.3}
    yield Sample(draw.any(3), options=options)
    yield Sample(draw.any(3), options={"zoom": 1, "prefilter": False})
    yield Sample(draw.any(3), options={"zoom": 1})


@samples_for(ndimage.rotate, dtypes=["float64"])
def rotate_samples(draw: Draw) -> Samples:
    """In a plane, and in planes of three axes."""
    yield Sample(draw.any(3, 4), options={"angle": 30, "mode": "mirror", "order": 2})
    options = {"angle": 50, "axes": (0, 2), "reshape": False, "prefilter": False, "cval": 0.3}
    yield Sample(draw.any(3, 2, 3), options=options)


@samples_for(ndimage.spline_filter1d, dtypes=["float64"])
def spline_filter1d_samples(draw: Draw) -> Samples:
    """Every boundary and order, and an axis too long for a matrix."""
    for mode in SPLINE_MODES:
        yield Sample(draw.any(4, 2), options={"mode": mode, "axis": 0, "order": 4})
    yield Sample(draw.any(2, 3), options={"order": 1})
    yield Sample(draw.any(70), options={"order": 2, "mode": "reflect"})
    yield Sample(draw.any(70), options={"order": 5, "mode": "constant"})


@samples_for(ndimage.spline_filter, ndimage.spline_filter1d, dtypes=["complex128"])
def spline_filter_samples(draw: Draw) -> Samples:
    """Several axes of complex numbers."""
    yield Sample(draw.any(2, 3), options={"output": complex})
    yield Sample(
        draw.any(66),
        options={"mode": "grid-wrap", "order": 2, "output": complex},
    )


SPLINES = {"order": 3, "mode": "mirror", "pad": 0}


@samples_for(b_spline, dtypes=["float64"])
def b_spline_samples(draw: Draw) -> Samples:
    """The slope of one, on its pieces and outside."""
    yield Sample(np.array([-1.4, -0.3, 0.6, 3.0]), 3, 1)


@samples_for(spline_slope, dtypes=["complex128"])
def spline_slope_samples(draw: Draw) -> Samples:
    """The slope of a sum of splines."""
    points = np.array([[0.3, 0.7], [1.2, 0.6]])
    yield Sample(draw.any(2, 3), points, options={**SPLINES, "along": 1})


@samples_for(spline_scatter, dtypes=["complex128"])
def spline_scatter_samples(draw: Draw) -> Samples:
    """The adjoint of one."""
    yield Sample(
        draw.any(2), np.array([[0.3, 1.7], [1.2, 0.6]]), options={**SPLINES, "shape": (2, 3)}
    )


@samples_for(transposed, dtypes=DOUBLE)
def transposed_samples(draw: Draw) -> Samples:
    """The adjoint of padding."""
    options = {"pad_width": [(2, 1)], "mode": "reflect"}
    yield Sample(
        draw.any(7), options={"of": np.pad, "shape": (4,), "dtype": draw.dtype, "options": options}
    )


MASK = np.array([[True, False, True], [False, True, True]])
QUERIES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "find_objects": ((LABELS,), {}),
    "watershed_ift": ((LABELS.astype(np.uint8), LABELS), {}),
    "value_indices": ((LABELS,), {}),
    "histogram": ((MASK * 1.0,), {"min": 0, "max": 1, "bins": 2}),
    "generate_binary_structure": ((2, 1), {}),
    "iterate_structure": ((MASK, 2), {}),
}


@samples_for(
    *(getattr(ndimage, name) for name in NAMES if hasattr(ndimage, name)), dtypes=["float64"]
)
def query_samples(draw: Draw, primal) -> Samples:
    """Functions that make labels, positions and binary images."""
    args, options = QUERIES.get(primal.__name__, ((MASK,), {}))
    yield Sample(*args, options=options)
