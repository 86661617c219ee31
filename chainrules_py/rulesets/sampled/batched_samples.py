"""Sampled functions of many examples at once: differences, integrals, interpolation, spacing."""

from typing import Any

import numpy as np

from chainrules_py import Array, axes_rule, batched
from chainrules_py.batching.along_axes import Mixes, from_the_end
from chainrules_py.batching.lanes import Lanes, behind_lanes, flat_lanes, laned_values
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import as_laned
from chainrules_py.batching.words import in_a_loop

axes_rule(np.unwrap, kind="mixes", default=-1)


def is_given(end) -> bool:
    """Whether something is put before or behind the samples."""
    return end is not None and end is not np._NoValue


@batched.register(np.diff, axes=Mixes(default=-1))
def diff_batched(lanes: Lanes, a: Array, *others: object, xp):
    """Differences along an axis of each lane; a number at an end stands for a whole slice."""
    args: Any = (a, *others, *(1, -1, None, None)[len(others) :])
    lanes = (*lanes, *[False] * (len(args) - len(lanes)))
    n, axis = args[1:3]
    count = next(laned_values(lanes, args)).shape[0]
    own: Any = as_laned(lanes[0], a, count)
    if own.ndim == 1:
        return looped(np.diff, lanes, args, {})  # which refuses numbers
    if n == 0:
        return own
    along = from_the_end(axis, own.ndim - 1)
    ends = [
        as_slices(end, bool(lane), own, along, xp) if is_given(end) else None
        for end, lane in zip(args[3:], lanes[3:], strict=True)
    ]
    parts = [ends[0], own, ends[1]]
    joined = [part for part in parts if part is not None]
    whole = xp.concatenate(joined, axis=along) if len(joined) > 1 else own
    return xp.diff(whole, n=n, axis=along)


def as_slices(end, lane: bool, a, axis: int, xp) -> Any:
    """Lay out what is put at an end of an axis, with lanes; numbers fill the other axes."""
    end = as_laned(lane, xp.asarray(end), a.shape[0])
    if end.ndim > 1:
        return end
    shape = list(a.shape)
    shape[axis] = 1
    return xp.broadcast_to(behind_lanes(end, a.ndim - 1), tuple(shape))


# --- Search ---


def counts_below(grid, places, including: bool, xp) -> Any:
    """For each place the number of points of its lane's sorted grid that are below it.

    Those that are equal count if `including` says so. Not a number is above all numbers.
    """
    one, other = grid[:, None, :], places[:, :, None]
    below = one <= other if including else one < other
    if np.dtype(places.dtype).kind in "fc" and np.dtype(grid.dtype).kind in "fc":
        is_nan = xp.isnan(other)
        below = below | (is_nan & (including | ~xp.isnan(one)))
    return xp.sum(below, axis=-1)


@batched.register(np.searchsorted)
def searchsorted_batched(
    lanes: Lanes, a: object, v: object, *, side: str = "left", sorter: Any = None, xp
) -> Any:
    """Many places in one array are one call; arrays in lanes are compared with their places."""
    if not lanes[0]:
        return xp.searchsorted(a, v, side=side, sorter=sorter)
    if sorter is not None or any(type(lane) is tuple for lane in lanes):
        return in_a_loop(np.searchsorted, lanes)(a, v, side=side, sorter=sorter)
    grid: Any = a
    count = grid.shape[0]
    places: Any = as_laned(lanes[1], xp.asarray(v), count)
    flat = flat_lanes(places)
    return counts_below(grid, flat, side == "right", xp).reshape(places.shape)


@batched.register(np.digitize)
def digitize_batched(lanes: Lanes, x: object, bins: object, *, right: bool = False, xp):
    """The bins of all places; bins in lanes rise, or fall and are turned round."""
    if not lanes[1]:
        return xp.digitize(x, bins, right=right)
    edges: Any = bins
    if type(edges) is not np.ndarray or not edges.shape[0]:
        return in_a_loop(np.digitize, lanes)(x, bins, right=right)
    steps = np.diff(edges, axis=-1)
    rises: Any = (steps >= 0).all(axis=-1)
    falls: Any = (steps <= 0).all(axis=-1)
    if not (rises | falls).all():
        raise ValueError("bins must be monotonically increasing or decreasing")
    rising = np.where(rises[:, None], edges, edges[:, ::-1])
    side = "left" if right else "right"
    found = searchsorted_batched((True, lanes[0]), rising, x, side=side, xp=xp)
    if rises.all():
        return found
    own = rises.reshape((-1,) + (1,) * (found.ndim - 1))
    return xp.where(own, found, edges.shape[1] - found)
