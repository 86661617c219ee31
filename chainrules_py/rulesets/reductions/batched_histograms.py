"""Histograms of many examples at once, whose edges may differ from lane to lane.

Bins that are chosen by a method's name are a loop, since their number depends on the values.
"""

import operator
from typing import Any

import numpy as np

from chainrules_py import batched
from chainrules_py.batching.lanes import (
    Lanes,
    Same,
    flat_lanes,
    is_known,
    lane_size,
    laned_values,
)
from chainrules_py.batching.parts import flat_in_lanes, in_one, library_of_parts, parts_in_lanes
from chainrules_py.batching.words import in_a_loop
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.values.arrays import shape_of
from chainrules_py.values.structure import is_container


@batched.register(np.bincount)
def bincount_batched(lanes: Lanes, x: object, weights: object, *, minlength: int = 0) -> Any:
    """Sums of the weights of each lane; how many there are depends on the numbers."""
    if shape_of(x)[-1:] == (0,):
        return Same(np.zeros(minlength, int))
    if lanes[0] and is_known(x):
        found = bincount_of_numbers_in_lanes(lanes, x, weights, minlength)
        if found is not None:
            return found
    if lanes[0] or weights is None:
        return in_a_loop(np.bincount, lanes)(x, weights, minlength=minlength)
    own: Any = weights
    numbers: Any = x
    count = max([minlength, *(np.asarray(numbers) + 1).tolist()])
    return scatter_add(
        own.astype(float), (slice(None), numbers), (own.shape[0], count), np.dtype(float)
    )


def bincount_of_numbers_in_lanes(lanes: Lanes, x: Any, weights: Any, minlength: int) -> Any:
    """Sums of the weights of numbers that differ from lane to lane.

    None where the greatest number does, and with it how many sums there are.
    """
    count = x.shape[0]
    if not x.size:
        return None
    greatest = np.maximum(x.max(axis=1) + 1, minlength)
    if (x < 0).any() or (greatest != greatest[0]).any():
        return None
    total = int(greatest[0])
    flat = (x + total * np.arange(count)[:, None]).reshape(-1)
    if weights is None:
        return np.bincount(flat, minlength=count * total).reshape((count, total))
    heavy = flat_in_lanes(lanes[1], weights, count)
    if heavy.shape != x.shape:
        return None
    return scatter_add(
        heavy.astype(float).reshape(-1), flat, (count * total,), np.dtype(float)
    ).reshape((count, total))


def edges_of(lane: Any, a: Any, bins: Any, limits: Any, own: Lanes = (False, False)) -> Any:
    """The edges of bins: with lanes, where each lane has its own smallest and greatest entry, or
    its own edges or limits, as `own` says.
    """
    if own[0]:
        return increasing(in_one(own[0], bins))
    if own[1]:
        bounds = in_one(own[1], limits)
        return equal_steps(bounds[:, 0], bounds[:, 1], bins, a.dtype, library_of_parts([bounds]))
    if np.ndim(bins) or limits is not None or not lane or not lane_size(a):
        known = a if not lane else np.zeros(0, a.dtype)
        return Same(np.histogram_bin_edges(known, bins=bins, range=limits))
    xp = library_of_parts([a])
    flat = flat_lanes(a)
    return equal_steps(xp.min(flat, axis=1), xp.max(flat, axis=1), bins, a.dtype, xp)


def increasing(edges: Any) -> Any:
    """Edges in lanes, which have to rise."""
    if (edges[:, 1:] < edges[:, :-1]).any():
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def equal_steps(first: Any, last: Any, bins: Any, of_data: Any, xp: Any) -> Any:
    """Edges of equal steps between the ends of each lane."""
    equal = first == last
    first, last = xp.where(equal, first - 0.5, first), xp.where(equal, last + 0.5, last)
    dtype = np.result_type(first.dtype, last.dtype, of_data)
    dtype = dtype if dtype.kind in "fc" else np.result_type(dtype, float)
    return xp.linspace(first, last, operator.index(bins) + 1, axis=-1, dtype=dtype)


