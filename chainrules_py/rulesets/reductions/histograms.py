"""Counting into bins: linear in the weights.

Bin edges move with the data they span, or are the bins that were given.
"""

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from chainrules_py import (
    Array,
    LinearMap,
    Scalar,
    ignore_derivatives,
    linearised_rule,
    not_implemented,
)
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.bins import (
    Density,
    bin_numbers,
    counting,
    edge_maps,
    range_map,
    through_counts,
    through_edges,
)


@linearised_rule(np.bincount)
def bincount_linearised(
    x: Array, weights: Array | None = None, *, minlength: int = 0, xp: Any
) -> Linearised:
    """y[x] += weights; weights_bar = y_bar[x]."""
    if weights is None:
        return xp.bincount(x, minlength=minlength), None, None

    def bincount_pushforward(weights_dot: Any) -> Any:
        return xp.bincount(x, weights=weights_dot, minlength=minlength)

    def bincount_pullback(y_bar: Any) -> Any:
        return y_bar[x]

    y = xp.bincount(x, weights=weights, minlength=minlength)
    return y, None, LinearMap(bincount_pushforward, bincount_pullback)


@linearised_rule(np.histogram_bin_edges)
def histogram_bin_edges_linearised(
    a: Array | Scalar, bins: object = 10, range: object = None, *, weights: Any = None, xp: Any
) -> tuple[Any, ...]:
    """The number of bins is an integer, also where a method's name stands for it."""
    edges = xp.histogram_bin_edges(a, bins=bins, range=range, weights=weights)
    of_a, of_bins = edge_maps(a, bins, range, edges, xp)
    return edges, of_a, of_bins, range_map(range, edges, xp) if of_bins is None else None


@linearised_rule(np.histogram)
def histogram_linearised(
    a: Array | Scalar,
    bins: object = 10,
    range: object = None,
    density: object = None,
    weights: Array | None = None,
    *,
    xp: Any,
) -> tuple[Any, ...]:
    """The counts have a derivative in the weights, and as densities in the edges."""
    y = xp.histogram(a, bins, range=range, density=density, weights=weights)
    edges = y[1]
    of_density = None
    if density:
        of_density = Density(
            y[0], xp.histogram(a, ignore_derivatives(edges), weights=weights)[0], (edges,), xp
        )
    of_a, of_bins = edge_maps(a, bins, range, edges, xp)
    of_weights = None
    if weights is not None:
        number, counted = bin_numbers(xp.reshape(a, -1), edges, xp)
        of_weights = through_counts(
            counting((number,), counted, y[0].shape, weights, xp), of_density, 1
        )
    of_range = range_map(range, edges, xp) if of_bins is None else None
    return (
        y,
        *(through_edges(map_, of_density, 0, 1) for map_ in (of_a, of_bins, of_range)),
        None,
        of_weights,
    )


def counting_cells(
    columns: Sequence[Any], edges: Sequence[Any], shape: tuple[int, ...], weights: Any, xp: Any
) -> LinearMap:
    """The map of weights to counts over several axes; a column has the data of one axis."""
    found = [bin_numbers(data, own, xp) for data, own in zip(columns, edges, strict=True)]
    numbers, counted = zip(*found, strict=True)
    return counting(numbers, reduce(and_, counted), shape, weights, xp)


def per_axis(value: Any, axis: int) -> Any:
    """The bins or the range of one axis.

    NumPy takes two of anything for one per axis, and all else for both axes.
    """
    several = isinstance(value, tuple | list) or getattr(value, "ndim", 0) > 0
    return value[axis] if several and len(value) == 2 else value


@linearised_rule(np.histogram2d)
def histogram2d_linearised(
    x: Array,
    y: Array,
    bins: object = 10,
    range: object = None,
    density: object = None,
    weights: Array | None = None,
    *,
    xp: Any,
) -> tuple[Any, ...]:
    """The derivative of a histogram over two axes, and of its edges, in the data and in the
    weights.
    """
    out = xp.histogram2d(x, y, bins=bins, range=range, density=density, weights=weights)
    edges = (out[1], out[2])
    of_density = None
    if density:
        counts = xp.histogram2d(x, y, bins=list(ignore_derivatives(edges)), weights=weights)[0]
        of_density = Density(out[0], counts, edges, xp)
    maps = []
    for axis, data in enumerate((x, y)):
        span = None if range is None else per_axis(range, axis)
        of_data, _ = edge_maps(data, per_axis(bins, axis), span, edges[axis], xp)
        maps.append(through_edges(of_data, of_density, axis, 2))
    of_weights = None
    if weights is not None:
        of_counts = counting_cells((x, y), edges, out[0].shape, weights, xp)
        of_weights = through_counts(of_counts, of_density, 2)
    constants = (gap("bins", bins), None if range is None else gap("range", range))
    return out, *maps, *constants, None, of_weights


@linearised_rule(np.histogramdd)
def histogramdd_linearised(
    sample: Any,
    bins: object = 10,
    range: object = None,
    density: object = None,
    weights: Array | None = None,
    *,
    xp: Any,
) -> tuple[Any, ...]:
    """The derivative of a histogram over any number of axes, in the weights alone."""
    out = xp.histogramdd(sample, bins=bins, range=range, density=density, weights=weights)
    hist, edges = out
    constants = (
        gap("sample", sample),
        gap("bins", bins),
        None if range is None else gap("range", range),
    )
    if weights is None:
        return out, *constants, None, None
    columns = sample
    if hasattr(sample, "shape"):
        columns = [sample[:, k] for k in np.arange(sample.shape[1])]
    of_counts = counting_cells(columns, edges, hist.shape, weights, xp)
    of_density = None
    if density:
        counts = xp.histogramdd(sample, bins=list(ignore_derivatives(edges)), weights=weights)[0]
        of_density = Density(hist, counts, tuple(edges), xp)
    return out, *constants, None, through_counts(of_counts, of_density, 1)


def gap(name: str, value: Any) -> LinearMap | None:
    """A map that stands for the missing derivative of a histogram of several axes in an argument.

    An integer, a number of bins, has none to miss.
    """
    if isinstance(value, int):
        return None
    missing = not_implemented(f"the derivative of a histogram of several axes in its {name}")
    return LinearMap(lambda dot: missing, lambda y_bar: missing)
