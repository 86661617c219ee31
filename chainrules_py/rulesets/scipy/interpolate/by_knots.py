"""Sums of B-splines with traced knots, and fits by them, written in functions that have rules.

At a point only k + 1 B-splines of degree k are not zero; the recurrence of C. de Boor and M. Cox
gives them from those of lower degrees. Which ones they are is constant. Where knots are constants,
`b_splines` has rules for the sums.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate, optimize, sparse
from scipy.sparse.linalg import splu

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.scipy.interpolate.cubic import along_first_axis, at_points
from chainrules_py.rulesets.scipy.sparse.linalg.direct import solve_by_factors

LONGEST = 60.0  # the largest logarithm of a root
STEP = 1e-5  # of the difference quotient in the place of a slope
STEPS = 3  # for two orders of derivatives, and for the error of that quotient


def spans(x, t, k: int) -> Any:
    """The position of the knot at which the interval of each point begins."""
    plain = ignore_derivatives(t)
    found = np.searchsorted(plain, ignore_derivatives(x), side="right") - 1
    last = np.searchsorted(plain, plain[len(plain) - k - 1], side="left") - 1
    return np.clip(found, k, last)


def local_splines(x, t, k: int) -> tuple[Any, list[Any]]:
    """The interval of each point in a vector, and the k + 1 B-splines that are not zero there."""
    at = spans(x, t, k)
    values: list[Any] = [np.ones_like(x)]
    for degree in range(1, k + 1):
        carried: Any = 0.0
        higher = []
        for place, value in enumerate(values):
            right, left = (entries_at(t, at + place + 1 - back) for back in (0, degree))
            share = value / (right - left)
            higher.append(carried + (right - x) * share)
            carried = (x - left) * share
        values = [*higher, carried]
    return at, values


def entries_at(a, at) -> Any:
    """``a[at]``, also for positions in lanes, which NumPy's arrays refuse."""
    if type(at) is np.ndarray:
        return a[at]
    return np.take_along_axis(a, along_first_axis(at, a), axis=0)


def spline_by_knots(c, x, t, k: int, nu: int, extrapolate) -> Any:
    """The derivative `nu` at points of the sum of B-splines with coefficients c and knots t."""
    ends = t[k], t[t.shape[0] - k - 1]
    if nu > k:
        return np.zeros((*np.shape(x), *c.shape[1:]))
    t, c, k = derivative(t, c, k, nu)

    def values(flat) -> Any:
        at, shares = local_splines(flat, t, k)
        terms = (
            along_first_axis(v, c) * entries_at(c, at - k + place) for place, v in enumerate(shares)
        )
        return sum(terms)

    return at_points(values, x, *ends, extrapolate)


def derivative(t, c, k: int, order: int = 1) -> tuple[Any, Any, int]:
    """The knots, coefficients and degree of a derivative of a sum."""
    for _ in range(order):
        count = t.shape[0] - k - 1
        width = t[k + 1 : count + k] - t[1:count]
        is_wide = ignore_derivatives(width) > 0
        factor = np.where(is_wide, k / np.where(is_wide, width, 1.0), 0.0)
        c = along_first_axis(factor, c) * (c[1:count] - c[: count - 1])
        t, k = t[1:-1], k - 1
    return t, c, k


def antiderivative(t, c, k: int, order: int = 1) -> tuple[Any, Any, int]:
    """The knots, coefficients and degree of a sum that is integrated from its first knot on."""
    for _ in range(order):
        count = t.shape[0] - k - 1
        width = (t[k + 1 :] - t[:count]) / (k + 1)
        summed = np.cumsum(along_first_axis(width, c) * c[:count], axis=0)
        c = np.concatenate([np.zeros_like(summed[:1]), summed])
        t, k = np.concatenate([t[:1], t, t[-1:]]), k + 1
    return t, c, k


def within(x, t, k: int) -> Any:
    """Move points outside to the nearest end of the knots; points at an end count as inside."""
    low, high = t[k], t[t.shape[0] - k - 1]
    return np.where(x < low, low, np.where(x > high, high, x))


def matrix_by_knots(x, t, k: int, order: int = 0) -> Any:
    """The matrix from coefficients to a derivative at a vector of points."""
    return spline_by_knots(np.eye(t.shape[0] - k - 1), x, t, k, order, True)


def interpolating_knots(x, k: int, first, last) -> Any:
    """The "not a knot" knots of the spline through values at points, as in SciPy and FITPACK."""
    if k == 0:
        return clamped_knots(x[1:], k, first, last)
    inner = x if k % 2 else (x[1:] + x[:-1]) / 2
    beside = (k + 1) // 2
    return clamped_knots(inner[beside : inner.shape[0] - beside], k, first, last)


