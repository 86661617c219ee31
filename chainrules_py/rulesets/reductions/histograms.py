"""Counting into bins: linear in the weights.

Bin edges move with the data they span, or are the bins that were given.
"""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_py import (
    Array,
    BatchingError,
    LinearMap,
    NotDifferentiableError,
    Same,
    batched,
    composed,
    ignore_derivatives,
    linearised_rule,
    primitive,
)
from chainrules_py.batching.lanes import Lanes, laned_values, one_lane
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, array_of_list, placing
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.values.arrays import call, shape_of
from chainrules_py.values.structure import is_container


@linearised_rule(np.bincount)
def bincount_linearised(
    x: Array, weights: Array | None = None, *, minlength: int = 0, xp
) -> Linearised:
    """y[x] += weights; weights_bar = y_bar[x]."""
    if weights is None:
        return xp.bincount(x, minlength=minlength), None, None

    def bincount_pushforward(weights_dot):
        return xp.bincount(x, weights=weights_dot, minlength=minlength)

    def bincount_pullback(y_bar):
        return y_bar[x]

    y = xp.bincount(x, weights=weights, minlength=minlength)
    return y, None, LinearMap(bincount_pushforward, bincount_pullback)


@primitive
def bin_count(a, method: str, span, weights) -> int:
    """The number of bins by a method, which depends on the data."""
    return len(call(np.histogram_bin_edges, a, method, span, weights)) - 1


@batched.register(bin_count)
def bin_count_batched(lanes: Lanes, *args: object) -> Same:
    """The number of bins, which has to be the same in all lanes."""
    count = next(laned_values(lanes, args)).shape[0]
    found = {bin_count(*one_lane(lanes, args, number)) for number in range(count)}
    if len(found) > 1:
        got = f"the lanes have {' and '.join(map(str, sorted(found)))} bins"
        raise BatchingError("numpy.histogram", got, "pass the number of bins")
    return Same(found.pop() if found else 1)


