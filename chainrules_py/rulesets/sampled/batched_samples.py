"""Sampled functions of many examples at once: differences, integrals, interpolation, spacing."""

from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, axes_rule, batched
from chainrules_py.batching.along_axes import Mixes, from_the_end
from chainrules_py.batching.lanes import Lanes, behind_lanes, flat_lanes, laned_values, with_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import as_laned, flat_in_lanes
from chainrules_py.batching.words import aligned, in_a_loop
from chainrules_py.rulesets.formulas.reducing import given
from chainrules_py.rulesets.sampled.sampled_gradient import stencil_of_steps
from chainrules_py.rulesets.shapes.batched_layouts import in_order_of
from chainrules_py.values.arrays import shape_of

axes_rule(np.unwrap, kind="mixes", default=-1)


def is_given(end: Any) -> bool:
    """Whether something is put before or behind the samples."""
    return end is not None and end is not np._NoValue


@batched.register(np.diff, axes=Mixes(default=-1))
def diff_batched(lanes: Lanes, a: Array, *others: object, xp: Any) -> Any:
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


def as_slices(end: Any, lane: bool, a: Any, axis: int, xp: Any) -> Any:
    """Lay out what is put at an end of an axis, with lanes; numbers fill the other axes."""
    end = as_laned(lane, xp.asarray(end), a.shape[0])
    if end.ndim > 1:
        return end
    shape = list(a.shape)
    shape[axis] = 1
    return xp.broadcast_to(behind_lanes(end, a.ndim - 1), tuple(shape))


@batched.register(np.ediff1d)
def ediff1d_batched(lanes: Lanes, ary: object, to_end: object, to_begin: object, *, xp: Any) -> Any:
    """Differences of the flat lanes, between what is put at their ends."""
    args: Any = (to_begin, ary, to_end)
    own = (lanes[2], lanes[0], lanes[1])
    count = next(laned_values(own, args)).shape[0]
    flat: list[Any] = [
        flat_in_lanes(lane, xp.asarray(part), count) if part is not None else None
        for lane, part in zip(own, args, strict=True)
    ]
    middle = xp.diff(flat[1], axis=-1)
    parts = [part for part in (flat[0], middle, flat[2]) if part is not None]
    if len(parts) == 1:
        return middle
    return xp.concatenate([part.astype(flat[1].dtype) for part in parts], axis=-1)


@batched.register(np.trapezoid)
def trapezoid_batched(
    lanes: Lanes, y: Array, x: object, dx: object, *, axis: int = -1, xp: Any
) -> Any:
    """The sum of the steps times the means of neighbours, with the axis of the samples last.

    Points or steps in arrays of another rank than the samples' broadcast against these first, so
    that the axis is one of theirs: such examples are computed one by one.
    """
    args: Any = (y, x, dx)
    count = next(laned_values(lanes, args)).shape[0]
    rank = args[0].ndim - bool(lanes[0])
    points_rank = len(shape_of(x)) - bool(lanes[1])
    steps_rank = len(shape_of(dx)) - bool(lanes[2])
    if steps_rank > 0 or (points_rank > 1 and points_rank != rank):
        return looped(np.trapezoid, lanes, args, {"axis": axis})

    along = from_the_end(axis, rank)
    values = xp.moveaxis(y, along, -1)
    values_lane = lanes[0]
    if x is None:
        steps, steps_lane = args[2], lanes[2]
    else:
        points = args[1] if hasattr(args[1], "ndim") else xp.asarray(args[1])
        if points.ndim - bool(lanes[1]) > 1:
            points = xp.moveaxis(points, along, -1)
        steps, steps_lane = xp.diff(points, axis=-1), lanes[1]
    if len(shape_of(steps)) - bool(steps_lane) == 0 and rank > 0:
        steps = steps[..., None] if steps_lane else steps
    means = (values[..., 1:] + values[..., :-1]) / 2.0
    pair = aligned((values_lane, steps_lane), (means, steps), [0, 1])
    y = xp.sum(pair[0] * pair[1], axis=-1)
    return y if values_lane or steps_lane else with_lanes(y, count)


@batched.register(np.gradient)
def gradient_batched(
    lanes: Lanes, f: Array, *varargs: object, axis: Any = None, edge_order: int = 1, xp: Any
) -> Any:
    """Differences along axes of each lane.

    Steps in lanes divide the differences of unit steps.
    """
    steps: list[Any] = list(varargs)
    own = lanes[1:]
    if any(lane and step.ndim > 1 for lane, step in zip(own, steps, strict=True)):
        return gradient_at_positions(lanes, f, steps, axis, edge_order, xp)
    values: Any = f
    if not lanes[0]:
        values = with_lanes(f, next(laned_values(own, tuple(steps))).shape[0])
    rank = values.ndim - 1
    axes = from_the_end(axis, rank)
    if axis is None and rank == 1:
        axes = -1
    plain = [1.0 if lane else step for lane, step in zip(own, steps, strict=True)]
    y = xp.gradient(values, *plain, axis=axes, edge_order=edge_order)
    if not any(own):
        return y
    if not isinstance(y, list | tuple):
        return (y / behind_lanes(steps[0], rank)).astype(y.dtype)
    own, steps = (own * len(y), steps * len(y)) if len(steps) == 1 else (own, steps)
    return tuple(
        [
            (part / behind_lanes(step, rank)).astype(part.dtype) if lane else part
            for part, lane, step in zip(y, own, steps, strict=True)
        ]
    )


