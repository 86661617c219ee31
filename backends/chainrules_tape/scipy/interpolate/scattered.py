"""Interpolation between scattered points: linear on simplices, the nearest one, and radial basis
functions.
"""

from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.annotations import Args
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.scipy.interpolate.radial import radial_interpolant
from chainrules_py.rulesets.scipy.interpolate.scattered import (
    linear_on_simplices,
    nearest_of_points,
)
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.scipy.interpolate.grids import coordinates, points_on_grid
from chainrules_tape.scipy.interpolate.interpolants import Interpolant
from chainrules_tape.scipy.interpolate.of_kinds import interp1d
from chainrules_tape.scipy.objects import floats, traced_option_error


class LinearNDInterpolator(Interpolant):
    """`scipy.interpolate.LinearNDInterpolator`, by points, their values and the new points."""

    made_by = interpolate.LinearNDInterpolator

    def evaluate(self, args: Args, simplex_tolerance: float = 1.0) -> Any:
        """The values at points, outside of all simplices `fill_value`."""
        if simplex_tolerance != 1.0:  # since SciPy 1.18 a point may be a little outside
            name = "simplex_tolerance"
            raise traced_option_error(self.made_by, name, simplex_tolerance, "leave it out")
        given = self.given
        points, values = coordinates(given["points"]), floats(given["values"])
        at = points_on_grid(args, points.shape[-1])
        return linear_on_simplices(points, values, at, given["fill_value"], given["rescale"])


class NearestNDInterpolator(Interpolant):
    """`scipy.interpolate.NearestNDInterpolator`, by the values."""

    made_by = interpolate.NearestNDInterpolator

    def evaluate(self, args: Args, query_options: Any = None) -> Any:
        """The values of the nearest points."""
        points = coordinates(self.given["x"])
        at = points_on_grid(args, points.shape[-1])
        if query_options:
            name, value = next(iter(query_options.items()))
            raise traced_option_error(self.made_by, name, value, "leave it out")
        return nearest_of_points(points, floats(self.given["y"]), at, self.given["rescale"])


@by_others(interpolate.griddata)
def griddata(
    points,
    values,
    xi,
    method: str = "linear",
    fill_value: Any = np.nan,
    rescale: bool = False,
) -> Any:
    """`scipy.interpolate.griddata` but for "cubic" in two dimensions, by points and values."""
    points, values = coordinates(points), floats(values)
    if points.shape[-1] == 1:
        return between_numbers(np.reshape(points, -1), values, xi, method, fill_value)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale)(xi)
    if method != "linear":
        instead = "pass method='linear' or 'nearest', or make an RBFInterpolator"
        raise traced_option_error(interpolate.griddata, "method", method, instead)
    return LinearNDInterpolator(points, values, fill_value, rescale)(xi)


def between_numbers(points, values, xi, method: str, fill_value) -> Any:
    """The values of `griddata` in one dimension, where the points have any order."""
    if isinstance(xi, tuple):
        (xi,) = xi
    order = np.argsort(ignore_derivatives(points))
    outside = "extrapolate" if method == "nearest" else fill_value
    options = {"kind": method, "axis": 0, "bounds_error": False, "fill_value": outside}
    return interp1d(points[order], values[order], **options)(xi)


class RBFInterpolator(Interpolant):
    """`scipy.interpolate.RBFInterpolator`, by points, values, smoothing and epsilon."""

    made_by = interpolate.RBFInterpolator

    def evaluate(self, x) -> Any:
        """The values at points, a row of coordinates for each."""
        options = dict(self.given)
        y, d, x = floats(options.pop("y")), floats(options.pop("d")), floats(x)
        if x.ndim != 2 or x.shape[1] != y.shape[1]:
            meant = f"pass a matrix with {y.shape[1]} columns"
            raise ValueError(f"RBFInterpolator: points of shape {x.shape}; {meant}")
        return radial_interpolant(y, d, x, **options)
