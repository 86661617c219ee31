"""sinc and the modified Bessel function I0.

Their derivatives are not in the array namespaces, so they are written here.
"""

from math import factorial, pi
from typing import Any

import numpy as np

from chainrules_py.makers import primitive, scalar_rule
from chainrules_py.values.arrays import library_of_types

# sin(t)/t = sum (-1)^k t^2k / (2k+1)!, differentiated term by term and divided by t; exact to 1e-17
# for |t| < 1.
_SINC_SLOPE = tuple((-1) ** k * 2 * k / factorial(2 * k + 1) for k in range(1, 11))
# I1(x) = x/2 sum (x^2/4)^k / (k! (k+1)!) for |x| <= 20; Abramowitz & Stegun, Handbook (1964),
# 9.6.10.
_I1_SERIES = tuple(1 / (factorial(k) * factorial(k + 1)) for k in range(45))


def _hankel_coefficients(count: int) -> tuple[float, ...]:
    coefficients = [1.0]
    for k in range(1, count):
        coefficients.append(-coefficients[-1] * (4 - (2 * k - 1) ** 2) / (8 * k))
    return tuple(coefficients)


# I1(x) ~ exp(x) / sqrt(2 pi x) * sum c_k / x^k for x > 20; Abramowitz & Stegun, 9.7.1.
_I1_ASYMPTOTIC = _hankel_coefficients(26)


def horner(coefficients: tuple[float, ...], x: Any) -> Any:
    """The polynomial with these coefficients, lowest first."""
    total = coefficients[-1] + 0 * x
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def sinc_slope(x: Any, out: Any, xp: Any) -> Any:
    """(cos(pi x) - sinc(x)) / x, and its series near 0, where the difference cancels.

    Smooth to any order.
    """
    near = abs(pi * x) < 1
    t = xp.where(near, pi * x, 0)
    return xp.where(
        near, pi * t * horner(_SINC_SLOPE, t * t), (xp.cos(pi * x) - out) / xp.where(near, 1, x)
    )


@primitive
def bessel_i1(x: Any) -> Any:
    """The modified Bessel function of the first kind and order one, the derivative of I0, for real
    arguments.

    >>> bool(abs(bessel_i1(1.0) - 0.565159103992485) < 1e-15)
    True
    """
    xp = library_of_types((type(x),)).namespace
    size = abs(x)
    small, large = xp.minimum(size, 20), xp.maximum(size, 20)
    series = small / 2 * horner(_I1_SERIES, small * small / 4)
    asymptotic = xp.exp(large) / xp.sqrt(2 * pi * large) * horner(_I1_ASYMPTOTIC, 1 / large)
    return xp.sign(x) * xp.where(size <= 20, series, asymptotic)


scalar_rule(np.sinc, "x", sinc_slope)
scalar_rule(np.i0, "x", "i1(x)", names={"i1": bessel_i1})
scalar_rule(bessel_i1, "x", "i0(x) - where(x == 0, 0.5, out / where(x == 0, 1, x))")
