"""Interpolation between scattered points, linear on the simplices of their triangulation, in
functions that have rules.
"""

from typing import Any

import numpy as np
from scipy.spatial import Delaunay, KDTree

from chainrules_py.ignoring import ignore_derivatives


def linear_on_simplices(points, values, xi, fill_value, rescale: bool) -> Any:
    """The mean of the corners of a simplex in barycentric coordinates.

    Which simplices there are is constant.
    """
    plain = ignore_derivatives(points)
    low = plain.min(0)
    width = np.ptp(plain, axis=0) if rescale else np.ones(plain.shape[1])
    triangulation = Delaunay((plain - low) / width)
    simplex = triangulation.find_simplex((ignore_derivatives(xi) - low) / width)
    corners = points[triangulation.simplices[simplex]]
    edges = np.swapaxes(corners[..., :-1, :] - corners[..., -1:, :], -1, -2)
    weights = np.linalg.solve(edges, (xi - corners[..., -1, :])[..., None])[..., 0]
    weights = np.concatenate([weights, 1 - np.sum(weights, -1, keepdims=True)], axis=-1)
    at = np.reshape(values, (values.shape[0], -1))[triangulation.simplices[simplex]]
    y = np.reshape(np.sum(weights[..., None] * at, -2), (*xi.shape[:-1], *values.shape[1:]))
    return filled_outside(y, simplex < 0, fill_value)


def filled_outside(y, outside, fill_value) -> Any:
    """Replace the values at points outside."""
    of_each_value = np.reshape(outside, (*outside.shape, *(1,) * (y.ndim - outside.ndim)))
    return np.where(of_each_value, fill_value, y)


def nearest_of_points(points, values, xi, rescale: bool) -> Any:
    """The value at the nearest point."""
    plain = ignore_derivatives(points)
    width = np.ptp(plain, axis=0) if rescale else np.ones(plain.shape[1])
    return values[KDTree(plain / width).query(ignore_derivatives(xi) / width)[1]]
