"""Formulas for first derivatives, written so that second derivatives do not lose digits.

A second derivative follows from the first one as it is written: that of ``(1 - x) * (1 + x)`` is
the sum of ``1 - x`` and ``-(1 + x)``, in which no digit of ``-2 * x`` is left for a small x.
"""

from typing import Any

from chainrules_py.makers import primitive, scalar_rule


@primitive
def one_minus_square(x: Any) -> Any:
    """1 - x**2 as (1 - x) (1 + x): exact near 1, with the branch cuts of arcsin in its root.

    >>> one_minus_square(0.75)
    0.4375
    """
    return (1 - x) * (1 + x)


scalar_rule(one_minus_square, "x", "-2 * x")


def log_of_share(excess: Any, xp: Any) -> Any:
    """-log(1 + exp(excess)), the logarithm of a share.

    Its derivative, minus the other share, has all digits where it is small.
    """
    return -(xp.maximum(excess, 0.0) + xp.log1p(xp.exp(-xp.absolute(excess))))


def logistic_slope(x: Any, dtype: Any, xp: Any) -> Any:
    """exp(x) / (1 + exp(x))**2 as 1 / (2 cosh(x / 2))**2, an even function whose derivative keeps
    its digits at 0.
    """
    # beyond these the square is 0, and cosh does not overflow yet
    largest = 400.0 if dtype.itemsize > 4 else 60.0
    return xp.square(0.5 / xp.cosh(xp.minimum(xp.absolute(0.5 * x), largest)))
