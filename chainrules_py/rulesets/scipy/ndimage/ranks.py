"""Filters of windows: the entry of a given rank, or the result of any function.

Entries that tie share equally.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import ndimage

from chainrules_py import batched, composed
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped
from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.array_likes import Function
from chainrules_py.rulesets.scipy.ndimage.boundaries import (
    PADDING,
    ascending,
    filtered_axes,
    per_axis,
    widths_seen,
)
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array


def windows(shape: Sequence[int], size, footprint, mode, origin, axes) -> Any:
    """The flat positions of the entries in the window of each entry.

    Those outside of the image are the position behind the last.
    """
    ndim, outside = len(shape), np.prod(shape, dtype=int)
    along = filtered_axes(ndim, axes)
    sizes = per_axis(size if footprint is None else np.shape(footprint), ndim, along, 1)
    seen = np.ones(sizes, bool)
    if footprint is not None:
        seen = np.reshape(np.asarray(footprint, bool), sizes)

    wide = np.arange(outside).reshape(shape)
    modes = per_axis(mode, ndim, along, "nearest")
    reach = widths_seen(sizes, per_axis(origin, ndim, along, 0))
    for axis, (each, own) in enumerate(zip(modes, reach, strict=True)):
        widths = [own if k == axis else (0, 0) for k in range(ndim)]
        filled = {"constant_values": outside} if PADDING[each] == "constant" else {}
        wide = np.pad(wide, widths, PADDING[each], **filled)  # type: ignore[call-overload]
    return np.lib.stride_tricks.sliding_window_view(wide, sizes)[..., seen]


@with_options(
    ndimage.generic_filter,
    "size footprint mode cval origin extra_arguments extra_keywords axes",
    partial(composed, one_by_one=True),
)
def generic_filter(input: Array, function: Function, *, options: Options, xp):
    """Call a function with the entries of each window."""
    each = options.size, options.footprint, options.mode, options.origin
    axes = ascending(ndimage.generic_filter, input.ndim, options.get("axes"), *each)
    index = windows(input.shape, *each, axes)
    entries = with_one_more(input, options.cval, xp)
    more, named = options.extra_arguments, options.extra_keywords or {}
    results = [function(entries[own], *more, **named) for own in index.reshape(-1, index.shape[-1])]
    return xp.reshape(xp.stack(results), input.shape)


def choice(x, y, index, rank: int, cval: float, xp) -> LinearMap:
    """The map of an image to the entries of windows that have a rank."""
    shape, size = x.shape, x.size
    values = with_one_more(x, cval, xp)[index]
    chosen = y[..., None]
    place = rank - xp.sum(values < chosen, axis=-1)
    shares = shares_of(index, values == chosen, place)

    def choice_pushforward(dot):
        return xp.sum(shares * with_one_more(dot, 0.0, xp)[index], axis=-1)

    def choice_pullback(y_bar):
        bars = scatter_add(shares * y_bar[..., None], index, (size + 1,), y_bar.dtype)
        return xp.reshape(bars[:-1], shape)

    return LinearMap(choice_pushforward, choice_pullback)


@primitive
def shares_of(index, equal, place) -> Any:
    """The share of each entry in the result: equal entries share equally.

    Which comes first among equal ones depends on how they move: the average of what is chosen when
    each of them in turn comes first. An image that is continued has copies of an entry in the same
    window, and copies move together.
    """
    equal = np.asarray(equal)
    equal_first = np.where(equal, index, index.max(initial=0) + 1)
    order = np.argsort(equal_first, axis=-1, kind="stable")
    count = equal.sum(-1, keepdims=True)
    source, slots = np.take_along_axis(index, order, -1), np.arange(index.shape[-1])
    starts = (slots < count) & ((slots == 0) | (np.roll(source, 1, -1) != source))
    chosen = (slots + np.asarray(place)[..., None]) % np.maximum(count, 1)

    shares = np.zeros(index.shape)
    for slot in slots:
        at = chosen[..., slot, None]
        so_far = np.take_along_axis(shares, at, -1)
        np.put_along_axis(shares, at, so_far + starts[..., slot, None], -1)
    result = np.empty_like(shares)
    np.put_along_axis(result, order, shares / np.maximum(starts.sum(-1, keepdims=True), 1), -1)
    return result


@batched.register(shares_of)
def shares_batched(lanes: Lanes, index: Array, equal: Array, place: Array):
    """All examples have the same windows, so each gets their positions."""
    if lanes != (False, True, True):
        return looped(shares_of, lanes, (index, equal, place), {})
    own: Any = index
    return shares_of(np.broadcast_to(own, equal.shape), equal, place)


def with_one_more(x, value: float, xp) -> Any:
    """The entries in a row, and behind them the value outside of the image."""
    return xp.concatenate([xp.reshape(x, -1), xp.full(1, value, x.dtype)])


# How each filter ranks the entry that it chooses, by its options and the number of entries.
Rank = Callable[[Options, int], int]


def declare_rank_filter(rank_filter, names: str, rank: Rank) -> None:
    """Register the rule of a filter with these options."""

    @with_options(rank_filter, f"{names} mode cval origin", linearised_rule)
    def rank_filter_linearised(input: Array, *, options: Options, out, xp) -> LinearMap:
        given = options.get("axis", options.get("axes"))
        footprint, mode, origin = options.get("footprint"), options.mode, options.origin
        each = options.size, footprint, mode, origin
        axes = ascending(rank_filter, input.ndim, given, *each)
        index = windows(input.shape, *each, axes)
        return choice(input, out, index, rank(options, index.shape[-1]), options.cval, xp)


def rank_of_percentile(percentile: float, count: int) -> int:
    """The rank that a percentile stands for; negative ones count from the largest."""
    percentile = percentile + 100 if percentile < 0 else percentile
    return count - 1 if percentile == 100 else int(float(count) * percentile / 100.0)


declare_rank_filter(ndimage.minimum_filter, "size footprint axes", lambda options, count: 0)
declare_rank_filter(ndimage.median_filter, "size footprint axes", lambda options, count: count // 2)
declare_rank_filter(ndimage.maximum_filter, "size footprint axes", lambda options, count: count - 1)
declare_rank_filter(ndimage.minimum_filter1d, "size axis", lambda options, count: 0)
declare_rank_filter(ndimage.maximum_filter1d, "size axis", lambda options, count: count - 1)
declare_rank_filter(
    ndimage.rank_filter,
    "rank size footprint axes",
    lambda options, count: options.rank % count,
)
declare_rank_filter(
    ndimage.percentile_filter,
    "percentile size footprint axes",
    lambda options, count: rank_of_percentile(options.percentile, count),
)
