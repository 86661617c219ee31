"""Differences of the digamma function, in which rules of beta functions and of their densities would lose their digits."""

from typing import Any

from scipy import special

from chainrules_py.arrays import library_of_types
from chainrules_py.makers import primitive, scalar_rule

_TERMS = 6


@primitive
def psi_difference(x: Any, d: Any) -> Any:
    """psi(x + d) - psi(x); for a small step d its series around the middle m, the sum of d (d/2)^(2k) zeta(2k + 2, m).

    >>> round(1e12 * float(psi_difference(1e12, 1.0)), 12)
    1.0
    """
    library = library_of_types((type(x), type(d)))
    xp, psi, zeta = library.namespace, library.implementation(special.psi), library.implementation(special.zeta)
    middle, direct = x + 0.5 * d, psi(1.0 * x + d) - psi(1.0 * x)
    near = (abs(d) < 0.1 * middle) & (abs(d) < 1e20)
    middle, step = xp.where(near, middle, 1.0), xp.where(near, 1.0 * d, 0.0)
    series = sum(step * (0.25 * step * step) ** k * zeta(2.0 * k + 2, middle) for k in range(_TERMS))
    return xp.where(near, series, direct)


scalar_rule(
    psi_difference,
    "x, d",
    "zeta(2.0, x + d) - zeta(2.0, x)",
    "zeta(2.0, x + d)",
    names={"zeta": special.zeta},
)
