"""Interpolation between the points of a grid: `RegularGridInterpolator` and `interpn`."""

from inspect import unwrap
from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.scipy.interpolate.grids import (
    linear_on_grid,
    nearest_on_grid,
    spline_on_grid,
)
from chainrules_py.rulesets.scipy.interpolate.scattered import filled_outside
from chainrules_tape.core.levels import untraced
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.scipy.interpolate.interpolants import WHERE, Interpolant
from chainrules_tape.scipy.objects import constant, floats, traced_option_error

DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
ON_GRID = {"linear": linear_on_grid, "nearest": nearest_on_grid}
METHODS = (*ON_GRID, *DEGREES)


def coordinates(xi, ndim: int | None = None) -> Any:
    """Bring points, in any form that SciPy takes, into one with coordinates in the last axis.

    A tuple holds the coordinates one by one, and is broadcast. Of an array, or of a list that makes
    one, the last axis is that of the coordinates; one without others is a single point, or several
    where a point has one coordinate.
    """
    if isinstance(xi, tuple) and len(xi) == 1:
        (xi,) = xi
    if isinstance(xi, tuple):
        return np.stack(np.broadcast_arrays(*map(floats, xi)), axis=-1)
    xi = floats(xi)
    return np.reshape(xi, (-1, ndim or 1)) if xi.ndim == 1 else xi


def points_on_grid(xi, ndim: int) -> Any:
    """Points with as many coordinates as a grid has dimensions."""
    xi = coordinates(xi, ndim)
    if not xi.ndim or xi.shape[-1] != ndim:
        meant = f"the grid has {ndim} axes; pass points whose last axis has length {ndim}"
        raise ValueError(f"{WHERE}: points of shape {xi.shape}, and {meant}")
    return xi


class RegularGridInterpolator(Interpolant):
    """`scipy.interpolate.RegularGridInterpolator` with all methods but "pchip"."""

    made_by = interpolate.RegularGridInterpolator

    @classmethod
    def in_place_of(cls, own) -> "RegularGridInterpolator":
        """The interpolant in the place of one of SciPy's."""
        return cls(own.grid, own.values, own.method, own.bounds_error, own.fill_value)

    def plain_part(self, value) -> Any:
        """An argument for SciPy's own object, which knows only SciPy's solvers."""
        return unwrap(value) if callable(value) else super().plain_part(value)

    def evaluate(self, xi, method: Any = None, nu: Any = None) -> Any:
        """The values at points, or derivatives of the orders `nu`."""
        given = self.given
        method = method or given["method"]
        require_known(self.made_by, method)
        grids = [floats(grid) for grid in given["points"]]
        grids, values = ascending(grids, floats(given["values"]))
        xi = points_on_grid(xi, len(grids))
        self.require_inside(grids, xi)
        y = by_method(method, grids, values, xi, nu)
        if method in DEGREES:  # SciPy's solver is an iteration, to 6 digits
            known = untraced(self.plain, (constant(xi), method), {"nu": nu})
            y = np.reshape(known, y.shape) + (y - ignore_derivatives(y))
        return self.with_fill(y, outside_of_grid(grids, xi), xi)

    def require_inside(self, grids, xi) -> None:
        """Raise if a point is outside or nan, and the option `bounds_error` asks for that."""
        pairs = [(grid, xi[..., k]) for k, grid in enumerate(grids)]
        inside = [(grid[0] <= x) & (x <= grid[-1]) for grid, x in pairs]
        if self.given["bounds_error"] and not np.all(inside):
            instead = "pass bounds_error=False, or points inside the grid"
            raise ValueError(f"{WHERE}: a point is out of bounds; {instead}")

    def with_fill(self, y, outside, xi) -> Any:
        """Replace the values at points outside of the grid, and at points that are nan."""
        fill = self.given["fill_value"]
        if fill is not None and np.any(outside):
            y = filled_outside(y, outside, fill)
        unknown = np.any(np.isnan(ignore_derivatives(xi)), axis=-1)
        return filled_outside(y, unknown, np.nan) if np.any(unknown) else y


def require_known(function, method: str) -> None:
    """Raise for a method of interpolation that is not differentiated."""
    if method not in METHODS:
        raise traced_option_error(function, "method", method, f"pass one of {', '.join(METHODS)}")


def by_method(method: str, grids, values, xi, nu) -> Any:
    """Interpolate by a method, inside and outside of the grid."""
    if method in DEGREES:
        return spline_on_grid(grids, values, xi, DEGREES[method], nu)
    return ON_GRID[method](grids, values, xi)


def ascending(grids: list[Any], values) -> tuple[list[Any], Any]:
    """A grid whose points ascend in each dimension, and the values at them."""
    descends = [len(grid) > 1 and bool(ignore_derivatives(grid[1] < grid[0])) for grid in grids]
    if not any(descends):
        return grids, values
    axes = tuple([k for k, is_turned in enumerate(descends) if is_turned])
    turned = [grid[::-1] if k in axes else grid for k, grid in enumerate(grids)]
    return turned, np.flip(values, axes)


def outside_of_grid(points, xi) -> Any:
    """Which points lie outside of the grid."""
    flags = [(xi[..., k] < grid[0]) | (xi[..., k] > grid[-1]) for k, grid in enumerate(points)]
    return np.any(flags, axis=0)


@by_others(interpolate.interpn)
def interpn(
    points,
    values,
    xi,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = np.nan,
) -> Any:
    """`scipy.interpolate.interpn` with the methods of `RegularGridInterpolator`."""
    require_known(interpolate.interpn, method)
    interpolant = RegularGridInterpolator(points, values, method, bounds_error, fill_value)
    return interpolant(points_on_grid(xi, len(points)))
