"""sinc and the modified Bessel function I0.

Their derivatives are not in the array namespaces, so they are written here.
"""

from functools import lru_cache
from math import factorial, pi
from typing import Any

import numpy as np

from chainrules_py.makers import primitive, scalar_rule
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.arrays import library_of_types

# sin(t)/t = sum (-1)^k t^2k / (2k+1)!, differentiated term by term and divided by t; exact to 1e-17
# for |t| < 1.
_SINC_SLOPE = tuple((-1) ** k * 2 * k / factorial(2 * k + 1) for k in range(1, 11))


def horner(coefficients: tuple[float, ...], x) -> Any:
    """The polynomial with these coefficients, lowest first."""
    total = coefficients[-1] + 0 * x
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def sinc_slope(x, out, xp):
    """(cos(pi x) - sinc(x)) / x, and its series near 0, where the difference cancels.

    Smooth to any order.
    """
    near = abs(pi * x) < 1
    t = xp.where(near, pi * x, 0)
    return xp.where(
        near, pi * t * horner(_SINC_SLOPE, t * t), (xp.cos(pi * x) - out) / xp.where(near, 1, x)
    )


@lru_cache
def _bessel_series(n: int) -> tuple[float, ...]:
    """n! / (k! (n + k)!): Abramowitz & Stegun, Handbook (1964), 9.6.10."""
    return tuple(factorial(n) / (factorial(k) * factorial(n + k)) for k in range(45))


@lru_cache
def _bessel_asymptotic(n: int) -> tuple[float, ...]:
    """The coefficients of 1 / x^k in sqrt(2 pi x) exp(-x) In(x): Abramowitz & Stegun, 9.7.1."""
    coefficients = [1.0]
    for k in range(1, 26):
        coefficients.append(-coefficients[-1] * (4 * n * n - (2 * k - 1) ** 2) / (8 * k))
    return tuple(coefficients)


@primitive
def bessel_over_power(n: int, x) -> Any:
    """n! (2 / x)^n In(x) of the modified Bessel function of order n, for real arguments: 1 at 0.

    It moves by x / (2 n + 2) times the next one, so that no derivative is a quotient of zeros.

    >>> bool(abs(bessel_over_power(1, 1.0) - 2 * 0.565159103992485) < 1e-15)
    True
    """
    xp = library_of_types((type(x),)).namespace
    size = abs(x)
    small, large = xp.minimum(size, 20), xp.maximum(size, 20)
    series = horner(_bessel_series(n), small * small / 4)
    power = factorial(n) * (2 / large) ** n
    tail = horner(_bessel_asymptotic(n), 1 / large)
    return xp.where(size <= 20, series, power * xp.exp(large) / xp.sqrt(2 * pi * large) * tail)


def bessel_over_power_slope(n: int, x):
    return 0.5 * x / (n + 1) * bessel_over_power(n + 1, x)


scalar_rule(np.sinc, "x", sinc_slope)
scalar_rule(np.i0, "x", lambda x: 0.5 * x * bessel_over_power(1, x))
scalar_rule(bessel_over_power, "n, x", NO_TANGENT, bessel_over_power_slope)
