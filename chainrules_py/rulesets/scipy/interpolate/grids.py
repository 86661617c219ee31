"""Interpolation between the points of a grid, linear in the values, written in functions that have rules."""

from itertools import product
from typing import Any

import numpy as np


def linear_on_grid(points: Any, values: Any, xi: Any) -> Any:
    """The mean of the corners of a cell, weighted by the opposite parts of it; `xi` has the coordinates in its last axis."""
    cells = [cell_of(grid, xi[..., k]) for k, grid in enumerate(points)]
    total, trailing = 0.0, values.ndim - len(points)
    for corner in product((0, 1), repeat=len(points)):
        weight: Any = 1.0
        for far, (_, part) in zip(corner, cells, strict=True):
            weight = weight * (part if far else 1 - part)
        at = values[tuple(low + far for far, (low, _) in zip(corner, cells, strict=True))]
        total = total + np.reshape(weight, (*np.shape(weight), *(1,) * trailing)) * at
    return total


def cell_of(grid: Any, x: Any) -> tuple[Any, Any]:
    """The interval of the grid in which a coordinate lies, and where in it; the first and last are continued."""
    low = np.clip(np.searchsorted(grid, x) - 1, 0, len(grid) - 2)
    return low, (x - grid[low]) / (grid[low + 1] - grid[low])


def nearest_on_grid(points: Any, values: Any, xi: Any) -> Any:
    """The value at the nearest point of the grid; in the middle that of the lower one."""
    index = []
    for k, grid in enumerate(points):
        low, part = cell_of(grid, xi[..., k])
        index.append(np.where(np.asarray(part <= 0.5), low, low + 1))
    return values[tuple(index)]


def outside_of_grid(points: Any, xi: Any) -> Any:
    """Which points lie outside of the grid."""
    flags = [(xi[..., k] < grid[0]) | (xi[..., k] > grid[-1]) for k, grid in enumerate(points)]
    return np.any(flags, axis=0)
