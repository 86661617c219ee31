"""Interpolation between the points of a grid, linear in the values, in functions that have rules."""

from itertools import product
from typing import Any

import numpy as np

from chainrules_py.rulesets.scipy.interpolate.b_splines import b_spline_values
from chainrules_py.rulesets.scipy.interpolate.by_knots import (
    coefficients_through,
    interpolating_knots,
)


def linear_on_grid(points, values, xi) -> Any:
    """The mean of the corners of a cell, weighted by the opposite parts of it.

    `xi` has the coordinates in its last axis.
    """
    cells = [cell_of(grid, xi[..., k]) for k, grid in enumerate(points)]
    total, trailing = 0.0, values.ndim - len(points)
    for corner in product((0, 1), repeat=len(points)):
        weight: Any = 1.0
        for far, (_, part) in zip(corner, cells, strict=True):
            weight = weight * (part if far else 1 - part)
        at = values[tuple(low + far for far, (low, _) in zip(corner, cells, strict=True))]
        total = total + np.reshape(weight, (*np.shape(weight), *(1,) * trailing)) * at
    return total


def cell_of(grid, x) -> tuple[Any, Any]:
    """The interval of the grid that contains a coordinate, and the place in it.

    The first and last are continued.
    """
    low = np.clip(np.searchsorted(grid, x) - 1, 0, len(grid) - 2)
    return low, (x - grid[low]) / (grid[low + 1] - grid[low])


def nearest_on_grid(points, values, xi):
    """The value at the nearest point of the grid; halfway, that at the lower point."""
    index = []
    for k, grid in enumerate(points):
        low, part = cell_of(grid, xi[..., k])
        index.append(np.where(np.asarray(part <= 0.5), low, low + 1))
    return values[tuple(index)]


def spline_on_grid(points, values, xi, degree: int, nu: Any = None) -> Any:
    """The product of splines of a degree along each dimension, through the values.

    Its derivative `nu`, one order for each.
    """
    count = len(points)
    orders = (0,) * count if nu is None else tuple(nu)
    flat = np.reshape(xi, (-1, count))
    c = np.reshape(values, (*values.shape[:count], -1))
    knots = [interpolating_knots(grid, degree, grid[0], grid[-1]) for grid in points]
    for k, (grid, t) in enumerate(zip(points, knots, strict=True)):
        c = np.moveaxis(coefficients_through(np.moveaxis(c, k, 0), grid, t, degree), 0, k)
    for k, t in enumerate(knots):
        weights = b_spline_values(
            flat[:, k], c=np.eye(c.shape[min(k, 1)]), t=t, k=degree, nu=orders[k], extrapolate=True
        )
        c = np.einsum("pi,pi...->p...", weights, c) if k else np.tensordot(weights, c, 1)
    return np.reshape(c, (*xi.shape[:-1], *values.shape[count:]))