def edges_of(a, bins, span, weights, xp) -> Any:
    """The edges of bins: those that were given, or equal steps from the smallest to the largest
    entry, or between the ends of a range.
    """
    beside = placing((a,), xp)
    if is_container(bins):
        bins = array_of_list(bins, beside)
    if len(shape_of(bins)) == 1:
        if any_at_hand(bins[1:] < bins[:-1]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return bins
    if isinstance(bins, str):  # how many there are depends on the data
        bins = bin_count(*ignore_derivatives((a, bins, span, weights)))
    count = operator.index(bins)
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if span is None and xp.iscomplexobj(a):
        got = "complex data, of whose edges NumPy drops the imaginary part"
        raise NotDifferentiableError(
            "a histogram", got, "pass real data, or the edges", argument="a"
        )

    if span is not None:
        first, last = (beside(end) * 1.0 for end in span)
        if any_at_hand(first > last):
            raise ValueError("max must be larger than min in range parameter.")
    elif a.size:
        first, last = xp.min(a), xp.max(a)
    else:
        first, last = beside(0.0), beside(1.0)
    equal = first == last
    first, last = xp.where(equal, first - 0.5, first), xp.where(equal, last + 0.5, last)
    if any_at_hand(xp.logical_not(xp.isfinite(last - first))):
        raise ValueError("the range of the data, or the given one, is not finite")
    ends = [] if span is None else ignore_derivatives(list(span))
    dtype = np.result_type(a.dtype, *ends)
    dtype = dtype if dtype.kind in "fc" else np.result_type(dtype, float)
    edges = xp.linspace(first, last, count + 1, dtype=dtype)
    if any_at_hand(edges[1:] <= edges[:-1]):
        raise ValueError(
            f"the range of the data has no {count} bins: its ends are too close or far"
        )
    return edges


def bins_of(a, edges, xp) -> tuple[Any, Any]:
    """The bin of each entry, the last bin being closed, and whether it has one."""
    last = edges.shape[0] - 2
    number = xp.searchsorted(edges, a, side="right") - 1
    number = xp.where(a == edges[-1], last, number)
    return xp.clip(number, 0, last), xp.logical_and(number >= 0, number <= last)


def counts_of(columns: Sequence[Any], edges: Sequence[Any], weights, xp) -> Any:
    """The number of points in each box, or the sum of their weights; a column has the data of one
    axis.
    """
    shape = tuple([own.shape[0] - 1 for own in edges])
    flat: Any = 0
    inside: Any = np.bool(True)
    for column, own, length in zip(columns, edges, shape, strict=True):
        number, has_bin = bins_of(xp.reshape(column, -1), own, xp)
        flat, inside = flat * length + number, xp.logical_and(inside, has_bin)
    values = (
        xp.where(inside, 1, 0) if weights is None else xp.where(inside, xp.reshape(weights, -1), 0)
    )
    sums = scatter_add(values, index=flat, shape=(int(np.prod(shape)),), dtype=values.dtype)
    return xp.reshape(sums, shape)


@composed(np.histogram_bin_edges)
def histogram_bin_edges(
    a: ArrayLike,
    bins: object = 10,
    range: object = None,
    *,
    weights: Any = None,
    xp,
):
    """The number of bins is an integer, also where a method's name stands for it."""
    return edges_of(a, bins, range, weights, xp)


@composed(np.histogram)
def histogram(
    a: ArrayLike,
    bins: object = 10,
    range: object = None,
    density: object = None,
    weights: ArrayLike | None = None,
    *,
    xp,
) -> tuple[Any, Any]:
    """The counts have a derivative in the weights, and as densities in the edges."""
    edges = edges_of(a, bins, range, weights, xp)
    counts = counts_of((a,), (edges,), weights, xp)
    if not density:
        return counts, edges
    return counts / xp.diff(edges).astype(float) / xp.sum(counts), edges


def per_axis(given, axes: int) -> list[Any]:
    """List what is given for each axis, or for all of them."""
    if not is_container(given) and not len(shape_of(given)):
        return [given] * axes
    if len(given) != axes:
        raise ValueError("bins and range must have one entry for each axis of the sample")
    return [given[axis] for axis in np.arange(axes)]


def boxes(columns: Sequence[Any], bins, span, density, weights, xp) -> tuple[Any, list[Any]]:
    """The counts in boxes, or their densities, and the edges along each axis."""
    edges = []
    all_bins, all_spans = per_axis(bins, len(columns)), per_axis(span, len(columns))
    for column, own, ends in zip(columns, all_bins, all_spans, strict=True):
        # the edges of several axes are not in the dtype of the sample where there is a range
        edges.append(
            edges_of(column if ends is None else column.astype(float), own, ends, None, xp)
        )
    counts = counts_of(columns, edges, weights, xp).astype(float)
    if density:
        total = xp.sum(counts)
        for axis, own in enumerate(edges):
            shape = [-1 if k == axis else 1 for k in np.arange(len(edges))]
            counts = counts / xp.reshape(xp.diff(own), shape)
        counts = counts / total
    return counts, edges


@composed(np.histogram2d)
def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: object = None,
    density: object = None,
    weights: ArrayLike | None = None,
    *,
    xp,
) -> tuple[Any, Any, Any]:
    """NumPy takes two of anything for one per axis, and all other edges for both axes."""
    if (is_container(bins) or len(shape_of(bins))) and len(bins) != 2:
        bins = [bins, bins]
    dtype = np.result_type(x.dtype, y.dtype)
    columns = (x.astype(dtype), y.astype(dtype))
    counts, edges = boxes(columns, bins, range, density, weights, xp)
    return counts, edges[0], edges[1]


@composed(np.histogramdd)
def histogramdd(
    sample: object,
    bins: object = 10,
    range: object = None,
    density: object = None,
    weights: ArrayLike | None = None,
    *,
    xp,
) -> tuple[Any, list[Any]]:
    """A sample is a list of columns, or an array with a column for each axis."""
    rows: Any = sample
    if is_container(sample):
        rows = array_of_list(sample, placing((sample,), xp)).T
    rows = rows if rows.ndim == 2 else xp.atleast_2d(rows).T
    columns = [rows[:, k] for k in np.arange(rows.shape[1])]
    return boxes(columns, bins, range, density, weights, xp)
