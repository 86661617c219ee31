"""`polyfit`, and what it has in common with the fits of series: least squares with a Vandermonde matrix A, weighted row by row.

G. H. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate
(1973), eq. 4.12, for a matrix of full rank: c = A+ y moves by A+ (y_dot - A_dot c) + A+ (A+)^H A_dot^H r, with r = y - A c.
"""

from typing import Any

import numpy as np

from chainrules_py.arrays import Array
from chainrules_py.makers.linearised import LinearMap, linearised_rule
from chainrules_py.rulesets.array_likes import Linearised
from chainrules_py.rulesets.diagonals import vander_derivative
from chainrules_py.rulesets.products import adjoint


@linearised_rule(np.polyfit)
def polyfit_linearised(x: Array, y: Array, *, deg: int, w: Any = None, xp: Any) -> Linearised:
    """The weights are an option: not differentiated. A degree that the points do not determine is NumPy's to warn about."""
    weights = None if w is None else xp.asarray(w)
    matrix, slope = weighted(xp.vander(x, deg + 1), weights), weighted(vander_derivative(x, deg + 1, False, xp), weights)
    c, inverse = xp.polyfit(x, y, deg, w=w), xp.linalg.pinv(matrix)
    return c, in_points(matrix, slope, inverse, weighted(y, weights), c, xp), in_values(inverse, weights, xp)


def weighted(rows: Any, weights: Any) -> Any:
    """The rows of a matrix, or the entries of a vector, times their weights."""
    return rows if weights is None else weights.reshape((-1,) + (1,) * (rows.ndim - 1)) * rows


def in_points(matrix: Any, slope: Any, inverse: Any, values: Any, c: Any, xp: Any) -> LinearMap:
    """The derivative in the points, on each of which one row of the matrix depends, with that `slope`."""

    def residual_and_moving() -> tuple[Any, Any]:
        return values - xp.matmul(matrix, c), xp.matmul(slope, c)

    def x_pushforward(x_dot: Any) -> Any:
        residual, moving = residual_and_moving()
        against = xp.matmul(adjoint(slope, xp), weighted(residual, xp.conj(x_dot)))
        return xp.matmul(inverse, xp.matmul(adjoint(inverse, xp), against) - weighted(moving, x_dot))

    def x_pullback(c_bar: Any) -> Any:
        residual, moving = residual_and_moving()
        y_bar = xp.matmul(adjoint(inverse, xp), c_bar)
        terms = residual * xp.conj(xp.matmul(slope, xp.matmul(inverse, y_bar))) - xp.conj(moving) * y_bar
        return terms if terms.ndim == 1 else xp.sum(terms, axis=1)

    return LinearMap(x_pushforward, x_pullback)


def in_values(inverse: Any, weights: Any, xp: Any) -> LinearMap:
    """The coefficients are linear in what is fitted."""
    return LinearMap(
        lambda y_dot: xp.matmul(inverse, weighted(y_dot, weights)),
        lambda c_bar: weighted(xp.matmul(adjoint(inverse, xp), c_bar), weights),
    )
