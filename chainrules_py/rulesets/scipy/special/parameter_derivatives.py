"""First and second derivatives of the incomplete gamma and beta functions by their parameters, and
their densities.

Below their means the functions are power series, above them continued fractions, and both are
differentiated term by term with the value (forward, as in R. J. Moore, Applied Statistics 31, 1982,
330-335). For arrays on the host.

Both functions, or their complements, are zero where a parameter is. A small one is a factor of its
own, `a * G`, because derivatives of 1 / gamma(a) by way of its logarithm would cancel.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from chainrules_py.makers import primitive
from chainrules_py.rulesets.formulas.duals import exponential, leaves, magnitude, variables
from chainrules_py.rulesets.scipy.special.declaring import named, special_rule
from chainrules_py.rulesets.scipy.special.psi_differences import psi_difference, zeta_difference
from chainrules_py.rulesets.scipy.special.series import near_zero
from chainrules_py.tangents import not_implemented
from chainrules_py.values.arrays import call

Values = Any
_TINY = 1e-300
_THIRD = not_implemented(
    "the third derivative of an incomplete gamma or beta function by its parameters"
)
_LOG1P_REST = tuple((-1) ** k / (k + 2) for k in range(20))
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


@named
def gamma_density(a, x, xp) -> Any:
    """x**(a - 1) * exp(-x) / gamma(a).

    For large a around its maximum, where logarithms would cancel (C. Loader, 2000).
    """
    at_infinity = x == math.inf
    x = xp.where(at_infinity, 1.0, x)
    around = (a > 10) & (abs(x - a) < 0.6 * a)
    large = xp.where(around, a, 10.0)
    away = xp.where(around, (x - large) / large, 0.0)
    # that is, r - log(1 + r)
    rest = (
        away * away * near_zero(away, _LOG1P_REST, 0.1, lambda r: (r - xp.log1p(r)) / (r * r), xp)
    )
    inverse, correction = 1 / (large * large), 0.0
    for coefficient in reversed(_STIRLING):
        correction = correction * inverse + coefficient
    near = (
        xp.exp(-correction / large - large * rest)
        * xp.sqrt(large / 6.283185307179586)
        / xp.where(around, x, 1)
    )
    small = xp.where(around, 1.0, a)
    logarithm, power = power_or_logarithm(small - 1, x, (x >= 0) & (x < NEAR), xp)
    apart = power * xp.exp(logarithm - x - call(special.gammaln, small))
    return xp.where(at_infinity, 0.0, xp.where(around, near, apart))


@named
def beta_density(a, b, x, xp) -> Any:
    """x**(a - 1) * (1 - x)**(b - 1) / beta(a, b)."""
    # of larger parameters 1 / B may overflow, and the first twenty derivatives at an end are zero
    at_zero = (x >= 0) & (x < NEAR) & (a < 20) & (b < 1e10)
    at_one = (x <= 1) & (1 - x < NEAR) & (b < 20) & (a < 1e10)
    low, power = power_or_logarithm(a - 1, x, at_zero, xp)
    high, power_of_rest = power_or_logarithm(b - 1, 1 - x, at_one, xp, x)
    return power * power_of_rest * xp.exp(low + high - call(special.betaln, a, b))


NEAR = 1e-3  # an end of the domain


def power_or_logarithm(exponent, x, near, xp, complement: Any = None) -> tuple[Any, Any]:
    """The logarithm of a power and 1, or where x is nearly 0 the other way round: 0 and the power.

    At 0 its logarithm has no derivatives. Of 1 - x, the logarithm is that of the complement x.
    """
    near = near & (exponent > 0)  # the power 0 moves by log(x)
    safe, of_zero = xp.where(near, 0.0, exponent), xp.where(near, exponent, 0.0)
    if complement is None:
        logarithm = call(special.xlogy, safe, xp.where(near, 1.0, x))
    else:
        logarithm = call(special.xlog1py, safe, -xp.where(near, 0.0, complement))
    return logarithm, xp.where(near, x, 1.0) ** of_zero


# --- Gamma ---


@named
@primitive
def gammainc_by_a(a, x) -> Any:
    """integral(log(t) * t**(a - 1) * exp(-t), t, 0, x) / gamma(a) - psi(a) * gammainc(a, x), the
    derivative of `gammainc` by its parameter.
    """
    return _gamma_by((0,), a, x)


@named
@primitive
def gammainc_by_aa(a, x):
    """The second derivative of the regularized lower incomplete gamma function by its parameter."""
    return _gamma_by((0, 0), a, x)


def _gamma_by(by: tuple[int, ...], a, x) -> Any:
    a, x = np.broadcast_arrays(np.asarray(a), np.asarray(x))
    result = np.zeros(a.shape, np.result_type(a, x, np.float32))
    inside = (a >= 0) & (x > 0) & np.isfinite(x)
    below = inside & (x <= a + 1)
    result[below] = _by_series(by, *_doubles(a[below], x[below]))
    above = inside & ~below
    result[above] = -_by_fraction(by, *_doubles(a[above], x[above]))
    result[np.isnan(a) | np.isnan(x) | (a < 0) | (x < 0)] = np.nan
    return result[()]


def _doubles(*arrays) -> list[Any]:
    return [np.asarray(array, float) for array in arrays]


def _gamma_front(by: tuple[int, ...], a: Values, x: Values) -> Any:
    """x^a e^-x / gamma(a + 1)."""
    slope = np.log(x) - special.psi(a + 1)
    return exponential(gamma_density(a + 1, x, np), (slope,) * len(by), -special.zeta(2.0, a + 1))


def _by_series(by: tuple[int, ...], a: Values, x: Values) -> Values:
    """P = x^a e^-x / gamma(a + 1) times the sum of x^n / ((a + 1) ... (a + n)): DLMF 8.7.1."""
    if not a.size:
        return a
    (shape,) = variables((a,), by)
    term: Any = 1.0 + 0.0 * shape
    total, n = term, 0
    while any(
        np.any(abs(part) > 1e-17 * abs(whole))
        for part, whole in zip(leaves(term), leaves(total), strict=True)
    ):
        n += 1
        term = x * term / (shape + n)
        total = total + term
    return leaves(_gamma_front(by, a, x) * total)[-1]


def _by_fraction(by: tuple[int, ...], a: Values, x: Values) -> Values:
    """Q = x^a e^-x / gamma(a) times the continued fraction 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a
    - ...)): DLMF 8.9.2.
    """
    if not a.size:
        return a
    (shape,) = variables((a,), by)

    def coefficients(n: int) -> tuple[Any, Any]:
        return -n * (n - shape), x + 2 * n + 1 - shape

    return leaves(shape * _gamma_front(by, a, x) / _fraction(coefficients, x + 1 - shape))[-1]


def _fraction(coefficients: Callable[[int], Any], first) -> Any:
    """b0 + a1 / (b1 + a2 / (b2 + ...)), by Lentz's method, with the derivatives that its
    coefficients have.

    A coefficient of 0 ends the value, but not the derivatives, so that all have to stand still, and
    for two steps. They do where they move by no more than rounding, which is that of the terms that
    they are sums of.
    """
    value = c = first
    d = 0.0 * first
    n, still = 0, np.zeros(leaves(first)[0].shape, int)
    while np.any(still < 2) and n < 100_000:
        n += 1
        up, down = coefficients(n)
        d = 1 / _nonzero(down + up * d)
        c = _nonzero(down + up / c)
        before, value = value, value * (c * d)
        still = np.where(_moved(value, before, c, d), 0, still + 1)
    return value


def _moved(new, old, *factors) -> Any:
    """Where a product moved by more than rounding with its last factors."""
    moved = abs(leaves(new)[0] - leaves(old)[0]) > 4e-16 * abs(leaves(new)[0])
    if moved.all():
        return moved
    terms = magnitude(old)
    for factor in factors:
        terms = terms * magnitude(factor)
    for one, other, size in zip(leaves(new), leaves(old), leaves(terms), strict=True):
        moved = moved | (abs(one - other) > 4e-16 * size)
    return moved


def _nonzero(number) -> Any:
    """A number, or a tiny one where its value is 0, with its derivatives."""
    value = leaves(number)[0]
    value[value == 0] = _TINY
    return number


# --- Beta ---


@named
@primitive
def betainc_by_a(a, b, x) -> Any:
    """integral(log(t) * t**(a - 1) * (1 - t)**(b - 1), t, 0, x) / beta(a, b) + (psi(a + b) - psi(a))
    * betainc(a, b, x), the derivative of `betainc` by a.
    """
    return _beta_by((0,), a, b, x)


@named
@primitive
def betainc_by_b(a, b, x) -> Any:
    """integral(log(1 - t) * t**(a - 1) * (1 - t)**(b - 1), t, 0, x) / beta(a, b) + (psi(a + b) -
    psi(b)) * betainc(a, b, x), which is minus the one by a of (b, a, 1 - x), but keeps the digits of
    a small x.
    """
    return _beta_by((1,), a, b, x)


@named
@primitive
def betainc_by_aa(a, b, x):
    """The second derivative of the regularized incomplete beta function by a."""
    return _beta_by((0, 0), a, b, x)


@named
@primitive
def betainc_by_ab(a, b, x):
    """The second derivative of the regularized incomplete beta function by a and b."""
    return _beta_by((0, 1), a, b, x)


@named
@primitive
def betainc_by_bb(a, b, x):
    """The second derivative of the regularized incomplete beta function by b."""
    return _beta_by((1, 1), a, b, x)


def _beta_by(by: tuple[int, ...], a, b, x) -> Any:
    a, b, x = np.broadcast_arrays(np.asarray(a), np.asarray(b), np.asarray(x))
    result = np.zeros(a.shape, np.result_type(a, b, x, np.float32))
    is_defined = (a >= 0) & (b >= 0) & (a + b > 0)
    inside = is_defined & (x > 0) & (x < 1)
    # at a parameter of zero, the derivative from above
    a, b = np.maximum(a, _TINY), np.maximum(b, _TINY)
    below = inside & (x < (a + 1) / (a + b + 2))
    result[below] = _beta_below(by, *_doubles(a[below], b[below], x[below]))
    above = inside & ~below
    exchanged = tuple(1 - position for position in by)
    result[above] = -_beta_below(exchanged, *_doubles(b[above], a[above], 1 - x[above]))
    result[~is_defined | np.isnan(x)] = np.nan
    return result[()]


def _beta_below(by: tuple[int, ...], a: Values, b: Values, x: Values) -> Values:
    """A derivative of x^a (1 - x)^b / (a B) over the continued fraction of DLMF 8.17.22."""
    if not a.size:
        return a
    first, second = variables((a, b), by)
    total = first + second

    def coefficients(n: int) -> tuple[Any, Any]:
        m = n // 2
        if n == 1:  # without the factor a above and below
            return -x * (total / (first + 1)), 1.0
        middle = first + 2 * m
        if n % 2:
            return -x * ((first + m) * (total + m) / (middle * (middle + 1))), 1.0
        return (x * m) * ((second - m) / (middle * (middle - 1))), 1.0

    fraction = _fraction(coefficients, 1.0 + 0.0 * first)
    small = b < 1
    factor = second * small + (1.0 - small)
    return leaves(factor * _beta_front(by, a, b, x, small) / fraction)[-1]


def _beta_front(by: tuple[int, ...], a: Values, b: Values, x: Values, small) -> Any:
    """x^a (1 - x)^b / (a B), without its factor b where that is small."""
    beyond = np.where(small, 1.0, 0.0)
    slopes = (
        np.log(x) + psi_difference(a + 1, b - 1),
        np.log1p(-x) + psi_difference(b + beyond, a - beyond),
    )
    if by == (0, 0):
        curvature = zeta_difference(2.0, a + 1, b - 1)
    elif by == (1, 1):
        curvature = zeta_difference(2.0, b + beyond, a - beyond)
    else:
        curvature = special.zeta(2.0, a + b)
    front = beta_density(a, b, x, np) * x * (1 - x) / (a * np.where(small, b, 1.0))
    return exponential(front, tuple(slopes[position] for position in by), curvature)


# --- Derivatives of these by the arguments ---

special_rule(
    gammainc_by_a, "a, x", "gammainc_by_aa(a, x)", "gamma_density(a, x) * (log(x) - psi(a))"
)
special_rule(
    gammainc_by_aa,
    "a, x",
    _THIRD,
    "gamma_density(a, x) * ((log(x) - psi(a)) ** 2 - zeta(2.0, a))",
)
BY_A, BY_B = "(log(x) + psi_difference(a, b))", "(log1p(-x) + psi_difference(b, a))"
for _function, _by_a, _by_b, _of_logarithm in (
    (betainc_by_a, "betainc_by_aa(a, b, x)", "betainc_by_ab(a, b, x)", BY_A),
    (betainc_by_b, "betainc_by_ab(a, b, x)", "betainc_by_bb(a, b, x)", BY_B),
    (betainc_by_aa, _THIRD, _THIRD, f"({BY_A} ** 2 + zeta_difference(2.0, a, b))"),
    (betainc_by_ab, _THIRD, _THIRD, f"({BY_A} * {BY_B} + zeta(2.0, a + b))"),
    (betainc_by_bb, _THIRD, _THIRD, f"({BY_B} ** 2 + zeta_difference(2.0, b, a))"),
):
    special_rule(_function, "a, b, x", _by_a, _by_b, f"beta_density(a, b, x) * {_of_logarithm}")
