"""Power series for quotients and differences that lose all digits near a point, or far out."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import factorial
from operator import mul
from typing import Any

from chainrules_py.rulesets.scipy.special.declaring import named
from chainrules_py.rulesets.ufuncs.sinc_and_i0 import horner


def near_zero(
    u, coefficients: Sequence[float], radius: float, elsewhere: Callable[[Any], Any], xp
) -> Any:
    """A power series where |u| is below a radius; elsewhere a function, which gets 1 for such u."""
    near = abs(u) < radius
    small, large = xp.where(near, u, 0), xp.where(near, 1, u)
    return xp.where(near, horner(tuple(coefficients), small), elsewhere(large))


# (2n + 1)!!, the asymptotic coefficients of a derivative of erfcx, w and Dawson's integral: DLMF
# 7.12.1, term by term
_TAIL = tuple(map(float, accumulate(range(1, 26, 2), mul)))
_SLOPE_OF_TAIL = tuple(coefficient * (n + 1) for n, coefficient in enumerate(_TAIL))


def tail_of_gaussian(u) -> Any:
    """sum (2n + 1)!! u^n for |u| below 1/200: derivatives whose two terms cancel far from zero."""
    return horner(_TAIL, u)


def slope_of_tail(u) -> Any:
    """sum (2n + 1)!! (n + 1) u^n for |u| below 1/200.

    The derivative of z w(z), in which the leading terms cancel, is proportional to it.
    """
    return horner(_SLOPE_OF_TAIL, u)


_EXPONENTIAL = tuple((k + 1) / factorial(k + 2) for k in range(18))
_LOGARITHM = tuple((-1) ** (k + 1) * (k + 1) / (k + 2) for k in range(16))
_SINH = tuple(1 / factorial(2 * k + 1) for k in range(12))
_SINE = tuple((-1) ** k / factorial(2 * k + 1) for k in range(12))
_QUOTIENT_OF_LOGARITHM = tuple((-1) ** k / (k + 1) for k in range(16))


@named
def exponential_remainder(u, xp) -> Any:
    """(u * exp(u) - exp(u) + 1) / u**2, the derivative of (e^u - 1) / u."""
    return near_zero(u, _EXPONENTIAL, 0.5, lambda u: (u * xp.exp(u) - xp.expm1(u)) / (u * u), xp)


@named
def logarithmic_remainder(u, xp) -> Any:
    """(u / (1 + u) - log(1 + u)) / u**2, the derivative of log(1 + u) / u."""
    return near_zero(u, _LOGARITHM, 0.05, lambda u: (u / (1 + u) - xp.log1p(u)) / (u * u), xp)


@named
def sinh_quotient(x, xp) -> Any:
    """sinh(x) / x."""
    return near_zero(
        x * x, _SINH, 1.0, lambda square: xp.sinh(xp.sqrt(square)) / xp.sqrt(square), xp
    )


@named
def sine_quotient(x, xp) -> Any:
    """sin(x) / x."""
    near = abs(x) < 1
    small, large = xp.where(near, x, 0), xp.where(near, 1, x)
    return xp.where(near, horner(_SINE, small * small), xp.sin(large) / large)


@named
def log1p_quotient(u, xp) -> Any:
    """log(1 + u) / u."""
    return near_zero(u, _QUOTIENT_OF_LOGARITHM, 0.05, lambda u: xp.log1p(u) / u, xp)


@named
def log_quotient(z, xp) -> Any:
    """log(z) / (z - 1)."""
    near = abs(z - 1) < 0.05
    close, elsewhere = xp.where(near, z - 1, 0), xp.where(near, 2, z)
    return xp.where(
        near, horner(_QUOTIENT_OF_LOGARITHM, close), xp.log(elsewhere) / (elsewhere - 1)
    )
