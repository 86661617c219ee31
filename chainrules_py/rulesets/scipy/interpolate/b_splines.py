"""Sums of B-splines on any knots, and the coefficients of a sum through given values."""

from typing import Any

import numpy as np
from scipy import interpolate, sparse
from scipy.sparse.linalg import splu

from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair
from chainrules_py.rulesets.scipy.sparse.linalg.direct import solve_by_factors
from chainrules_py.values.arrays import Array, Scalar, shape_of


@primitive
def b_spline_values(c, x, t, k: int, nu: int, extrapolate) -> Any:
    """The derivative `nu` at points x of the sum of B-splines with coefficients c.

    They have the degree `k` and the knots `t`; the sum is over the first axis of `c`.
    """
    if nu <= k:
        return interpolate.BSpline(t, c, k, extrapolate)(x, nu)
    return np.zeros((*np.shape(x), *c.shape[1:]), c.dtype)


def design(x, t, k: int, nu: int, extrapolate) -> Any:
    """The matrix from coefficients to the derivative `nu` of the sum of B-splines at points.

    A derivative is a sum of B-splines of one degree less, by differences of the coefficients.
    """
    if nu > k:
        return sparse.csr_array((len(x), len(t) - k - 1))
    if extrapolate == "periodic":
        n = len(t) - k - 1
        x, extrapolate = t[k] + (x - t[k]) % (t[n] - t[k]), True
    if not nu:
        outside = (x < t[k]) | (x > t[-k - 1])
        x = x if extrapolate else np.where(outside, t[k], x)
        matrix = interpolate.BSpline.design_matrix(x, t, k, bool(extrapolate))
        return matrix.multiply(extrapolate or ~outside[:, None]).tocsr()
    width = t[k + 1 : -1] - t[1 : -k - 1]
    factor = np.divide(k, width, out=np.zeros(len(width)), where=width > 0)
    diagonals: Any = sparse.diags_array
    differences = diagonals([-factor, factor], offsets=[0, 1], shape=(len(width), len(width) + 1))
    return design(x, t[1:-1], k - 1, nu - 1, extrapolate) @ differences


@primitive
def b_spline_scatter(y_bar, x, shape, t, k: int, nu: int, extrapolate) -> Any:
    """The adjoint of `b_spline_values` in the coefficients: the transposed matrix."""
    flat = np.ravel(x)
    return (design(flat, t, k, nu, extrapolate).T @ np.reshape(y_bar, (len(flat), -1))).reshape(
        shape
    )


@linearised_rule(b_spline_values)
def b_spline_values_linearised(
    c: Array, x: Array | Scalar, *, t, k: int, nu: int, extrapolate, out, xp
) -> tuple[LinearMap, LinearMap]:
    """The partial in a point is the next derivative of the sum."""
    shape = c.shape

    def slope() -> Any:
        return b_spline_values(c, x, t, k, nu + 1, extrapolate)

    return (
        LinearMap(
            lambda dot: b_spline_values(dot, x, t, k, nu, extrapolate),
            lambda y_bar: b_spline_scatter(y_bar, x, shape, t, k, nu, extrapolate),
        ),
        LinearMap(
            lambda dot: slope() * beside_coefficients(dot, len(shape), xp),
            lambda y_bar: gathered(slope(), y_bar, len(shape), xp),
        ),
    )


@linearised_rule(b_spline_scatter)
def b_spline_scatter_linearised(
    y_bar: Array | Scalar,
    x: Array | Scalar,
    *,
    shape,
    t,
    k: int,
    nu: int,
    extrapolate,
    out,
    xp,
) -> tuple[LinearMap, LinearMap]:
    """The partial in a point is the adjoint of the next derivative."""
    ndim = len(shape)
    of_cotangents = LinearMap(
        lambda dot: b_spline_scatter(dot, x, shape, t, k, nu, extrapolate),
        lambda c_bar: b_spline_values(c_bar, x, t, k, nu, extrapolate),
    )

    def points_pushforward(dot):
        moved = y_bar * beside_coefficients(dot, ndim, xp)
        return b_spline_scatter(moved, x, shape, t, k, nu + 1, extrapolate)

    def points_pullback(c_bar):
        slopes = b_spline_values(c_bar, x, t, k, nu + 1, extrapolate)
        return gathered(y_bar, slopes, ndim, xp)

    return of_cotangents, LinearMap(points_pushforward, points_pullback)


def beside_coefficients(dot, ndim: int, xp) -> Any:
    """A value for each point, to be multiplied with coefficients of `ndim` axes."""
    return xp.reshape(dot, (*shape_of(dot), *(1,) * (ndim - 1)))


def gathered(a, b, ndim: int, xp) -> Any:
    """The real part of conj(a) b, summed over the columns of each point."""
    product = xp.real(xp.conj(a) * b)
    return xp.sum(product, axis=tuple(range(1 - ndim, 0))) if ndim > 1 else product


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
    factors = splu(design(np.asarray(x, float), knots_through(x, k), k, 0, True).T.tocsc())
    return solve_by_factors(rows, factors).reshape(shape)


linear_pair(interpolating_coefficients, interpolating_coefficients_adjoint, "x k bc_type")


def through_values(y, x, k: int, points) -> Any:
    """The spline of degree `k` through values at the knots `x`, at points."""
    coefficients = interpolating_coefficients(y, x, k)
    return b_spline_values(coefficients, points, knots_through(x, k), k, 0, True)
