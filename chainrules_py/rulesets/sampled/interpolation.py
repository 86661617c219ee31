"""Piecewise linear interpolation.

y = (1 - t) f[i] + t f[i+1] between the points i and i + 1 next to x, constant outside.
"""

from typing import Any

import numpy as np

from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.values.arrays import Array, Scalar


class Segments:
    """For every x the data points `low` and `high` next to it, and the slope between them.

    The value is f[low] + `part` (f[high] - f[low]), or an end value that was given.
    """

    def __init__(self, x, points, fp, period: float | None, ends: tuple[Any, Any], xp) -> None:
        number = xp.arange(points.shape[0])
        if period is not None:
            period = abs(period)
            x, points = x % period, points % period
            number = xp.argsort(points)
            number = xp.concatenate([number[-1:], number, number[:1]])
            points = xp.take(points, number)
            points = xp.concatenate([points[:1] - period, points[1:-1], points[-1:] + period])

        points, fp = points * 1.0, fp * 1.0  # differences of unsigned integers would wrap around
        last = points.shape[0] - 1
        before = xp.clip(xp.searchsorted(points, x, side="right") - 1, 0, max(last - 1, 0))
        behind = xp.minimum(before + 1, last)
        self.low, self.high = xp.take(number, before), xp.take(number, behind)

        below, above = x < points[0], x > points[-1]
        self.inside = ~(below | above)
        # An end value that was given is a constant; without it the value there is that of the
        # outermost point.
        left, right = ends
        is_constant = (below & (left is not None)) | (above & (right is not None))
        self.from_data = ~is_constant

        start = xp.take(points, before)
        width = xp.take(points, behind) - start
        width = xp.where(width == 0, 1, width)
        self.part = xp.clip((x - start) / width, 0, 1)
        rise = xp.take(fp, self.high) - xp.take(fp, self.low)
        self.slope = xp.where(self.inside, rise / width, 0)


@linearised_rule(np.interp)
def interp_linearised(
    x: Array | Scalar,
    points: Array,
    fp: Array,
    *,
    left: Any = None,
    right: Any = None,
    period: Any = None,
    xp,
) -> Linearised:
    """Linear in fp; the slope in x; minus the slope in the two points, in shares as the value."""
    y = xp.interp(x, points, fp, left=left, right=right, period=period)
    ends = (None, None) if period is not None else (left, right)
    at = Segments(x, points, fp, period, ends, xp)
    count = points.shape[0]

    def share(of_low, of_high) -> LinearMap:
        """The map of the values or of the points, of which each result reads two."""

        def share_pushforward(dot) -> Any:
            return of_low * xp.take(dot, at.low) + of_high * xp.take(dot, at.high)

        def share_pullback(y_bar) -> Any:
            both = xp.stack([xp.conj(of_low) * y_bar, xp.conj(of_high) * y_bar])
            return scatter_add(
                both, index=xp.stack([at.low, at.high]), shape=(count,), dtype=both.dtype
            )

        return LinearMap(share_pushforward, share_pullback)

    def x_pushforward(x_dot) -> Any:
        return at.slope * x_dot

    def x_pullback(y_bar) -> Any:
        return xp.conj(at.slope) * y_bar

    low, high = xp.where(at.from_data, 1 - at.part, 0), xp.where(at.from_data, at.part, 0)
    return (
        y,
        LinearMap(x_pushforward, x_pullback),
        share(-at.slope * low, -at.slope * high),
        share(low, high),
    )
