"""Reductions of many examples at once: along axes of each, counted from the end."""

from typing import Any

import numpy as np

from chainrules_py import Array, axes_rule, batched
from chainrules_py.batching.along_axes import (
    Reduces,
    from_the_end,
    run_on_numbers,
)
from chainrules_py.batching.lanes import Lanes, lane_size, with_lanes
from chainrules_py.batching.parts import in_one
from chainrules_py.batching.words import in_a_loop
from chainrules_py.rulesets.reductions.quantiles import position

axes_rule(np.sum, kind="reduces", beside=("where",), adds=True)
axes_rule(
    *(np.mean, np.prod, np.max, np.min, np.all, np.any),
    *(np.nanmax, np.nanmin),
    kind="reduces",
    beside=("where",),
)
axes_rule(np.std, np.var, np.nanstd, np.nanvar, kind="reduces", beside=("where", "mean"))
axes_rule(np.count_nonzero, kind="reduces")
axes_rule(np.argmax, np.argmin, np.nanargmax, np.nanargmin, kind="reduces", flat=True)

axes_rule(np.cumsum, np.cumprod, kind="mixes", flat=True)


def median_in_lanes(primal) -> None:
    """Register the rule of a median."""

    @batched.register(primal, axes=Reduces())
    def median_batched(lanes: Lanes, a: Array, *, axis: Any = None, xp, **options):
        if not a.shape[0]:  # NumPy reshapes with -1
            return in_a_loop(primal, lanes)(a, axis=axis, **options)
        run = getattr(xp, primal.__name__)
        if a.ndim == 1:
            return run_on_numbers(run, a, ("axis",), {"axis": axis, **options})
        return run(a, axis=from_the_end(axis, a.ndim - 1), **options)


for _median in (np.median, np.nanmedian):
    median_in_lanes(_median)


def quantiles_in_lanes(function, lanes: Lanes, a, q, axis, options: dict[str, Any], xp) -> Any:
    """Quantiles over axes of each lane; the axes of `q` come before those that stay."""
    weights: Any = options.get("weights")
    has_own_weights = "weights" in lanes
    has_own_entries_and_levels = bool(lanes[0] and lanes[1])

    if has_own_weights or has_own_entries_and_levels:
        a = a if lanes[0] else with_lanes(a, len(weights))
        if is_empty(a) or (weights is not None and a.ndim == 1):
            return in_a_loop(function, (True, *lanes[1:]))(a, q, axis=axis, **options)
        if weights is not None:
            options["weights"] = weights_of_entries(weights, has_own_weights, a, axis, xp)
        if lanes[1]:
            levels = in_one(lanes[1], q)
            return quantiles_of_each_lane(function.__name__, a, levels, axis, options, xp)
        y = function(a, q, axis=from_the_end(axis, a.ndim - 1), **options)
        return xp.moveaxis(y, np.ndim(q), 0)

    if lanes[1]:
        levels = in_one(lanes[1], q)
        y = function(a, levels.reshape(-1), axis=axis, **options)
        return y.reshape(levels.shape + y.shape[1:])

    rank = a.ndim - 1
    if weights is not None:
        axis = axis if axis is not None or rank == 1 else tuple(range(rank))
        if rank:
            options["weights"] = weights_of_entries(weights, False, a, axis, xp)
    if rank == 0:
        a, axis, rank = a[:, None], None, 1
        options["keepdims"] = False
    y = function(a, q, axis=from_the_end(axis, rank), **options)
    return xp.moveaxis(y, np.ndim(q), 0)


def weights_of_entries(weights, has_lanes: bool, a, axis, xp) -> Any:
    """The weight of each entry of all lanes, given that of each entry of one, or along one axis."""
    weights = xp.asarray(weights)
    if not has_lanes:
        weights = weights[None]
    if weights.ndim == 2 and a.ndim > 2:
        shape = [weights.shape[0], *[1] * (a.ndim - 1)]
        shape[from_the_end(axis, a.ndim - 1)] = weights.shape[1]
        weights = weights.reshape(shape)
    return xp.broadcast_to(weights, a.shape)


def is_empty(x) -> bool:
    """Whether an array has no entries, or only lanes with none."""
    return 0 in x.shape


