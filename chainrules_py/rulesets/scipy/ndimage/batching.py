"""Images of many examples at once: filters run over the last axes, and not over the lanes."""

from functools import partial
from typing import Any

import numpy as np
from scipy import ndimage

from chainrules_py import batched
from chainrules_py.batching.along_axes import Mixes, from_the_end
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import as_laned
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.rulesets.scipy.lanes_first import (
    Given,
    axes_from_the_end,
    lanes_first,
    with_first,
)
from chainrules_py.rulesets.scipy.linear_pairs import beside
from chainrules_py.rulesets.scipy.ndimage.spline_sums import spline_scatter, spline_sum
from chainrules_py.values.arrays import Array, call, library_of_types
from chainrules_py.values.identity import takes

# --- Filters ---


def over_axes(function) -> None:
    """Declare a filter that runs over `axes`, where the installed version of SciPy has the option."""
    if takes(function, "axes"):
        lanes_first(function, change=axes_in_order, axes=Mixes(("axes",)))


def axes_in_order(options: Given, rank: int) -> Given | None:
    """The option `axes`, counted from the end.

    None where they are in another order than those of the image: SciPy pairs them with sizes and
    windows in one way if these are all the axes, in another if not.
    """
    changed = axes_from_the_end(None, options, rank)
    axes = np.atleast_1d(changed["axes"]).tolist()
    changed["axes"] = tuple(axes)  # SciPy's rank filters fail for a number, of more than two axes
    return None if axes != sorted(axes) else changed


for _function in (
    *(ndimage.gaussian_filter, ndimage.uniform_filter, ndimage.laplace),
    *(ndimage.maximum_filter, ndimage.minimum_filter, ndimage.median_filter),
    *(ndimage.percentile_filter, ndimage.rank_filter),
):
    over_axes(_function)
lanes_first(
    *(ndimage.gaussian_filter1d, ndimage.uniform_filter1d, ndimage.spline_filter1d),
    *(ndimage.maximum_filter1d, ndimage.minimum_filter1d, ndimage.convolve1d, ndimage.correlate1d),
)


def own_weights(function) -> None:
    """Register a filter with weights: along the lanes there is one."""

    @batched.register(function)
    def filter_batched(lanes: Lanes, input: Array, weights, *, origin: Any = 0, **options):
        axes = options.pop("axes", None)
        rank = input.ndim - lanes[0]
        modes = options.get("mode", "reflect")
        if lanes[1] or not lanes[0] or axes is not None or type(modes) is not str or not rank:
            given = {"origin": origin, **options} | ({} if axes is None else {"axes": axes})
            return looped(partial(call, function), lanes, (input, weights), given)
        first = with_first({"origin": origin}, rank, origin=0)
        xp = library_of_types((type(weights),)).namespace
        return call(function, input, xp.expand_dims(xp.asarray(weights), 0), **first, **options)


own_weights(ndimage.convolve)
own_weights(ndimage.correlate)


@batched.register(ndimage.spline_filter)
def spline_filter_batched(lanes: Lanes, input: Array, **options):
    """The filter along one axis after the other."""
    for axis in range(1 - input.ndim, 0):
        input = call(ndimage.spline_filter1d, input, axis=axis, **options)
    return input


# --- Fourier ---


def multiplied(name: str, neutral: float) -> None:
    """Declare a multiplication of a Fourier transform by a function of each frequency."""

    def change(options: Given, rank: int) -> Given:
        changed = with_first(options, rank, **{name: neutral})
        return {**changed, "axis": from_the_end(options.get("axis", -1), rank)}

    lanes_first(getattr(ndimage, f"fourier_{FOURIER[name]}"), change=change)


FOURIER = {"sigma": "gaussian", "size": "uniform", "shift": "shift"}
multiplied("sigma", 0.0)
multiplied("size", np.finfo(float).tiny)  # of none at all, SciPy makes zeros
multiplied("shift", 0.0)


# --- Rotations ---


def in_plane(options: Given, rank: int) -> Given:
    """The plane of a rotation, counted from the end."""
    return {**options, "axes": from_the_end(tuple(options.get("axes", (1, 0))), rank)}


lanes_first(ndimage.rotate, change=in_plane)


# --- Splines at points ---


