"""Derivatives of the incomplete gamma and beta functions by their parameters, and their densities.

Below their means the functions are power series, above them continued fractions, and both are differentiated term by term
with the value (forward, as in R. J. Moore, Applied Statistics 31, 1982, 330-335). For arrays on the host.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from chainrules_py.arrays import call
from chainrules_py.makers import primitive
from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.rulesets.scipy.special.psi_differences import psi_difference
from chainrules_py.rulesets.scipy.special.series import near_zero
from chainrules_py.tangents import not_implemented

Values = Any
_TINY = 1e-300
_SECOND = not_implemented("the second derivative of an incomplete gamma or beta function by its parameters")
_LOG1P_REST = tuple((-1) ** k / (k + 2) for k in range(20))
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def gamma_density(a: Any, x: Any, xp: Any) -> Any:
    """x^(a - 1) exp(-x) / gamma(a); for large a around its maximum, where logarithms would cancel (C. Loader, 2000)."""
    around = (a > 10) & (abs(x - a) < 0.6 * a)
    large = xp.where(around, a, 10.0)
    away = xp.where(around, (x - large) / large, 0.0)
    rest = away * away * near_zero(away, _LOG1P_REST, 0.1, lambda r: (r - xp.log1p(r)) / (r * r), xp)  # r - log(1 + r)
    inverse, correction = 1 / (large * large), 0.0
    for coefficient in reversed(_STIRLING):
        correction = correction * inverse + coefficient
    near = xp.exp(-correction / large - large * rest) * xp.sqrt(large / 6.283185307179586) / xp.where(around, x, 1)
    small = xp.where(around, 1.0, a)
    return xp.where(around, near, xp.exp(call(special.xlogy, small - 1, x) - x - call(special.gammaln, small)))


def beta_density(a: Any, b: Any, x: Any, xp: Any) -> Any:
    """x^(a - 1) (1 - x)^(b - 1) / B(a, b)."""
    return xp.exp(call(special.xlogy, a - 1, x) + call(special.xlog1py, b - 1, -x) - call(special.betaln, a, b))


@primitive
def gammainc_by_a(a: Any, x: Any) -> Any:
    """The derivative of the regularized lower incomplete gamma function by its parameter."""
    a, x = np.broadcast_arrays(np.asarray(a), np.asarray(x))
    result = np.zeros(a.shape, np.result_type(a, x, np.float32))
    inside = (a > 0) & (x > 0) & np.isfinite(x)
    below = inside & (x <= a + 1)
    result[below] = _by_series(*_doubles(a[below], x[below]))
    above = inside & ~below
    result[above] = -_by_fraction(*_doubles(a[above], x[above]))
    result[np.isnan(a) | np.isnan(x) | (a < 0) | (x < 0)] = np.nan
    result[(a == 0) & (x > 0)] = -special.exp1(x[(a == 0) & (x > 0)])
    return result[()]


def _doubles(*arrays: Any) -> list[Any]:
    return [np.asarray(array, float) for array in arrays]


def _by_series(a: Values, x: Values) -> Values:
    """P = x^a e^-x / gamma(a + 1) times the sum of x^n / ((a + 1) ... (a + n)): DLMF 8.7.1."""
    term, slope = np.ones_like(a), np.zeros_like(a)
    total, slopes = term.copy(), slope.copy()
    n = 0
    while a.size and np.any(term > 1e-17 * total):
        n += 1
        term = term * x / (a + n)
        slope = slope * x / (a + n) - term / (a + n)
        total, slopes = total + term, slopes + slope
    return gamma_density(a + 1, x, np) * (total * (np.log(x) - special.psi(a + 1)) + slopes)


def _by_fraction(a: Values, x: Values) -> Values:
    """Q = x^a e^-x / gamma(a) times the continued fraction 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)): DLMF 8.9.2."""

    def coefficients(n: int) -> tuple[tuple[Values, Values], tuple[Values, Values]]:
        return (-n * (n - a), np.full_like(a, n)), (x + 2 * n + 1 - a, np.full_like(a, -1.0))

    first = x + 1 - a
    value, slope = _fraction(coefficients, (first, np.full_like(a, -1.0)))
    density = gamma_density(a, x, np) * x
    return density / value * (np.log(x) - special.psi(a) - slope / value)


def _fraction(coefficients: Callable[[int], Any], first: tuple[Values, Values]) -> tuple[Values, Values]:
    """b0 + a1 / (b1 + a2 / (b2 + ...)) and its derivative, by Lentz's method; each coefficient comes with its derivative.

    A coefficient of 0 ends the value, but not the derivative, so that both have to stand still, and for two steps.
    """
    value, slope = first
    c, c_dot = value, slope
    d, d_dot = np.zeros_like(value), np.zeros_like(value)
    n, still = 0, np.zeros(value.shape, int)
    while value.size and np.any(still < 2) and n < 100_000:
        n += 1
        (up, up_dot), (down, down_dot) = coefficients(n)
        d, d_dot = down + up * d, down_dot + up_dot * d + up * d_dot
        d = np.where(d == 0, _TINY, d)
        c, c_dot = down + up / c, down_dot + up_dot / c - up * c_dot / (c * c)
        c = np.where(c == 0, _TINY, c)
        d, d_dot = 1 / d, -d_dot / (d * d)
        ratio, change = c * d, value * (c_dot * d + c * d_dot)
        moved = (abs(ratio - 1) > 4e-16) | (abs(change) > 4e-16 * abs(slope))
        value, slope = value * ratio, slope * ratio + change
        still = np.where(moved, 0, still + 1)
    return value, slope


@primitive
def betainc_by_a(a: Any, b: Any, x: Any) -> Any:
    """The derivative of the regularized incomplete beta function by a."""
    return _beta_by_parameter(0, a, b, x)


@primitive
def betainc_by_b(a: Any, b: Any, x: Any) -> Any:
    """The derivative by b, which is minus the one by a of (b, a, 1 - x), but keeps the digits of a small x."""
    return _beta_by_parameter(1, a, b, x)


def _beta_by_parameter(which: int, a: Any, b: Any, x: Any) -> Any:
    a, b, x = np.broadcast_arrays(np.asarray(a), np.asarray(b), np.asarray(x))
    result = np.zeros(a.shape, np.result_type(a, b, x, np.float32))
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    below = inside & (x < (a + 1) / (a + b + 2))
    result[below] = _beta_by(which, *_doubles(a[below], b[below], x[below]))
    above = inside & ~below
    result[above] = -_beta_by(1 - which, *_doubles(b[above], a[above], 1 - x[above]))
    result[np.isnan(a) | np.isnan(b) | np.isnan(x)] = np.nan
    return result[()]


def _beta_by(which: int, a: Values, b: Values, x: Values) -> Values:
    """The derivative by a or by b of x^a (1 - x)^b / (a B) over the continued fraction of DLMF 8.17.22."""
    one = np.ones_like(a)

    def coefficients(n: int) -> tuple[tuple[Values, Values], tuple[Values, Values]]:
        m = n // 2
        if n % 2:
            top, bottom = (a + m) * (a + b + m), (a + 2 * m) * (a + 2 * m + 1)
            top_dot = (2 * a + b + 2 * m) if which == 0 else a + m
            bottom_dot = (2 * a + 4 * m + 1) if which == 0 else 0 * a
            sign = -1
        else:
            top, bottom = m * (b - m), (a + 2 * m - 1) * (a + 2 * m)
            top_dot = 0 * a if which == 0 else m * one
            bottom_dot = (2 * a + 4 * m - 1) if which == 0 else 0 * a
            sign = 1
        return (sign * x * top / bottom, sign * x * (top_dot - top * bottom_dot / bottom) / bottom), (one, 0 * one)

    value, slope = _fraction(coefficients, (one, 0 * one))
    front = beta_density(a, b, x, np) * x * (1 - x) / a
    logarithm = np.log(x) + psi_difference(a + 1, b - 1) if which == 0 else np.log1p(-x) + psi_difference(b, a)
    return front / value * (logarithm - slope / value)


def density_by_a(a: Any, x: Any, xp: Any) -> Any:
    """The derivative of `gamma_density` by a."""
    return gamma_density(a, x, xp) * (xp.log(x) - call(special.psi, a))


def beta_density_by_a(a: Any, b: Any, x: Any, xp: Any) -> Any:
    """The derivative of `beta_density` by a."""
    return beta_density(a, b, x, xp) * (xp.log(x) - call(special.psi, a) + call(special.psi, a + b))


def beta_density_by_b(a: Any, b: Any, x: Any, xp: Any) -> Any:
    """The derivative of `beta_density` by b."""
    return beta_density(a, b, x, xp) * (xp.log1p(-x) - call(special.psi, b) + call(special.psi, a + b))


special_rule(gammainc_by_a, "a, x", _SECOND, density_by_a)
special_rule(betainc_by_a, "a, b, x", _SECOND, _SECOND, beta_density_by_a)
special_rule(betainc_by_b, "a, b, x", _SECOND, _SECOND, beta_density_by_b)
