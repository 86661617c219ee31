"""Differences of the digamma function, in which rules of beta functions and of their densities
would lose their digits.
"""

from typing import Any

from scipy import special

from chainrules_py.makers import primitive, scalar_rule
from chainrules_py.tangents import not_implemented
from chainrules_py.values.arrays import library_of_types

_TERMS = 6


@primitive
def psi_difference(x, d) -> Any:
    """psi(x + d) - psi(x).

    For a small step d its series around the middle m, the sum of d (d/2)^(2k) zeta(2k + 2, m).

    >>> round(1e12 * float(psi_difference(1e12, 1.0)), 12)
    1.0
    """
    library = library_of_types((type(x), type(d)))
    xp = library.namespace
    psi = library.implementation(special.psi)
    zeta = library.implementation(special.zeta)
    direct = psi(1.0 * x + d) - psi(1.0 * x)
    near, middle, step = around_middle(x, d, xp)
    series = sum(
        step * (0.25 * step * step) ** k * zeta(2.0 * k + 2, middle) for k in range(_TERMS)
    )
    return xp.where(near, series, direct)


@primitive
def zeta_difference(s: float, x, d) -> Any:
    """zeta(s, x + d) - zeta(s, x), Hurwitz's functions.

    For a small step d by the odd terms of their series around the middle.

    >>> round(1e24 * float(zeta_difference(2.0, 1e12, 1.0)), 11)
    -1.0
    """
    library = library_of_types((type(x), type(d)))
    xp, zeta = library.namespace, library.implementation(special.zeta)
    direct = zeta(s, 1.0 * x + d) - zeta(s, 1.0 * x)
    near, middle, step = around_middle(x, d, xp)
    series, factor = 0.0, -s * step
    for k in range(_TERMS):
        order = 2 * k + 1
        series = series + factor * zeta(s + order, middle)
        factor = (
            factor
            * 0.25
            * step
            * step
            * (s + order)
            * (s + order + 1)
            / ((order + 1) * (order + 2))
        )
    return xp.where(near, series, direct)


def around_middle(x, d, xp) -> tuple[Any, Any, Any]:
    """Where the middle between x and x + d is so far out that a series in d ends soon.

    The middles there, and the steps.
    """
    middle = x + 0.5 * d
    near = (abs(d) < 0.1 * middle) & (abs(d) < 1e20)
    return near, xp.where(near, middle, 1.0), xp.where(near, 1.0 * d, 0.0)


scalar_rule(
    psi_difference,
    "x, d",
    "zeta_difference(2.0, x, d)",
    "zeta(2.0, x + d)",
    names={"zeta": special.zeta, "zeta_difference": zeta_difference},
)
scalar_rule(
    zeta_difference,
    "s, x, d",
    not_implemented("the derivative of a difference of Hurwitz's zeta function by its exponent"),
    "-s * zeta_difference(s + 1.0, x, d)",
    "-s * zeta(s + 1.0, x + d)",
    names={"zeta": special.zeta, "zeta_difference": zeta_difference},
)
