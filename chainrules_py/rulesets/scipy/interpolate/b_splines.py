"""Sums of B-splines on any knots, and the coefficients of a sum through given values."""

from typing import Any

import numpy as np
from scipy import interpolate
from scipy.sparse.linalg import splu

from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair
from chainrules_py.rulesets.scipy.sparse.linalg.direct import solve_by_factors
from chainrules_py.values.arrays import Array, Scalar


@primitive
def b_spline_values(x, c, t, k: int, nu: int, extrapolate) -> Any:
    """The derivative `nu` at points x of the sum of B-splines with constant coefficients c.

    They have the degree `k` and the knots `t`; the sum is over the first axis of `c`.
    """
    if nu <= k:
        return interpolate.BSpline(t, c, k, extrapolate)(x, nu)
    return np.zeros((*np.shape(x), *c.shape[1:]), c.dtype)


@linearised_rule(b_spline_values)
def b_spline_values_linearised(
    x: Array | Scalar, *, c, t, k: int, nu: int, extrapolate, out, xp
) -> LinearMap:
    """The next derivative of the sum."""
    each = tuple(range(1 - c.ndim, 0))

    def slope() -> Any:
        return b_spline_values(x, c=c, t=t, k=k, nu=nu + 1, extrapolate=extrapolate)

    return LinearMap(
        lambda dot: slope() * xp.expand_dims(dot, each),
        lambda y_bar: xp.sum(xp.real(xp.conj(slope()) * y_bar), axis=each),
    )


@primitive
def interpolating_coefficients(y, x, k: int = 3, bc_type: Any = None) -> Any:
    """The coefficients of the spline of degree `k` through values, on the knots that
    `make_interp_spline` chooses.
    """
    return interpolate.make_interp_spline(x, y, k, bc_type=bc_type).c


def knots_through(x, k: int) -> Any:
    """The knots that `make_interp_spline` chooses."""
    return interpolate.make_interp_spline(x, np.zeros(len(x)), k).t


def interpolating_coefficients_adjoint(y_bar, shape, x, k: int = 3, bc_type: Any = None):
    """Solve the transposed system; with conditions at the ends, multiply by the dense inverse."""
    rows = y_bar.reshape(len(y_bar), -1)
    if bc_type is not None:
        return (interpolating_coefficients(np.eye(len(x)), x, k, bc_type).T @ rows).reshape(shape)
    matrix = interpolate.BSpline.design_matrix(np.asarray(x, float), knots_through(x, k), k, True)
    factors = splu(matrix.T.tocsc())
    return solve_by_factors(rows, factors).reshape(shape)


linear_pair(interpolating_coefficients, interpolating_coefficients_adjoint, "x k bc_type")