def clamped_knots(inner, k: int, first, last) -> Any:
    """Add the ends to inner knots, each end k + 1 times."""
    before, behind = (np.reshape(end, 1) * np.ones(k + 1) for end in (first, last))
    return np.concatenate([before, inner, behind])


def coefficients_through(y, x, t, k: int, order: int | None = None) -> Any:
    """The coefficients of the spline through values at points, along the first axis.

    With an order, this derivative is zero at both ends.
    """
    if not k:
        return y
    is_known = type(x) is type(t) is np.ndarray
    matrix: Any = (
        interpolate.BSpline.design_matrix(x, t, k, True) if is_known else matrix_by_knots(x, t, k)
    )
    rows = np.reshape(y, (y.shape[0], -1))
    if order is not None:
        ends = matrix_by_knots(np.stack([x[0], x[-1]]), t, k, order)
        matrix = (sparse.vstack if is_known else np.concatenate)([matrix, ends])
        rows = np.concatenate([rows, np.zeros((2, rows.shape[1]))])
    c = (
        solve_by_factors(rows, factors=splu(matrix.tocsc()))
        if is_known
        else np.linalg.solve(matrix, rows)
    )
    return np.reshape(c, (c.shape[0], *y.shape[1:]))


def fitted_coefficients(y, x, t, w, k: int) -> Any:
    """The coefficients of the weighted least-squares spline on these knots."""
    return np.linalg.lstsq(np.reshape(w, (-1, 1)) * matrix_by_knots(x, t, k), w * y, rcond=None)[0]


def smoothed_coefficients(y, x, t, w, k: int, residual) -> Any:
    """The coefficients of the smoothest spline on these knots with a given sum of weighted squares:
    P. Dierckx (1975).

    It is as smooth as the jumps of its derivative k at the knots are small: their squares, times a
    factor, are added to those of the residuals, and the factor is a root.
    """
    matrix = np.reshape(w, (-1, 1)) * matrix_by_knots(x, t, k)
    rows = jumps(t, k)
    rhs = np.concatenate([w * y, np.zeros(rows.shape[0])])

    def coefficients(q) -> Any:
        return np.linalg.lstsq(np.concatenate([matrix, np.sqrt(q) * rows]), rhs, rcond=None)[0]

    def excess(q) -> Any:
        away = w * y - matrix @ coefficients(q)
        return np.sum(away * away) - residual

    return coefficients(positive_root(excess))


def penalised_values(y, x, w, penalty) -> Any:
    """The values at points of the smoothing spline for given values, along the first axis.

    Its weighted squares of residuals, and the integral of its squared second derivative times the
    penalty, have the least sum: C. Reinsch (1967).
    """
    h = np.reshape(np.diff(x), (-1, 1))

    def second(v) -> Any:
        return np.diff(np.diff(v, axis=0) / h, axis=0)

    rows = np.reshape(y, (y.shape[0], -1))
    bends = second(np.eye(x.shape[0]))
    wide = (h[1:] + h[:-1])[:, 0] / 3
    beside = h[1:-1, 0] / 6
    integral = np.diag(wide) + np.diag(beside, 1) + np.diag(beside, -1)
    weighted = bends / w
    curvature = np.linalg.solve(integral + penalty * (weighted @ bends.T), second(rows))
    return np.reshape(rows - penalty * (weighted.T @ curvature), y.shape)


def jumps(t, k: int) -> Any:
    """The matrix from coefficients to the jumps of derivative k, in units of the whole interval."""
    units = (t[-1] - t[0]) ** k * np.eye(t.shape[0] - k - 1)
    return np.diff(derivative(t, units, k, order=k)[1], axis=0)


def positive_root(excess: Callable[[Any], Any]) -> Any:
    """The positive root of a function that grows, with its first and second derivatives.

    It is found among plain values. Steps with a fixed slope go on from there: they do not move it,
    and each makes one more order of its derivatives exact.
    """

    def by_logarithm(u: float) -> float:
        return float(ignore_derivatives(excess(np.exp(u))))

    low, high = -5.0, 5.0
    while by_logarithm(low) > 0 and low > -LONGEST:
        low -= 10.0
    while by_logarithm(high) < 0 and high < LONGEST:
        high += 10.0
    found: Any = optimize.brentq(by_logarithm, low, high, xtol=1e-13, rtol=np.float64(1e-14))
    slope = (by_logarithm(found + STEP) - by_logarithm(found - STEP)) / (2 * STEP)
    for _ in range(STEPS):
        found = found - excess(np.exp(found)) / slope
    return np.exp(found)
