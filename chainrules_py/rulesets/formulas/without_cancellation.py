"""Parts of derivatives whose own derivatives, taken by the chain rule as they are usually written,
would lose their digits.

Second derivatives follow from first ones as they are written: of ``(1 - x) * (1 + x)`` come ``1 -
x`` and ``-(1 + x)``, whose sum ``-2 * x`` has no digit left for a small x. What stands here gives
these numbers in forms of which that does not happen.
"""

from typing import Any

from chainrules_py.makers import primitive, scalar_rule


@primitive
def one_minus_square(x: Any) -> Any:
    """1 - x**2, as a product that is exact near 1 and has the branch cuts of inverse functions in
    roots of it.

    >>> one_minus_square(0.75)
    0.4375
    """
    return (1 - x) * (1 + x)


scalar_rule(one_minus_square, "x", "-2 * x")


def log_of_share(excess: Any, xp: Any) -> Any:
    """-log(1 + exp(excess)), the logarithm of a share.

    Of its derivative, the other share, small values keep their digits.
    """
    return -(xp.maximum(excess, 0.0) + xp.log1p(xp.exp(-xp.absolute(excess))))


def logistic_slope(x: Any, dtype: Any, xp: Any) -> Any:
    """exp(x) / (1 + exp(x))**2 as 1 / (2 cosh(x / 2))**2, an even function whose derivative keeps
    its digits at 0.
    """
    # beyond these the square is 0, and cosh does not overflow yet
    largest = 400.0 if dtype.itemsize > 4 else 60.0
    return xp.square(0.5 / xp.cosh(xp.minimum(xp.absolute(0.5 * x), largest)))
