"""First, second and third derivatives of a function of mpmath's, to all digits of a double,
wherever the point lies.

They are central differences, whose step is a small part of the distance to the nearest singular
point. Two of them with different steps and precisions have to agree; otherwise the precision is
doubled.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
from mpmath import mp, mpf

Function = Callable[[Any], Any]
AGREED = mpf(10) ** -16
MORE_DIGITS = 40


def exact_derivatives(
    function: Function, x: float, singular: Sequence[float], known: int, most_digits: int
) -> list[Any]:
    """The derivatives of order 1 to 3 at `x`, None in the place of one for which `most_digits` do
    not suffice.

    `singular` are the points where the function is not analytic. With `known` 1 the function is
    itself the first derivative.
    """
    digits = int(80 + 1.2 * abs(math.log10(abs(x)))) if x else 80
    while True:
        some, more = (
            differences(function, x, singular, known, n) for n in (digits, digits + MORE_DIGITS)
        )
        exact = [
            one if agree(one, other, AGREED) else None
            for one, other in zip(more, some, strict=True)
        ]
        if None not in exact[:2] or digits > most_digits / 2:
            # it only says how much rounding explains
            roughly = more[2] if agree(more[2], some[2], 0.1) else None
            return [*exact[:2], roughly]
        digits = 2 * digits


def agree(one, other, tolerance) -> bool:
    """Whether two numbers are nearly the same; zeros, which cancellation makes, too, are never
    believed.
    """
    return bool(one != 0 and abs(one - other) <= tolerance * abs(one))


def differences(
    function: Function, x: float, singular: Sequence[float], known: int, digits: int
) -> list[Any]:
    """Central differences in a precision, with a step of a small part of the way to the nearest
    singular point.
    """
    with mp.workdps(digits):
        at = mpf(x)
        h = min([abs(at - s) for s in singular], default=mpf(1)) * mpf(10) ** (-digits // 4)
        below, left, here, right, above = (
            mpmath.re(function(at + k * h)) for k in (-2, -1, 0, 1, 2)
        )
        first = (right - left) / (2 * h)
        second = (right - 2 * here + left) / (h * h)
        third = (above - 2 * right + 2 * left - below) / (2 * h**3)
        return [here, first, second] if known else [first, second, third]
