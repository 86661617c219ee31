"""Histograms of many examples at once, whose edges may differ from lane to lane.

Bins that are chosen by a method's name are a loop, since their number depends on the values; and so
are those of several axes.
"""

import operator
from typing import Any

import numpy as np

from chainrules_py import batched
from chainrules_py.batching.along_axes import lane_size
from chainrules_py.batching.lanes import Lanes, Same, laned_values, with_lanes
from chainrules_py.batching.parts import library_of_parts
from chainrules_py.batching.words import in_a_loop
from chainrules_py.rulesets.entries.scatter import scatter_add


@batched.register(np.bincount)
def bincount_batched(lanes: Lanes, x: object, weights: object, *, minlength: int = 0) -> Any:
    """Sums of the weights of each lane; how many there are depends on the numbers."""
    if lanes[0] or weights is None or not np.size(x):  # type: ignore[arg-type]
        return in_a_loop(np.bincount, lanes)(x, weights, minlength=minlength)
    own: Any = weights
    numbers: Any = x
    count = max([minlength, *(np.asarray(numbers) + 1).tolist()])
    return scatter_add(
        own.astype(float), (slice(None), numbers), (own.shape[0], count), np.dtype(float)
    )


def edges_of(lane: Any, a: Any, bins: Any, limits: Any) -> Any:
    """The edges of bins: with lanes, where each lane has its own smallest and greatest entry."""
    if np.ndim(bins) or limits is not None or not lane or not lane_size(a):
        known = a if not lane else np.zeros(0, a.dtype)
        return Same(np.histogram_bin_edges(known, bins=bins, range=limits))
    xp = library_of_parts([a])
    flat = a.reshape((a.shape[0], lane_size(a)))
    first, last = xp.min(flat, axis=1), xp.max(flat, axis=1)
    equal = first == last
    first, last = xp.where(equal, first - 0.5, first), xp.where(equal, last + 0.5, last)
    dtype = np.result_type(first.dtype, last.dtype, a.dtype)
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
    if any(lanes[1:]) or not has_known_number(bins):
        return in_a_loop(np.histogram_bin_edges, lanes)(a, bins, range, weights=weights)
    return edges_of(lanes[0], a, bins, range)


@batched.register(np.histogram)
def histogram_batched(
    lanes: Lanes, a: object, bins: object, range: object, density: object, weights: object
) -> Any:
    """The counts of each bin in all lanes, or the sums of weights."""
    if any(lanes[1:4]) or not has_known_number(bins):
        return in_a_loop(np.histogram, lanes)(a, bins, range, density, weights)
    given: Any = (a, weights)
    own = (lanes[0], lanes[4])
    lane_count = next(laned_values(own, given)).shape[0]
    edges = edges_of(lanes[0], a, bins, range)
    flat = flat_in_lanes(lanes[0], given[0], lane_count)
    heavy = None if weights is None else flat_in_lanes(lanes[4], given[1], lane_count)
    bounds = edges.value if type(edges) is Same else edges
    counts = counts_in_bins(flat, heavy, bounds)
    if not density:
        return counts, edges
    widths = np.diff(bounds, axis=-1).astype(float)
    total = counts.sum(axis=1)
    return counts / widths / total[:, None], edges


def flat_in_lanes(lane: Any, x: Any, count: int) -> Any:
    """Each lane as a vector."""
    own = x if lane else with_lanes(np.asarray(x), count)
    return own.reshape((count, lane_size(own)))


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
