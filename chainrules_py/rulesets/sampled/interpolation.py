"""Piecewise linear interpolation: between two points the line through their values, constant outside."""

from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.makers.lists import ArrayLike


@composed(np.interp)
def interp(
    x: ArrayLike,
    points: ArrayLike,
    fp: ArrayLike,
    *,
    left: Any = None,
    right: Any = None,
    period: Any = None,
    xp,
):
    """The value at the point before, and the slope behind it."""
    is_complex = getattr(getattr(fp, "dtype", None), "kind", "") == "c"
    places, points = xp.asarray(x, dtype=float), xp.asarray(points, dtype=float)
    values = xp.asarray(fp, dtype=complex if is_complex else float)
    if points.ndim != 1 or points.shape != values.shape or not points.size:
        got = f"points of the shape {points.shape} with values of the shape {values.shape}"
        raise ValueError(f"numpy.interp: got {got}; pass two vectors of one length, with entries")
    if period is not None:
        left = right = None
        places, points, values = in_one_period(places, points, values, abs(period), xp)

    inside = between_points(places, points, values, xp)
    y = xp.where((places == points[-1]) & xp.isnan(inside), values[-1], inside)
    y = xp.where(places < points[0], values[0] if left is None else left, y)
    y = xp.where(places > points[-1], values[-1] if right is None else right, y)
    return xp.where(xp.isnan(places), places, y)[()]


def in_one_period(places, points, values, period, xp) -> tuple[Any, ...]:
    """Places and points brought into one period, in order, with a neighbour at each end."""
    if not period:
        raise ValueError("numpy.interp: got a period of 0; pass another one")
    points = points % period
    order = xp.argsort(points)
    points, values = xp.take(points, order), xp.take(values, order)
    points = xp.concatenate([points[-1:] - period, points, points[:1] + period])
    values = xp.concatenate([values[-1:], values, values[:1]])
    return places % period, points, values


def between_points(places, points, values, xp) -> Any:
    """The values on the lines between points."""
    size = points.size
    above = xp.searchsorted(points, places, side="right")
    low = xp.clip(above - 1, 0, max(size - 2, 0))
    high = xp.minimum(low + 1, size - 1)
    x0, x1 = xp.take(points, low), xp.take(points, high)
    f0, f1 = xp.take(values, low), xp.take(values, high)
    # by shares: the slope's own derivative is out of range where points are 1e-160 apart
    rise, run = f1 - f0, xp.where(x1 == x0, 1.0, x1 - x0)
    # From the point to the right where a place is on it, the last one: exact there, with a slope.
    on_it = places == x1
    y = rise * ((places - xp.where(on_it, x1, x0)) / run) + xp.where(on_it, f1, f0)
    # As NumPy has it beside infinities: from the point to the right, or the value to the left.
    y = xp.where(xp.isnan(y), rise * ((places - x1) / run) + f1, y)
    return xp.where(xp.isnan(y) & ((places == x0) | (f0 == f1)), f0, y)