def quantiles_of_each_lane(name: str, a, q, axis, options: dict[str, Any], xp) -> Any:
    """Quantiles of each lane at levels of its own, between two of its sorted entries; one of them
    where entries have weights.
    """
    rank = a.ndim - 1
    found = np.sort(np.atleast_1d(from_the_end(axis, rank))) if rank else np.zeros(0, int)
    axes = tuple([int(each) for each in found])
    lengths = list(enumerate(a.shape[1:], -rank))
    kept = [length for place, length in lengths if place not in axes]

    def in_rows(x) -> Any:
        moved = xp.moveaxis(x, axes, range(-len(axes), 0))
        return moved.reshape((a.shape[0], *kept, -1))

    levels = q.reshape((q.shape[0], *[1] * len(kept), lane_size(q)))
    if "percentile" in name:
        levels = levels / 100
    weights = options.get("weights")
    method = options.get("method", "linear")
    skips = name.startswith("nan")
    if weights is None:
        y = quantiles_of_rows(in_rows(a), levels, method, skips, xp)
    else:
        y = weighted_quantiles_of_rows(in_rows(a), in_rows(weights), levels, skips, xp)

    two_entries, one_level = np.ones(2, a.dtype), np.ones((), q.dtype)[()]
    y = y.astype(getattr(np, name)(two_entries, one_level, method=method).dtype)
    y = xp.moveaxis(y, -1, 1).reshape((*q.shape, *kept))
    if not options.get("keepdims") or options["keepdims"] is np._NoValue:
        return y
    ones = [1 if place in axes else length for place, length in lengths]
    return y.reshape((*q.shape, *ones))


def quantiles_of_rows(rows, levels, method: str, skips: bool, xp) -> Any:
    """Quantiles between two of the sorted entries of each row, nan left out where it is skipped."""
    rows = xp.sort(rows, axis=-1)
    is_nan = xp.isnan(rows)
    number = xp.sum(~is_nan, axis=-1, keepdims=True) if skips else rows.shape[-1]
    y = between(rows, position(method, number, levels, xp), xp)
    return xp.where(is_unknown(is_nan, skips), np.nan, y)


def weighted_quantiles_of_rows(rows, weights, levels, skips: bool, xp) -> Any:
    """The entries of each row at which the sum of the weights of smaller ones reaches the levels."""
    order = xp.argsort(rows, axis=-1)
    rows, weights = [xp.take_along_axis(x, order, axis=-1) for x in (rows, weights)]
    is_nan = xp.isnan(rows)
    unknown = is_unknown(is_nan, skips)
    is_skipped = is_nan & skips & ~unknown
    y = entries_at(rows, xp.where(is_skipped, 0, weights), levels, xp)
    return xp.where(unknown, np.nan, y)


def is_unknown(is_nan, skips: bool) -> Any:
    """Whether a sorted row has no quantile: all entries are nan, or one where none is skipped."""
    return is_nan.all(axis=-1, keepdims=True) if skips else is_nan[..., -1:]


def entries_at(rows, weights, levels, xp) -> Any:
    """The first entry of each sorted row at which the part of the weights up to it is a level."""
    part = xp.cumsum(weights, axis=-1, dtype=np.float64)
    part = part / part[..., -1:]
    if xp.isnan(part[..., -1]).any():
        raise ValueError("Weights included NaN, inf or were all zero.")
    part = xp.where(part == 0, -1, part).astype(levels.dtype)  # at level 0, too
    below = xp.sum(part[..., None, :] < levels[..., None], axis=-1)
    number = xp.minimum(below, rows.shape[-1] - 1)
    shape = (*rows.shape[:-1], levels.shape[-1])
    return xp.take_along_axis(rows, xp.broadcast_to(number, shape), axis=-1)


def between(rows, place, xp) -> Any:
    """The entries at positions in sorted rows, or what is between two of them."""
    shape = (*rows.shape[:-1], place.low.shape[-1])
    low, high = (
        xp.take_along_axis(rows, xp.broadcast_to(part, shape).astype(int), axis=-1)
        for part in (place.low, place.high)
    )
    return xp.where(place.fraction == 0, low, low + (high - low) * place.fraction)


def quantile_in_lanes(primal) -> None:
    """Register a quantile or percentile of each lane."""

    @batched.register(primal, laned_options=["weights"])
    def quantile_batched(lanes: Lanes, a: Array, q: object, *, axis: Any = None, xp, **options):
        function = getattr(xp, primal.__name__)
        return quantiles_in_lanes(function, lanes, a, q, axis, options, xp)


for _primal in (np.quantile, np.nanquantile, np.percentile, np.nanpercentile):
    quantile_in_lanes(_primal)
