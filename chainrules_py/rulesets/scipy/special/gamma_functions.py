"""The gamma function and what is made of it.

Its logarithm, the beta function, binomial coefficients, zeta.
"""

from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.complex_polygamma import complex_polygamma
from chainrules_py.rulesets.scipy.special.declaring import FUNCTIONS, special_rule
from chainrules_py.rulesets.scipy.special.psi_differences import psi_difference
from chainrules_py.tangents import NO_TANGENT, not_implemented
from chainrules_py.values.arrays import call

special_rule(special.gamma, "x", "out * psi(x)")
special_rule(special.gammaln, "x", "psi(x)")
special_rule(special.loggamma, "z", "psi(z)")
special_rule(special.gammasgn, "x", "0")


def rgamma_slope(x, out, xp) -> Any:
    """-psi(x) * out.

    On the side of the poles, that of gamma(1 - x) sin(pi x) / pi, which is regular: DLMF 5.5.3.
    """
    right = xp.real(x) > 0.5
    psi = call(special.psi, xp.where(right, x, 1 - x))
    low = xp.where(right, 0, x)
    nearest = xp.rint(xp.real(low))
    angle = 3.141592653589793 * (low - nearest)
    sign = 1 - 2 * xp.mod(nearest, 2)
    reflected = (
        sign
        * call(special.gamma, 1 - low)
        * (xp.cos(angle) - psi * xp.sin(angle) / 3.141592653589793)
    )
    return xp.where(right, -out * psi, reflected)


special_rule(special.rgamma, "x", rgamma_slope)


def psi_slope(x, out, xp) -> Any:
    """polygamma(1, x), which SciPy has for real arguments only."""
    return call(complex_polygamma, 1, x) if out.dtype.kind == "c" else call(special.zeta, 2.0, x)


special_rule(special.psi, "x", psi_slope)
special_rule(
    special.polygamma,
    "n, x",
    not_implemented("the derivative of polygamma by its order"),
    "polygamma(n + 1, x)",
)
special_rule(
    special.zeta,
    "x, q",
    not_implemented("the derivative of Hurwitz's zeta function by its exponent"),
    "-x * zeta(x + 1, q)",
)
special_rule(special.zeta, "x", not_implemented("the derivative of Riemann's zeta function"))

special_rule(special.beta, "a, b", "-out * psi_difference(a, b)", "-out * psi_difference(b, a)")
special_rule(special.betaln, "a, b", "-psi_difference(a, b)", "-psi_difference(b, a)")


def over_factorial(n, m, out, xp) -> Any:
    """out psi(m + 1) of a binomial coefficient with 1 / m! in it, by reflection where that is zero,
    or nearly.
    """
    below = m < -0.5
    low, high = xp.where(below, m, -1.5), xp.where(below, 0, m)
    turned = out * call(special.psi, -low) + call(special.beta, n + 1.0, -low) * xp.cos(
        3.141592653589793 * xp.mod(low, 2)
    )
    return xp.where(below, turned, out * call(special.psi, high + 1.0))


def binom_by_n(n, k, out, xp) -> Any:
    """out * (psi(n + 1) - psi(n - k + 1))."""
    regular = n - k > -0.5
    rest = out * call(special.psi, n + 1.0) - over_factorial(n, n - k, out, xp)
    start, step = xp.where(regular, n - k + 1.0, 1.0), xp.where(regular, k, 0)
    return xp.where(regular, out * call(psi_difference, start, step), rest)


def binom_by_k(n, k, out, xp) -> Any:
    """out * (psi(n - k + 1) - psi(k + 1))."""
    regular = (n - k > -0.5) & (k > -0.5)
    rest = over_factorial(n, n - k, out, xp) - over_factorial(n, k, out, xp)
    start, step = xp.where(regular, k + 1.0, 1.0), xp.where(regular, n - 2.0 * k, 0)
    return xp.where(regular, out * call(psi_difference, start, step), rest)


special_rule(special.binom, "n, k", binom_by_n, binom_by_k)


def poch_by_z(z, m, out, xp) -> Any:
    """out * (psi(z + m) - psi(z)), where z is not on the side of the poles."""
    left = z < 0.25
    regular = out * call(psi_difference, xp.where(left, 1, z), xp.where(left, 0, m))
    return xp.where(left, poch_by_left(xp.where(left, z, 0), m, out, xp), regular)


def poch_by_left(z, m, out, xp) -> Any:
    """The derivative of gamma(z + m) / gamma(z), by 1 / gamma and its slope; where z + m is on the
    side of the poles, too, of gamma(1 - z) sin(pi z) / (gamma(1 - z - m) sin(pi (z + m))).
    """
    end = z + m
    right = end > 0.5
    start, step = xp.where(right, 1.0, 1 - end), xp.where(right, 0.0, m)
    above = xp.where(right, end, 1.0)
    slope = rgamma_slope(z, call(special.rgamma, z), xp)
    by_factors = out * call(special.psi, above) + call(special.gamma, above) * slope

    turn, height = half_turns(step, xp), half_turns(xp.where(right, 0.5, end), xp)
    beside = 3.141592653589793 * turn * call(special.poch, start, step)
    by_reflection = xp.where(turn == 0, 0, beside / xp.where(turn == 0, 1, height * height))
    by_reflection = by_reflection - out * call(psi_difference, start, step)
    return xp.where(right, by_factors, by_reflection)


def half_turns(x, xp) -> Any:
    """sin(pi x), which is 0 for whole numbers."""
    nearest = xp.rint(x)
    return (1 - 2 * xp.mod(nearest, 2)) * xp.sin(3.141592653589793 * (x - nearest))


special_rule(special.poch, "z, m", poch_by_z, "out * psi(z + m)")


def multigammaln_slope(a, d) -> Any:
    """total(psi(a - j / 2), j, 0, d - 1)."""
    return sum((call(special.psi, a - 0.5 * j) for j in range(1, int(d))), call(special.psi, a))


special_rule(FUNCTIONS["multigammaln"], "a, d", multigammaln_slope, NO_TANGENT)