def coordinates_first(points) -> Any:
    """Points with the axis of the coordinates before the lanes."""
    return library_of_types((type(points),)).namespace.moveaxis(points, 0, 1)


def points_in_lanes(points, lane: bool, count: int, pad: int) -> Any:
    """Points of images that lie one behind the other: the number of its image comes before the
    coordinates.

    Coordinates are counted from `pad` entries before the first, so that number is, too.
    """
    each = coordinates_first(as_laned(lane, points, count))
    xp = library_of_types((type(each),)).namespace
    number = np.arange(count, dtype=float).reshape((1, count) + (1,) * (each.ndim - 2)) - pad
    shape = (1, *each.shape[1:])
    return xp.concatenate([xp.broadcast_to(beside(number, points), shape), each])


def with_images(options: Given) -> Given:
    """The options of splines in one more axis, in which a point reads one entry, that of its image."""
    return {**options, "orders": (0, *options["orders"]), "nu": (0, *options["nu"])}


@batched.register(spline_sum)
def spline_sum_batched(lanes: Lanes, c: Array, coordinates: Array, **options):
    """One image at more points, or images one behind the other."""
    count = (c if lanes[0] else coordinates).shape[0]
    if not count:
        return looped(spline_sum, lanes, (c, coordinates), options)
    if not lanes[0]:
        return spline_sum(c, coordinates_first(coordinates), **options)
    points = points_in_lanes(coordinates, lanes[1], count, options["pad"])
    return spline_sum(c, points, **with_images(options))


@batched.register(spline_scatter)
def spline_scatter_batched(lanes: Lanes, y_bar: Array, coordinates: Array, *, shape, **options):
    """Into images one behind the other."""
    count = (y_bar if lanes[0] else coordinates).shape[0]
    if not count:
        given = {"shape": shape, **options}
        return looped(spline_scatter, lanes, (y_bar, coordinates), given)
    points = points_in_lanes(coordinates, lanes[1], count, options["pad"])
    each = as_laned(lanes[0], y_bar, count)
    return spline_scatter(each, points, shape=(count, *shape), **with_images(options))


@batched.register(ndimage.map_coordinates)
def map_coordinates_batched(lanes: Lanes, input: ArrayLike, coordinates: ArrayLike, **options):
    """One image at more points; a loop over images, as SciPy would smooth across them."""
    are_points = lanes == (False, True) and coordinates.ndim > 1 and coordinates.shape[0]
    if not are_points or isinstance(options.get("output"), np.ndarray):
        return looped(partial(call, ndimage.map_coordinates), lanes, (input, coordinates), options)
    points = coordinates_first(coordinates)
    return call(ndimage.map_coordinates, input, points, **options)


# --- Regions ---


def of_regions(function) -> None:
    """Register a statistic of regions: each lane has labels of its own."""

    @batched.register(function)
    def regions_batched(lanes: Lanes, input: Array, *, labels: Any = None, index: Any = None):
        count, shape = input.shape[0], input.shape[1:]
        given = {"labels": labels, "index": index}
        if lanes != (True,) or not count or not input.size:
            return looped(partial(call, function), lanes, (input,), given)
        codes, wanted = coded(labels, index, shape)
        number = np.max(wanted) + 1
        offsets = number * np.arange(count)
        along = offsets.reshape((count,) + (1,) * len(shape))
        apart = np.where(codes > 0, codes + along, 0)
        found = offsets.reshape((count,) + (1,) * np.ndim(wanted)) + wanted
        y = call(function, input, labels=apart, index=found.reshape(-1))
        return (y if hasattr(y, "reshape") else np.asarray(y)).reshape(found.shape)


def coded(labels, index, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Labels as numbers from 1 on, with 0 for those not asked for, and what is asked."""
    if labels is None:
        return np.ones(shape, int), 1
    labels = np.broadcast_to(labels, shape)
    if index is None:
        return (labels > 0).astype(int), 1
    known, places = np.unique(index, return_inverse=True)
    at = np.minimum(np.searchsorted(known, labels), known.size - 1)
    return np.where(known[at] == labels, at + 1, 0), np.reshape(places, np.shape(index)) + 1


for _function in (
    *(ndimage.sum_labels, ndimage.mean, ndimage.variance, ndimage.standard_deviation),
    *(ndimage.maximum, ndimage.minimum),
):
    of_regions(_function)
