"""Filters that choose an entry of each window by its rank: its tangent is theirs; entries that tie
share equally.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import ndimage

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.scipy.ndimage.boundaries import PADDING, filtered_axes, per_axis
from chainrules_py.values.arrays import Array


def windows(
    shape: Sequence[int], size: Any, footprint: Any, mode: Any, origin: Any, axes: Any
) -> Any:
    """The flat positions of the entries in the window of each entry; those outside of the image are
    the one behind the last.
    """
    ndim, along = len(shape), filtered_axes(len(shape), axes)
    sizes = per_axis(size if footprint is None else np.shape(footprint), ndim, along, 1)
    seen = (
        np.ones(sizes, bool)
        if footprint is None
        else np.reshape(np.asarray(footprint, bool), sizes)
    )
    wide = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    modes, origins = per_axis(mode, ndim, along, "nearest"), per_axis(origin, ndim, along, 0)
    for axis, (size, each, at) in enumerate(zip(sizes, modes, origins, strict=True)):
        before = 0 if size == 1 else size // 2 + at
        widths = [(before, size - 1 - before) if k == axis else (0, 0) for k in range(ndim)]
        filled = (
            {"constant_values": np.prod(shape, dtype=int)} if PADDING[each] == "constant" else {}
        )
        wide = np.pad(wide, widths, PADDING[each], **filled)  # type: ignore[call-overload]
    return np.lib.stride_tricks.sliding_window_view(wide, sizes)[..., seen]


def choice(x: Any, y: Any, index: Any, rank: int, cval: float, xp: Any) -> LinearMap:
    """The map of an image to the entries of windows that have a rank."""
    shape, size = x.shape, x.size
    values = with_one_more(x, cval, xp)[index]
    shares = shares_of(
        index, values == y[..., None], rank - xp.sum(values < y[..., None], axis=-1), xp
    )

    def choice_pullback(y_bar: Any) -> Any:
        return xp.reshape(
            scatter_add(shares * y_bar[..., None], index, (size + 1,), y_bar.dtype)[:-1], shape
        )

    return LinearMap(
        lambda dot: xp.sum(shares * with_one_more(dot, 0.0, xp)[index], axis=-1), choice_pullback
    )


def shares_of(index: Any, equal: Any, place: Any, xp: Any) -> Any:
    """How much each entry of a window is the one at a place among those that are equal.

    Which comes first among equal ones depends on how they move: the average of what is chosen when
    each of them in turn comes first. An image that is continued has copies of an entry in the same
    window, and copies move together.
    """
    equal = np.asarray(equal)
    # the equal ones first
    order = np.argsort(np.where(equal, index, index.max(initial=0) + 1), axis=-1, kind="stable")
    count = equal.sum(-1, keepdims=True)
    source, slots = np.take_along_axis(index, order, -1), np.arange(index.shape[-1])
    starts = (slots < count) & ((slots == 0) | (np.roll(source, 1, -1) != source))
    chosen = (slots + np.asarray(place)[..., None]) % np.maximum(count, 1)
    shares = np.zeros(index.shape)
    for slot in slots:
        np.put_along_axis(
            shares,
            chosen[..., slot, None],
            np.take_along_axis(shares, chosen[..., slot, None], -1) + starts[..., slot, None],
            -1,
        )
    result = np.empty_like(shares)
    np.put_along_axis(result, order, shares / np.maximum(starts.sum(-1, keepdims=True), 1), -1)
    return result


def with_one_more(x: Any, value: float, xp: Any) -> Any:
    """The entries in a row, and what stands outside of the image behind the last."""
    return xp.concatenate([xp.reshape(x, -1), xp.full(1, value, x.dtype)])


@linearised_rule(ndimage.maximum_filter)
def maximum_filter_linearised(
    input: Array,
    *,
    size: Any = None,
    footprint: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    axes: Any = None,
    out: Any,
    xp: Any,
) -> LinearMap:
    index = windows(input.shape, size, footprint, mode, origin, axes)
    return choice(input, out, index, index.shape[-1] - 1, cval, xp)


@linearised_rule(ndimage.minimum_filter)
def minimum_filter_linearised(
    input: Array,
    *,
    size: Any = None,
    footprint: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    axes: Any = None,
    out: Any,
    xp: Any,
) -> LinearMap:
    index = windows(input.shape, size, footprint, mode, origin, axes)
    return choice(input, out, index, 0, cval, xp)


@linearised_rule(ndimage.median_filter)
def median_filter_linearised(
    input: Array,
    *,
    size: Any = None,
    footprint: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    axes: Any = None,
    out: Any,
    xp: Any,
) -> LinearMap:
    index = windows(input.shape, size, footprint, mode, origin, axes)
    return choice(input, out, index, index.shape[-1] // 2, cval, xp)


@linearised_rule(ndimage.rank_filter)
def rank_filter_linearised(
    input: Array,
    *,
    rank: int,
    size: Any = None,
    footprint: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    axes: Any = None,
    out: Any,
    xp: Any,
) -> LinearMap:
    index = windows(input.shape, size, footprint, mode, origin, axes)
    return choice(input, out, index, rank % index.shape[-1], cval, xp)


@linearised_rule(ndimage.percentile_filter)
def percentile_filter_linearised(
    input: Array,
    *,
    percentile: float,
    size: Any = None,
    footprint: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    axes: Any = None,
    out: Any,
    xp: Any,
) -> LinearMap:
    index = windows(input.shape, size, footprint, mode, origin, axes)
    return choice(input, out, index, rank_of(percentile, index.shape[-1]), cval, xp)


def rank_of(percentile: float, count: int) -> int:
    """The rank that a percentile stands for; negative ones count from the largest."""
    percentile = percentile + 100 if percentile < 0 else percentile
    return count - 1 if percentile == 100 else int(float(count) * percentile / 100.0)


@linearised_rule(ndimage.maximum_filter1d)
def maximum_filter1d_linearised(
    input: Array,
    *,
    size: int,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
    out: Any,
    xp: Any,
) -> LinearMap:
    return choice(
        input, out, windows(input.shape, size, None, mode, origin, axis), size - 1, cval, xp
    )


@linearised_rule(ndimage.minimum_filter1d)
def minimum_filter1d_linearised(
    input: Array,
    *,
    size: int,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
    out: Any,
    xp: Any,
) -> LinearMap:
    return choice(input, out, windows(input.shape, size, None, mode, origin, axis), 0, cval, xp)
