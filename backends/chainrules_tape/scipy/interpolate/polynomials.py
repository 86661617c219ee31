"""The polynomial through given points: `BarycentricInterpolator` and `KroghInterpolator`.

    p(x) = sum_j y_j w_j prod_(k != j) (x - x_k),   w_j = 1 / prod_(k != j) (x_j - x_k)

Without a division by x - x_j, which is zero at a point that was given, the derivatives are right
there, too. Differences are divided by a quarter of the length of the interval, with which neither
product runs out of range.
"""

from typing import Any

import numpy as np
from scipy import interpolate

from chainrules_py.ignoring import ignore_derivatives
from chainrules_tape.scipy.interpolate.interpolants import Interpolant, with_points_at
from chainrules_tape.scipy.objects import floats


def basis(nodes, x) -> Any:
    """Lagrange's polynomials at a vector of points, in a column each."""
    plain = ignore_derivatives(nodes)
    scale = 4.0 / ((np.max(plain) - np.min(plain)) or 1.0)
    gaps = scale * (nodes[:, None] - nodes[None, :])
    weights = 1.0 / np.prod(gaps + np.eye(len(plain)), axis=1)
    return weights * products_of_others(scale * (x[:, None] - nodes[None, :]))


def products_of_others(factors) -> Any:
    """For each factor in a row, the product of the others."""
    ones = np.ones((factors.shape[0], 1))
    before = np.cumprod(np.concatenate([ones, factors[:, :-1]], axis=1), axis=1)
    behind = np.cumprod(np.concatenate([ones, factors[:, :0:-1]], axis=1), axis=1)[:, ::-1]
    return before * behind


def polynomial(xi, yi, x, axis: int) -> Any:
    """The values at points, whose axes replace the axis of the given values."""
    nodes, yi, x = floats(xi), floats(yi), floats(x)
    axis = axis % yi.ndim
    y = np.tensordot(basis(nodes, np.reshape(x, -1)), np.moveaxis(yi, axis, 0), 1)
    y = np.reshape(y, (*x.shape, *y.shape[1:]))
    return with_points_at(axis, y, x)


class BarycentricInterpolator(Interpolant):
    """`scipy.interpolate.BarycentricInterpolator`, by nodes, values and points."""

    made_by = interpolate.BarycentricInterpolator
    laned = "yi"

    def evaluate(self, x) -> Any:
        """The values at points."""
        weights = self.given["wi"]
        if weights is not None:  # a common factor of which does not matter to SciPy
            raise self.refused("wi", "leave it out")
        return polynomial(self.given["xi"], self.given["yi"], x, self.given["axis"])


class KroghInterpolator(Interpolant):
    """`scipy.interpolate.KroghInterpolator`, by nodes that differ, values and points."""

    made_by = interpolate.KroghInterpolator
    laned = "yi"

    def evaluate(self, x) -> Any:
        """The values at points."""
        xi = self.given["xi"]
        if len(np.unique(ignore_derivatives(floats(xi)))) < len(xi):
            instead = "pass each node once, or make a CubicHermiteSpline from values and slopes"
            raise self.refused("xi", instead)
        return polynomial(xi, self.given["yi"], x, self.given["axis"])
