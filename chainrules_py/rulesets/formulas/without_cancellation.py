"""Formulas for first derivatives, written so that higher derivatives are right and lose no digits.

A second derivative follows from the first one as it is written: that of ``(1 - x) * (1 + x)`` is
the sum of ``1 - x`` and ``-(1 + x)``, in which no digit of ``-2 * x`` is left for a small x. And
that of ``where(x == 0, 0, x / y)`` by x is 0 at 0. Smooth partials have no kinks and no constants
in single points: where a formula does not hold, another one that is smooth takes over.
"""

from typing import Any

from chainrules_py.makers import primitive, scalar_rule
from chainrules_py.values.arrays import library_of_types


@primitive
def one_minus_square(x) -> Any:
    """1 - x**2, as (1 - x) (1 + x): exact near 1, with the branch cuts of arcsin in its root.

    >>> one_minus_square(0.75)
    0.4375
    """
    # 1 - x and 1 + x would lose the sign of an imaginary part that is zero: the side of the cut
    return (-x - -1) * (x - -1)


scalar_rule(one_minus_square, "x", "-2 * x")


@primitive
def over(x, y) -> Any:
    """x / y, and 0 where both are 0.

    >>> float(over(0.0, 0.0)), float(over(1.0, 2.0))
    (0.0, 0.5)
    """
    xp = library_of_types((type(x), type(y))).namespace
    both = (x == 0) & (y == 0)
    return xp.where(both, 0, x / xp.where(both, 1, y))


scalar_rule(over, "x, y", "1 / y", lambda x, y, out: -over(out, y), singular=True)


def logistic(x, xp) -> Any:
    """1 / (1 + exp(-x)), the share of one of two numbers that differ by x in the sum of their
    exponentials.

    Each of its two forms is the function everywhere, and the other one where it would overflow.
    """
    below = x < 0
    small = xp.exp(xp.where(below, x, -x))
    return xp.where(below, small, 1.0) / (1 + small)


def logistic_slope(x, out, xp) -> Any:
    """1 / (2 * cosh(x / 2))**2, an even function whose derivatives keep their digits at 0."""
    # beyond these the square is 0, and cosh does not overflow yet
    largest = 400.0 if out.dtype.itemsize > 4 else 60.0
    bounded = xp.maximum(xp.minimum(0.5 * x, largest), -largest)
    return xp.square(0.5 / xp.cosh(bounded))


def root_flat_at_zero(square, xp) -> Any:
    """The square root, with the derivative 0 at 0: the mean over all directions of a length."""
    is_zero = square == 0
    return xp.where(is_zero, 0, xp.sqrt(xp.where(is_zero, 1, square)))
