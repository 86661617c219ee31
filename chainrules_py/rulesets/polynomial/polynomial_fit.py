"""`polyfit`, and what it has in common with the fits of series.

Least squares with a Vandermonde matrix A, weighted row by row.

G. H. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems
whose variables separate (1973), eq. 4.12, for a matrix of full rank: c = A+ y moves by A+ (y_dot -
A_dot c) + A+ (A+)^H A_dot^H r, with r = y - A c.
"""

from typing import Any

import numpy as np

from chainrules_py import (
    Array,
    LinearMap,
    NotDifferentiableError,
    ignore_derivatives,
    linearised_rule,
)
from chainrules_py.makers import Linearised
from chainrules_py.projection.structured import adjoint
from chainrules_py.rulesets.shapes.diagonals import vander_derivative
from chainrules_py.values.identity import qualified_name


@linearised_rule(np.polyfit)
def polyfit_linearised(x: Array, y: Array, *, deg: int, w: Any = None, xp) -> Linearised:
    """The weights are an option: not differentiated.

    A degree that the points do not determine is NumPy's to warn about.
    """
    c = xp.polyfit(x, y, deg, w=w)
    weights = None if w is None else xp.asarray(w)
    x = x + 0.0  # which may be integers
    matrix = weighted(xp.vander(x, deg + 1), weights)
    slope = weighted(vander_derivative(x, deg + 1, False, xp), weights)
    inverse = scaled_inverse(matrix, xp)
    return (
        c,
        in_points(matrix, slope, inverse, weighted(y, weights), c, np.polyfit, xp),
        in_values(inverse, weights, xp),
    )


def scaled_inverse(matrix, xp):
    """The pseudo-inverse as NumPy's fits have it: by way of columns of one length, and with their
    tolerance.
    """
    lengths = xp.sqrt(xp.sum(xp.square(xp.abs(matrix)), axis=-2))
    lengths = xp.where(lengths == 0, 1, lengths)
    columns = xp.expand_dims(lengths, -2)
    tolerance = matrix.shape[-2] * float(xp.finfo(matrix.dtype).eps)
    return xp.linalg.pinv(matrix / columns, rtol=tolerance) / xp.expand_dims(lengths, -1)


def refuse_deficient(matrix, inverse, of) -> None:
    """Raise where the points do not determine the coefficients, as far as numbers are at hand.

    NumPy then chooses coefficients that jump when the points move. They are linear in the values,
    nevertheless. The rank of the matrix A is the trace of A+ A.
    """
    matrix, inverse = ignore_derivatives(matrix), ignore_derivatives(inverse)
    if type(matrix) is not np.ndarray or type(inverse) is not np.ndarray:
        return
    rank, count = round(np.sum(inverse.T * matrix).real), matrix.shape[1]
    if rank < count:
        got = (
            f"points that determine {rank} of the {count} coefficients, so that no derivative in"
            " the points exists"
        )
        instead = "fit a lower degree, or take the points as constants"
        raise NotDifferentiableError(qualified_name(of), got, instead, primal=of, argument="x")


def weighted(rows, weights):
    """The rows of a matrix, or the entries of a vector, times their weights."""
    return rows if weights is None else weights.reshape((-1,) + (1,) * (rows.ndim - 1)) * rows


def in_points(matrix, slope, inverse, values, c, of, xp) -> LinearMap:
    """The derivative in the points, on each of which one row of the matrix depends, with that
    `slope`.
    """

    def residual_and_moving() -> tuple[Any, Any]:
        refuse_deficient(matrix, inverse, of)
        return values - xp.matmul(matrix, c), xp.matmul(slope, c)

    def x_pushforward(x_dot):
        residual, moving = residual_and_moving()
        against = xp.matmul(adjoint(slope, xp), weighted(residual, xp.conj(x_dot)))
        return xp.matmul(
            inverse, xp.matmul(adjoint(inverse, xp), against) - weighted(moving, x_dot)
        )

    def x_pullback(c_bar):
        residual, moving = residual_and_moving()
        y_bar = xp.matmul(adjoint(inverse, xp), c_bar)
        terms = (
            residual * xp.conj(xp.matmul(slope, xp.matmul(inverse, y_bar)))
            - xp.conj(moving) * y_bar
        )
        return terms if terms.ndim == 1 else xp.sum(terms, axis=1)

    return LinearMap(x_pushforward, x_pullback)


def in_values(inverse, weights, xp) -> LinearMap:
    """The coefficients are linear in what is fitted."""
    return LinearMap(
        lambda y_dot: xp.matmul(inverse, weighted(y_dot, weights)),
        lambda c_bar: weighted(xp.matmul(adjoint(inverse, xp), c_bar), weights),
    )
