"""Sampled functions of many examples at once: differences, integrals, interpolation, spacing."""

from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, axes_rule, batched
from chainrules_py.batching.along_axes import Mixes, from_the_end
from chainrules_py.batching.lanes import Lanes, behind_lanes, flat_lanes, laned_values, with_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import as_laned
from chainrules_py.batching.words import aligned, in_a_loop
from chainrules_py.rulesets.formulas.reducing import given
from chainrules_py.values.arrays import shape_of

axes_rule(np.unwrap, kind="mixes", default=-1)


def is_given(end) -> bool:
    """Whether something is put before or behind the samples."""
    return end is not None and end is not np._NoValue


@batched.register(np.diff, axes=Mixes(default=-1))
def diff_batched(lanes: Lanes, a: Array, *others: object, xp) -> Any:
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


# --- Interpolation and search ---


@batched.register(np.interp)
def interp_batched(
    lanes: Lanes,
    x: Array | Scalar,
    points: object,
    fp: object,
    *,
    left: Any = None,
    right: Any = None,
    period: Any = None,
    xp,
) -> Any:
    """Many places in one table are one call; tables in lanes are searched side by side."""
    if not lanes[1] and not lanes[2]:
        return xp.interp(x, points, fp, **given(left=left, right=right, period=period))
    args: Any = (x, points, fp)
    count = next(laned_values(lanes, args)).shape[0]
    is_complex = getattr(getattr(fp, "dtype", None), "kind", "") == "c"
    dtypes = (float, float, complex if is_complex else float)
    places, grid, values = [
        arg.astype(dtype) if lane else with_lanes(xp.asarray(arg, dtype=dtype), count)
        for lane, arg, dtype in zip(lanes, args, dtypes, strict=True)
    ]
    shape = places.shape
    places = flat_lanes(places)
    if period is not None:
        left = right = None
        places, grid, values = in_one_period(places, grid, values, abs(period), xp)

    inside = between_points(places, grid, values, xp)
    first, last = values[:, :1], values[:, -1:]
    start, end = grid[:, :1], grid[:, -1:]
    beyond = (places > end) | ((places == end) & xp.isnan(inside))
    y = xp.where(beyond, last, inside)
    y = xp.where(places < start, first if left is None else left, y)
    y = xp.where(places > end, last if right is None else right, y)
    return xp.where(xp.isnan(places), places, y).reshape(shape)


def between_points(places, grid, values, xp) -> Any:
    """The values on the lines between the points of each lane's table."""
    size = grid.shape[1]
    above = counts_below(grid, places, True, xp)
    low = xp.clip(above - 1, 0, max(size - 2, 0))
    high = xp.clip(low + 1, 0, size - 1)
    x0, x1 = (xp.take_along_axis(grid, part, axis=1) for part in (low, high))
    f0, f1 = (xp.take_along_axis(values, part, axis=1) for part in (low, high))
    step = xp.where(x1 == x0, 1.0, x1 - x0)
    slope = (f1 - f0) / step
    # From the point to the right where a place is on it, the last one: exact there, with a slope.
    on_it = places == x1
    y = slope * (places - xp.where(on_it, x1, x0)) + xp.where(on_it, f1, f0)
    return beside_infinities(y, places, slope, ((x0, f0), (x1, f1)), xp)


def beside_infinities(y, places, slope, ends, xp) -> Any:
    """The values between two points where the formula gives nan: from the point to the right, or
    that of the point to the left, as NumPy has it.
    """
    (x0, f0), (x1, f1) = ends
    y = xp.where(xp.isnan(y), slope * (places - x1) + f1, y)
    return xp.where(xp.isnan(y) & ((places == x0) | (f0 == f1)), f0, y)


def in_one_period(places, grid, values, period, xp) -> tuple[Any, ...]:
    """Places and a table brought into one period, in order, with a neighbour at each end."""
    grid = grid % period
    order = xp.argsort(grid, axis=1)
    grid, values = (xp.take_along_axis(part, order, axis=1) for part in (grid, values))
    grid = xp.concatenate([grid[:, -1:] - period, grid, grid[:, :1] + period], axis=1)
    values = xp.concatenate([values[:, -1:], values, values[:, :1]], axis=1)
    return places % period, grid, values


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
def digitize_batched(lanes: Lanes, x: object, bins: object, *, right: bool = False, xp) -> Any:
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


# --- Spacing ---


def spacing_in_lanes(primal) -> None:
    """Register the rule of a function that puts samples between two ends."""

    @batched.register(primal)
    def spacing_batched(
        lanes: Lanes,
        start: Array | Scalar,
        stop: Array | Scalar,
        *,
        axis: int = 0,
        xp,
        **options,
    ) -> Any:
        if np.ndim(options.get("base", 0)):
            return powers_of_bases(lanes, start, stop, axis, options, xp)
        ranked = [place for place, end in enumerate((start, stop)) if hasattr(end, "ndim")]
        ends = aligned(lanes, (start, stop), ranked)
        rank = max(len(shape_of(end)) for end in ends) - 1
        run = getattr(xp, primal.__name__)
        return run(*ends, axis=from_the_end(axis, rank + 1), **options)


def powers_of_bases(lanes: Lanes, start, stop, axis: int, options: dict[str, Any], xp) -> Any:
    """Powers of several bases, which broadcast against the ends."""
    base, dtype = options.pop("base"), options.pop("dtype", None)
    ends = aligned((*lanes[:2], False), (start, stop, base), [0, 1, 2])
    rank = max(
        np.ndim(end) - (lane is True) for end, lane in zip(ends, (*lanes, False), strict=False)
    )
    along = from_the_end(axis, rank + 1)
    exponents = xp.linspace(*ends[:2], axis=along, **options)
    bases = xp.expand_dims(xp.reshape(base, (1,) * (rank - np.ndim(base)) + np.shape(base)), along)
    y = xp.power(bases, exponents)
    return y if dtype is None else y.astype(dtype)


for _primal in (np.linspace, np.logspace, np.geomspace):
    spacing_in_lanes(_primal)
