"""Surfaces of FITPACK's: sums of products of B-splines in two variables."""

from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.values.arrays import Array, Scalar

Surface = tuple[Any, Any, Any, int, int]  # the knots in x and in y, the coefficients, the degrees


@primitive
def surface_values(x, y, surface: Surface, dx: int, dy: int) -> Any:
    """A derivative of a surface at points within its knots."""
    tx, ty, c, kx, ky = surface
    if dx < kx and dy < ky:
        made = interpolate.BivariateSpline._from_tck((tx, ty, np.reshape(c, -1), kx, ky))
        return made(x, y, dx, dy, grid=False)[()]
    # FITPACK has none of the highest derivatives
    return interpolate.NdBSpline((tx, ty), c, (kx, ky))(np.stack([x, y], axis=-1), nu=(dx, dy))[()]


@linearised_rule(surface_values)
def surface_values_linearised(
    x: Array | Scalar, y: Array | Scalar, *, surface: Surface, dx: int, dy: int, out, xp
) -> tuple[LinearMap, LinearMap]:
    """The next derivatives."""

    def along(*orders: int) -> LinearMap:
        slope = surface_values(x, y, surface=surface, dx=orders[0], dy=orders[1])
        return LinearMap(lambda dot: slope * dot, lambda out_bar: slope * out_bar)

    return along(dx + 1, dy), along(dx, dy + 1)
