"""Fits of polynomials and of series: least squares with their values at the points as the matrix."""

from typing import Any

import numpy as np

from chainrules_py import (
    Array,
    NotDifferentiableError,
    axes_rule,
    composed,
    ignore_derivatives,
    linearised_rule,
    primitive,
)
from chainrules_py.makers import Linearised, LinearMap
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_floats
from chainrules_py.rulesets.polynomial.families import Family, of_each_family
from chainrules_py.rulesets.polynomial.matrices import rows
from chainrules_py.values.identity import qualified_name


@primitive
def determining(matrix, of):
    """The matrix of a fit; where points move that do not determine the coefficients, it is refused.

    NumPy then chooses coefficients that jump when the points move. They are linear in the values,
    nevertheless.
    """
    return matrix


axes_rule(determining, kind="stacked")


@linearised_rule(determining)
def determining_linearised(matrix: Array, *, of, xp) -> Linearised:
    """The identity, as far as numbers are at hand; the rank of the matrix A is the trace of A+ A."""

    def checked(dot):
        known = ignore_derivatives(matrix)
        if type(known) is not np.ndarray:
            return dot
        count, inverse = known.shape[-1], scaled_inverse(known, of, np)
        traces = np.sum(np.swapaxes(inverse, -1, -2) * known, axis=(-2, -1))  # one for each lane
        rank = round(np.min(traces.real, initial=count))
        if rank < count:
            got = (
                f"points that determine {rank} of the {count} coefficients, so that no derivative"
                " in the points exists"
            )
            instead = "fit a lower degree, or take the points as constants"
            where = qualified_name(of)
            raise NotDifferentiableError(where, got, instead, primal=of, argument="x")
        return dot

    return matrix, LinearMap(checked, checked)


def scaled_inverse(matrix, primal, xp):
    """The pseudo-inverse as NumPy's fits have it: by way of columns of one length, and with their
    tolerance. A column of zeros is none for `numpy.polyfit`, whose nan LAPACK refuses.
    """
    known = ignore_derivatives(matrix)  # whatever the lengths are, the inverse is the same
    lengths = xp.sqrt(xp.sum(xp.square(xp.abs(known)), axis=-2))
    if primal is not np.polyfit:
        lengths = xp.where(lengths == 0, 1, lengths)
    tolerance = matrix.shape[-2] * float(xp.finfo(matrix.dtype).eps)
    inverse = xp.linalg.pinv(matrix / xp.expand_dims(lengths, -2), rtol=tolerance)
    return inverse / xp.expand_dims(lengths, -1)


def least_squares_coefficients(primal, matrix, y, w, xp):
    """The coefficients of the columns of a matrix that come nearest to what is fitted."""
    matrix = determining(matrix, of=primal)
    if w is not None:
        weights = as_floats(xp.asarray(w))
        matrix = xp.expand_dims(weights, 1) * matrix
        y = xp.reshape(weights, (-1,) + (1,) * (y.ndim - 1)) * y
    return xp.matmul(scaled_inverse(matrix, primal, xp), y)


def ask_numpy(primal, x, y, deg, w) -> None:
    """Let NumPy raise its errors and warn, where arrays are plain."""
    plain = ignore_derivatives((x, y))
    if all(type(part) is np.ndarray for part in plain):
        primal(*plain, deg, w=w)


@of_each_family
def fit_body(family: Family) -> None:
    """Give a body to one family's fit; its weights are an option."""
    primal = family.function("fit")

    @composed(primal)
    def fit(x: ArrayLike, y: ArrayLike, *, deg, w: Any = None, xp):
        x, y = as_floats(x), as_floats(y)
        ask_numpy(primal, x, y, deg, w)
        degrees = list(range(deg + 1)) if np.ndim(deg) == 0 else sorted(deg)
        table = rows(x, degrees[-1], family, xp)
        if len(degrees) == table.shape[1]:
            return least_squares_coefficients(primal, table, y, w, xp)
        c = least_squares_coefficients(
            primal, xp.stack([table[:, k] for k in degrees], axis=1), y, w, xp
        )
        place = {degree: position for position, degree in enumerate(degrees)}
        zeros = 0 * c[0]
        return xp.stack([c[place[k]] if k in place else zeros for k in range(degrees[-1] + 1)])
