"""Surfaces of FITPACK's: sums of products of B-splines in two variables."""

from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.rulesets.scipy.interpolate.by_knots import surface_by_knots
from chainrules_py.values.arrays import Array, Scalar

Surface = tuple[Any, Any, Any, int, int]  # the knots in x and in y, the coefficients, the degrees


@primitive
def surface_values(x, y, surface: Surface, dx: int, dy: int) -> Any:
    """A derivative of a surface at points, of which those outside are moved to its border."""
    tx, ty, c, kx, ky = surface
    if dx < kx and dy < ky:
        made = interpolate.BivariateSpline._from_tck(surface)
        return made(x, y, dx, dy, grid=False)[()]
    # FITPACK has none of the highest derivatives
    rows = np.reshape(c, (len(tx) - kx - 1, -1))
    inside = within(x, tx, kx), within(y, ty, ky)
    return surface_by_knots(rows, *inside, (tx, ty), (kx, ky), (dx, dy))


def within(x, t, k: int) -> Any:
    """Points moved to the nearest end of the knots. At an end they move as those inside."""
    low, high = t[k], t[len(t) - k - 1]
    return np.where(x < low, low, np.where(x > high, high, x))


@linearised_rule(surface_values)
def surface_values_linearised(
    x: Array | Scalar, y: Array | Scalar, *, surface: Surface, dx: int, dy: int, out, xp
) -> tuple[LinearMap, LinearMap]:
    """The next derivatives inside. Nothing moves from the outside."""

    def along(at, axis: int) -> LinearMap:
        t: Any = surface[axis]
        k: Any = surface[3 + axis]
        is_outside = (at < t[k]) | (at > t[len(t) - k - 1])
        order = surface_values(x, y, surface=surface, dx=dx + 1 - axis, dy=dy + axis)
        slope = xp.where(is_outside, 0.0, order)
        return LinearMap(lambda dot: slope * dot, lambda out_bar: slope * out_bar)

    return along(x, 0), along(y, 1)
