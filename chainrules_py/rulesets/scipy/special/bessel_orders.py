"""Derivatives of Bessel functions by their real order, by differences between sixteen orders.

In the order these functions are entire, so that the error of a difference formula falls faster than
any power of its step: with sixteen points, 1/16 apart, it is below the roundoff of the values,
which the formula multiplies by about 40. Where a function grows or falls fast with the order v,
beyond |z|, that is done on exp(-c (v' - v)) times it, which is flat. Negative orders are those of
the reflection formulas, DLMF 10.4.6 to 10.4.8 and 10.27.2, 10.27.3.
"""

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
from scipy import special

from chainrules_py.annotations import Function
from chainrules_py.makers import primitive
from chainrules_py.rulesets.scipy.special.declaring import named, special_rule
from chainrules_py.tangents import not_implemented

Value = Callable[[Any, Any], Any]
_STEP, _HALF = 1 / 16, 8
# The weight of (f(v + k h) - f(v - k h)) / h: B. Fornberg, Mathematics of Computation 51, 1988,
# 699-706
_WEIGHTS = [
    (-1) ** (k + 1) * comb(2 * _HALF, _HALF - k) / (k * comb(2 * _HALF, _HALF))
    for k in range(1, _HALF + 1)
]


def difference(function: Value, v, z, oscillates: bool) -> Any:
    """The derivative by an order that is not negative."""
    # of powers of z, too, the series ends soon
    step = _STEP / np.maximum(1, np.log(2 / np.maximum(np.abs(z), 1e-300)) / 3)
    ahead, behind = (function(v + sign * step, z) for sign in (1, -1))
    rate = np.log(np.abs(ahead / behind)) / (2 * step)
    flat = ~np.isfinite(rate) | (oscillates & (np.abs(z) >= np.maximum(v, 1)))
    # where there is no zero nearby
    steepest = np.abs(np.log(np.maximum(np.abs(z), 1e-300) / 2)) + np.log1p(v) + 1
    rate = np.clip(np.where(flat, 0, rate), -steepest, steepest)
    total = rate * function(v, z)
    for k, weight in enumerate(_WEIGHTS, 1):
        growth = np.exp(rate * k * step)
        total = total + weight / step * (
            function(v + k * step, z) / growth - function(v - k * step, z) * growth
        )
    return total


def order_derivative(name: str, oscillates: bool, reflected: Function) -> Any:
    """The derivative of a function by its order; `reflected` says what it is for a negative one."""
    function: Value = getattr(special, name)

    def by_order(v, z):
        v, z = np.broadcast_arrays(np.asarray(v, float), z)
        with np.errstate(all="ignore"):
            slopes = difference(function, np.abs(v), z, oscillates)
            result = np.where(v < 0, reflected(np.where(v < 0, -v, 0), z, slopes), slopes)
        return np.where((v > 0) & (z == 0) & (function(v, z) == 0), 0, result)[()]

    by_order.__name__ = by_order.__qualname__ = f"{name}_by_v"
    return named(primitive(by_order))


def turned(v) -> tuple[Any, Any]:
    """cos and sin of v pi."""
    return special.cosdg(180.0 * np.mod(v, 2)), special.sindg(180.0 * np.mod(v, 2))


def of_cylinder(own: str, other: str, sign: int) -> Function:
    """J(-v) = cos(v pi) J(v) - sin(v pi) Y(v), and Y(-v) with the other sign."""

    def reflected(v, z, slopes) -> Any:
        cosine, sine = turned(v)
        function = getattr(special, other)
        return (
            np.pi * sine * getattr(special, own)(v, z)
            - cosine * slopes
            + sign * (np.pi * cosine * function(v, z) + sine * difference(function, v, z, True))
        )

    return reflected


def of_modified_first(scale: Callable[[Any], Any], second: str) -> Function:
    """I(-v) = I(v) + 2 / pi sin(v pi) K(v)."""

    def reflected(v, z, slopes) -> Any:
        (cosine, sine), k = turned(v), getattr(special, second)(v, z)
        other = difference(getattr(special, second), v, z, False)
        return -slopes - scale(z) * (2 * cosine * k + 2 / np.pi * sine * other)

    return reflected


def of_hankel(name: str, turn: complex) -> Function:
    """H(-v) = exp(+-i v pi) H(v)."""

    def reflected(v, z, slopes) -> Any:
        cosine, sine = turned(v)
        return -(cosine + turn * sine) * (slopes + turn * np.pi * getattr(special, name)(v, z))

    return reflected


def scale_of_kve(z):
    """exp(-z - |Re z|), by which kve is multiplied to be scaled as ive is."""
    return np.exp(-z - np.abs(np.real(z)))


BY_REAL_ORDER: dict[str, Any] = {}
SLOPES: dict[str, str] = {}  # that derivative of the recurrence that gives the one by the argument
SECOND = not_implemented("the second derivative of a Bessel function by its order")
DIFFERENCE, SUM = (f"0.5 * (by_order(v - 1, z) {sign} by_order(v + 1, z))" for sign in "-+")
for _name, _oscillates, _reflected, _slope in (
    ("jv", True, of_cylinder("jv", "yv", 1), DIFFERENCE),
    ("yv", True, of_cylinder("yv", "jv", -1), DIFFERENCE),
    ("jve", True, of_cylinder("jve", "yve", 1), DIFFERENCE),
    ("yve", True, of_cylinder("yve", "jve", -1), DIFFERENCE),
    ("iv", False, of_modified_first(lambda z: 1.0, "kv"), SUM),
    ("ive", False, of_modified_first(scale_of_kve, "kve"), f"{SUM} - sign(z) * out"),
    ("kv", False, lambda v, z, slopes: -slopes, f"-{SUM}"),
    ("kve", False, lambda v, z, slopes: -slopes, f"out - {SUM}"),
    ("hankel1", True, of_hankel("hankel1", 1j), DIFFERENCE),
    ("hankel2", True, of_hankel("hankel2", -1j), DIFFERENCE),
    ("hankel1e", True, of_hankel("hankel1e", 1j), f"{DIFFERENCE} - 1j * out"),
    ("hankel2e", True, of_hankel("hankel2e", -1j), f"{DIFFERENCE} + 1j * out"),
):
    _by_order = order_derivative(_name, _oscillates, _reflected)
    BY_REAL_ORDER[_name], SLOPES[_name] = _by_order, _slope
    special_rule(_by_order, "v, z", SECOND, _slope.replace("by_order", f"{_name}_by_v"))