def gradient_at_positions(
    lanes: Lanes, f: Any, steps: list[Any], axis: Any, edge_order: int, xp: Any
) -> Any:
    """Differences along one axis after the other, of samples at positions of each lane."""
    own = lanes[1:]
    if not lanes[0]:
        f = with_lanes(f, next(laned_values(own, steps)).shape[0])
    axes = from_the_end(axis, f.ndim - 1)
    axes = axes if isinstance(axes, tuple) else (axes,)
    pairs = list(zip(own, steps, strict=True)) * (len(axes) if len(steps) == 1 else 1)
    parts = []
    for along, (lane, step) in zip(axes, pairs, strict=True):
        if lane and step.ndim > 1:
            parts.append(gradient_along(f, step, along, edge_order, xp))
        else:
            parts.append(
                gradient_batched((True, lane), f, step, axis=along, edge_order=edge_order, xp=xp)
            )
    return parts[0] if len(parts) == 1 else tuple(parts)


def gradient_along(f: Any, positions: Any, axis: int, edge_order: int, xp: Any) -> Any:
    """Weighted sums of neighbours along an axis, with weights of each lane."""
    lanes_last = xp.moveaxis(xp.diff(positions, axis=1), 0, -1)
    found = stencil_of_steps(lanes_last, 0, edge_order, xp)

    def along(weights: Any) -> Any:
        """Weights with lanes first, along the last axis."""
        own = xp.moveaxis(weights, 0, -1)
        return own.reshape((own.shape[0], *[1] * (f.ndim - 2), own.shape[-1]))

    rows = xp.moveaxis(f, axis, -1)
    lower, middle, upper = (along(part) for part in (found.lower, found.middle, found.upper))
    inner = lower[..., 1:-1] * rows[..., :-2] + upper[..., 1:-1] * rows[..., 2:]
    inner = inner + middle[..., 1:-1] * rows[..., 1:-1]
    first = middle[..., :1] * rows[..., :1] + upper[..., :1] * rows[..., 1:2]
    last = lower[..., -1:] * rows[..., -2:-1] + middle[..., -1:] * rows[..., -1:]
    if found.corner is not None:
        before, behind = (along(corner[None]) for corner in found.corner)
        first, last = first + before * rows[..., 2:3], last + behind * rows[..., -3:-2]
    y = xp.concatenate([first, inner, last], axis=-1)
    y = xp.moveaxis(y.astype(np.gradient(np.zeros(3, f.dtype)).dtype), -1, axis)
    return in_order_of(f, y, xp)


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
    xp: Any,
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


def between_points(places: Any, grid: Any, values: Any, xp: Any) -> Any:
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


def beside_infinities(y: Any, places: Any, slope: Any, ends: Any, xp: Any) -> Any:
    """The values between two points where the formula gives nan: from the point to the right, or
    that of the point to the left, as NumPy has it.
    """
    (x0, f0), (x1, f1) = ends
    y = xp.where(xp.isnan(y), slope * (places - x1) + f1, y)
    return xp.where(xp.isnan(y) & ((places == x0) | (f0 == f1)), f0, y)


def in_one_period(places: Any, grid: Any, values: Any, period: Any, xp: Any) -> tuple[Any, ...]:
    """Places and a table brought into one period, in order, with a neighbour at each end."""
    grid = grid % period
    order = xp.argsort(grid, axis=1)
    grid, values = (xp.take_along_axis(part, order, axis=1) for part in (grid, values))
    grid = xp.concatenate([grid[:, -1:] - period, grid, grid[:, :1] + period], axis=1)
    values = xp.concatenate([values[:, -1:], values, values[:, :1]], axis=1)
    return places % period, grid, values


def counts_below(grid: Any, places: Any, including: bool, xp: Any) -> Any:
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
    lanes: Lanes, a: object, v: object, *, side: str = "left", sorter: Any = None, xp: Any
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
def digitize_batched(lanes: Lanes, x: object, bins: object, *, right: bool = False, xp: Any) -> Any:
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


def spacing_in_lanes(primal: Any) -> None:
    """Register the rule of a function that puts samples between two ends."""

    @batched.register(primal)
    def spacing_batched(
        lanes: Lanes,
        start: Array | Scalar,
        stop: Array | Scalar,
        *,
        axis: int = 0,
        xp: Any,
        **options: Any,
    ) -> Any:
        if np.ndim(options.get("base", 0)):
            return powers_of_bases(lanes, start, stop, axis, options, xp)
        ranked = [place for place, end in enumerate((start, stop)) if hasattr(end, "ndim")]
        ends = aligned(lanes, (start, stop), ranked)
        rank = max(len(shape_of(end)) for end in ends) - 1
        run = getattr(xp, primal.__name__)
        return run(*ends, axis=from_the_end(axis, rank + 1), **options)


def powers_of_bases(
    lanes: Lanes, start: Any, stop: Any, axis: int, options: dict[str, Any], xp: Any
) -> Any:
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