def has_known_number(bins: Any) -> bool:
    """Whether bins are given by their number or their edges."""
    return not isinstance(bins, str)


@batched.register(np.histogram_bin_edges)
def histogram_bin_edges_batched(
    lanes: Lanes, a: object, bins: object, range: object, *, weights: Any = None
) -> Any:
    """Equal steps from the smallest to the greatest entry of each lane."""
    if not has_known_number(bins) or not are_known(lanes[1:3], (bins, range)):
        return in_a_loop(np.histogram_bin_edges, lanes)(a, bins, range, weights=weights)
    return edges_of(lanes[0], a, bins, range, lanes[1:3])


@batched.register(np.histogram)
def histogram_batched(
    lanes: Lanes, a: object, bins: object, range: object, density: object, weights: object
) -> Any:
    """The counts of each bin in all lanes, or the sums of weights."""
    if not has_known_number(bins) or not are_known(lanes[1:3], (bins, range)):
        return in_a_loop(np.histogram, lanes)(a, bins, range, density, weights)
    given: Any = (a, weights)
    lane_count = next(laned_values(lanes, (a, bins, range, density, weights))).shape[0]
    edges = edges_of(lanes[0], a, bins, range, lanes[1:3])
    flat = flat_in_lanes(lanes[0], given[0], lane_count)
    heavy = None if weights is None else flat_in_lanes(lanes[4], given[1], lane_count)
    bounds = edges.value if type(edges) is Same else edges
    counts = counts_in_bins(flat, heavy, bounds)
    if not density:
        return counts, edges
    widths = np.diff(bounds, axis=-1).astype(float)
    total = counts.sum(axis=1)
    return counts / widths / total[:, None], edges


def counts_in_bins(a: Any, weights: Any, edges: Any) -> Any:
    """The number of entries between neighbours among the edges; the last bin has its end, too."""
    xp = library_of_parts([a] if weights is None else [a, weights])
    of_lanes = edges if edges.ndim > 1 else edges[None]
    last = edges.shape[-1] - 2
    columns = []
    for place in np.arange(last + 1):
        low, high = of_lanes[:, place, None], of_lanes[:, place + 1, None]
        inside = (a >= low) & ((a <= high) if place == last else (a < high))
        columns.append(xp.sum(inside if weights is None else xp.where(inside, weights, 0), axis=1))
    return xp.stack(columns, axis=-1)


def are_known(lanes: Lanes, args: tuple[Any, ...]) -> bool:
    """Whether the numbers in all arrays with lanes are known."""
    return all(map(is_known, laned_values(lanes, args)))


# --- Bins of several axes ---


@batched.register(np.histogramdd)
def histogramdd_batched(
    lanes: Lanes, sample: object, bins: object, range: object, density: object, weights: object
) -> Any:
    """The counts of boxes, or the sums of weights, and the edges along each axis."""
    args: Any = (sample, bins, range, density, weights)
    if not are_known(lanes[:3], args[:3]):
        return in_a_loop(np.histogramdd, lanes)(*args)
    count = next(laned_values(lanes, args)).shape[0]
    columns, own = columns_of(lanes[0], sample)
    axes = len(columns)
    all_bins = per_axis(lanes[1], bins, axes)
    all_limits = per_axis(lanes[2], range, axes)

    edges = []
    for lane, column, of_bins, of_limits in zip(own, columns, all_bins, all_limits, strict=True):
        lane_of_bins, each = of_bins
        lane_of_limits, limits = of_limits
        if limits is not None:  # then the steps of several axes are not in the dtype of the sample
            column = column.astype(float)
        edges.append(edges_of(lane, column, each, limits, (lane_of_bins, lane_of_limits)))

    vectors = [flat_in_lanes(lane, x, count) for lane, x in zip(own, columns, strict=True)]
    bounds = [each.value if type(each) is Same else each for each in edges]
    heavy = None if weights is None else flat_in_lanes(lanes[4], weights, count)
    counts = counts_in_boxes(vectors, bounds, heavy)
    if density:
        counts = divided_by_volumes(counts, bounds)
    return counts, edges


