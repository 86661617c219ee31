"""Other distribution functions.

Normal by its parameters, non-central chi-squared, Kolmogorov's, Tukey's lambda.
"""

import math
from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import named, special_rule
from chainrules_py.rulesets.scipy.special.incomplete import ENDS, declare_inverse
from chainrules_py.rulesets.scipy.special.parameter_derivatives import gamma_density
from chainrules_py.tangents import not_implemented
from chainrules_py.values.arrays import call

BY_PARAMETER = not_implemented(
    "the derivative of a distribution function that has no density in SciPy"
)

# The mean and the deviation of a normal distribution that has a quantile at x
special_rule(
    special.nrdtrimn,
    "p, std, x",
    "-2.5066282746310002 * std * exp(0.5 * ((x - out) / std) * ((x - out) / std))",
    "(out - x) / std",
    "1",
)
special_rule(
    special.nrdtrisd,
    "mn, p, x",
    "-out / (x - mn)",
    "-2.5066282746310002 * out * out / (x - mn) * exp(0.5 * ((x - mn) / out) * ((x - mn) / out))",
    "out / (x - mn)",
)


@named
def chndtr_by_x(x, df, nc, xp) -> Any:
    """exp(-(x + nc) / 2) * (x / nc)**(df / 4 - 1 / 2) * iv(df / 2 - 1, sqrt(nc * x)) / 2, the density,
    after P. B. Patnaik, Biometrika 36, 1949.

    It is computed by a scaled Bessel function, so that nothing overflows; of a small argument by its
    series, and of a large order by an expansion, as those of SciPy underflow.
    """
    at_infinity = x == math.inf
    x = xp.where(at_infinity, 1.0, x)
    order, argument = 0.5 * df - 1, 0.25 * nc * x
    is_large = (order > _LARGE) & (x > 0)
    is_small = xp.logical_not(is_large) & (argument <= order + 1)
    expanded = _noncentral_by_order(
        xp.where(is_large, x, 2 * _LARGE),
        xp.where(is_large, order, _LARGE),
        xp.where(is_large, nc, 0.0),
        xp,
    )
    power = xp.where(is_large, 1.0, order)
    series = 0.5 * gamma_density(power + 1, 0.5 * x, xp) * xp.exp(-0.5 * nc)
    series = series * _confluent_limit(power + 1, xp.where(is_small, argument, 0.0), xp)

    is_plain = xp.logical_not(is_large | is_small)
    x, nc = xp.where(is_plain, x, 1.0), xp.where(is_plain, nc, 1.0)
    away = xp.sqrt(x) - xp.sqrt(nc)
    plain = (
        0.5
        * xp.exp(0.5 * power * xp.log(x / nc) - 0.5 * away * away)
        * call(special.ive, power, xp.sqrt(nc * x))
    )
    density = xp.where(is_large, expanded, xp.where(is_small, series, plain))
    return xp.where(at_infinity, 0.0, density)


_LARGE = 100.0  # an order


def _confluent_limit(b, z, xp) -> Any:
    """hyp0f1(b, z) for z up to b."""
    total = 1.0
    for k in range(20, 0, -1):
        total = 1.0 + z / (k * (b + (k - 1))) * total
    return total


def _noncentral_by_order(x, order, nc, xp) -> Any:
    """The density by F. W. J. Olver's expansion of Bessel functions of a large order, DLMF 10.41.3,
    with its exponent taken together around the mode.
    """
    root = xp.sqrt(order * order + nc * x)
    away = xp.log(x / (order + root))
    sinh = xp.sinh(0.5 * away)
    exponent = -2 * root * sinh * sinh - order * (xp.sinh(away) - away)
    share, correction = order / root, 0.0
    for coefficients in reversed(_OLVER):
        polynomial = 0.0
        for coefficient in reversed(coefficients):
            polynomial = polynomial * share * share + coefficient
        correction = (polynomial + correction) / root
    return 0.5 * xp.exp(exponent) / xp.sqrt(2 * math.pi * root) * (1 + correction)


def _olver_coefficients(count: int) -> list[list[float]]:
    """Those of U_k(p) / p^k by powers of p^2, for k from 1: DLMF 10.41.9."""
    found = [[1.0]]
    for k in range(count):
        longer = [0.0] * (k + 2)
        for place, coefficient in enumerate(found[-1]):
            j = k + 2 * place
            longer[place] += coefficient * (j / 2 + 1 / (8 * (j + 1)))
            longer[place + 1] -= coefficient * (j / 2 + 5 / (8 * (j + 3)))
        found.append(longer)
    return found[1:]


_OLVER = _olver_coefficients(7)


@named
def chndtr_by_nc(x, df, nc, xp) -> Any:
    """-1 times the density with two degrees of freedom more."""
    return -chndtr_by_x(x, df + 2, nc, xp)


NONCENTRAL = "chndtr_by_x(x, df, nc)", BY_PARAMETER, "chndtr_by_nc(x, df, nc)"
special_rule(special.chndtr, "x, df, nc", *NONCENTRAL)
declare_inverse(special.chndtrix, "x, df, nc", "x", *NONCENTRAL)
declare_inverse(special.chndtrinc, "x, df, nc", "nc", *NONCENTRAL, ends=ENDS)


@named
def kolmogorov_by_y(y, xp) -> Any:
    """8 * y * total((-1)**k * k**2 * exp(-2 * k**2 * y**2), k, 1, inf), and for small y the sum that a
    theta function turns it into.
    """
    far = y > 0.8
    large, small = xp.where(far, y, 1.0), xp.where(far | (y <= 0), 0.5, y)
    terms = sum((-1) ** (k - 1) * k * k * xp.exp(-2.0 * k * k * large * large) for k in range(1, 8))
    squares = [(2 * k - 1) ** 2 * 1.2337005501361697 for k in range(1, 8)]  # pi^2 / 8
    turned = sum((2 * c / (small * small) - 1) * xp.exp(-c / (small * small)) for c in squares)
    near = -2.5066282746310002 / (small * small) * turned
    return xp.where(far, -8.0 * large * terms, xp.where(y <= 0, 0, near))


special_rule(special.kolmogorov, "y", "kolmogorov_by_y(y)")
declare_inverse(special.kolmogi, "y", "y", "kolmogorov_by_y(y)")


def tukey_slope(lmbda, out, xp) -> Any:
    """1 / (out**(lmbda - 1) + (1 - out)**(lmbda - 1)), and 0 outside of the support."""
    inside = (out > 0) & (out < 1)
    p = xp.where(inside, out, 0.5)
    return xp.where(inside, 1 / (p ** (lmbda - 1) + (1 - p) ** (lmbda - 1)), 0)


special_rule(special.tklmbda, "x, lmbda", tukey_slope, BY_PARAMETER)