@batched.register(np.histogram2d)
def histogram2d_batched(
    lanes: Lanes,
    x: object,
    y: object,
    bins: object,
    range: object,
    density: object,
    weights: object,
) -> Any:
    """The counts of rectangles, or the sums of weights, and the edges along both axes."""
    args: Any = (x, y, bins, range, density, weights)
    if not are_known(lanes[:4], args[:4]):
        return in_a_loop(np.histogram2d, lanes)(*args)
    if lanes[2] is True or (np.ndim(args[2]) == 1 and len(args[2]) > 2):  # edges of both
        bins, lanes = (bins, bins), (*lanes[:2], (lanes[2], lanes[2]), *lanes[3:])
    own = (lanes[0], lanes[1]) if lanes[0] or lanes[1] else False
    counts, (first, second) = histogramdd_batched(
        (own, *lanes[2:]), (x, y), bins, range, density, weights
    )
    return counts, first, second


def columns_of(lane: Any, sample: Any) -> tuple[list[Any], list[bool]]:
    """The coordinates along each axis, and which of them have lanes."""
    if not is_container(sample):
        return [sample[..., place] for place in range_of(sample.shape[-1])], [
            bool(lane)
        ] * sample.shape[-1]
    if not lane:
        return [np.asarray(part) for part in sample], [False] * len(sample)
    return parts_in_lanes(lane, sample), [True] * len(sample)


def range_of(length: int) -> list[int]:
    """The numbers below a length: `range` is the name of an argument here."""
    return [int(number) for number in np.arange(length)]


def per_axis(lane: Any, given: Any, axes: int) -> list[tuple[Any, Any]]:
    """List what is given for each axis, or for all of them, and whether it has lanes."""
    if lane is False and np.ndim(given) == 0:
        return [(False, given)] * axes
    if lane is True:
        return [(True, given[:, place]) for place in range_of(axes)]
    parts = list(given)
    if len(parts) != axes:
        raise ValueError("bins and range must have one entry for each axis of the sample")
    return list(zip(lane or (False,) * axes, parts, strict=True))


def counts_in_boxes(columns: list[Any], edges: list[Any], weights: Any) -> Any:
    """The number of points, or the sum of their weights, in each box of each lane."""
    count, lengths = columns[0].shape[0], [each.shape[-1] - 1 for each in edges]
    number, inside = 0, True
    for column, bounds, length in zip(columns, edges, lengths, strict=True):
        place = bins_of(column, bounds)
        inside = inside & (place >= 0) & (place < length)
        number = number * length + np.clip(place, 0, max(length - 1, 0))
    total = int(np.prod(lengths))
    flat = (number + total * np.arange(count)[:, None]).reshape(-1)
    weights = np.ones(columns[0].shape) if weights is None else weights
    xp = library_of_parts([weights])
    heavy = xp.where(inside, weights, 0.0).astype(float).reshape(-1)
    sums = scatter_add(heavy, flat, (count * total,), np.dtype(float))
    return sums.reshape((count, *lengths))


def bins_of(x: Any, edges: Any) -> Any:
    """The number of the bin of each entry; the last bin has its end, too."""
    of_lanes = edges if edges.ndim > 1 else edges[None]
    below = (of_lanes[:, None, :] <= x[:, :, None]).sum(axis=2)
    return below - 1 - (x == of_lanes[:, -1:])


def divided_by_volumes(counts: Any, edges: list[Any]) -> Any:
    """Counts divided by the volumes of their boxes, and by their sum in each lane."""
    total = counts.sum(axis=tuple(range_of(counts.ndim)[1:]))
    for place, bounds in enumerate(edges):
        widths = np.diff(bounds, axis=-1)
        shape = [1] * counts.ndim
        shape[0] = len(widths) if bounds.ndim > 1 else 1
        shape[1 + place] = widths.shape[-1]
        counts = counts / widths.reshape(shape)
    return counts / total.reshape((-1,) + (1,) * (counts.ndim - 1))
