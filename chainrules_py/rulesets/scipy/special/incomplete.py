"""The incomplete gamma and beta functions, their inverses, and distribution functions that are the
same under other names.

By argument the derivative is a density. By a parameter it is a sum of its own
(`parameter_derivatives`). An inverse in one variable moves by minus the other derivatives over the
one by that variable. Discrete variables have no tangent.
"""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from scipy import special

from chainrules_py.annotations import Function
from chainrules_py.rulesets.scipy.special.declaring import named, special_rule
from chainrules_py.rulesets.scipy.special.parameter_derivatives import (
    beta_density,
    betainc_by_a,
    betainc_by_b,
    gamma_density,
    gammainc_by_a,
)
from chainrules_py.rulesets.scipy.special.psi_differences import psi_difference
from chainrules_py.tangents import ZERO
from chainrules_py.values.arrays import call

Slopes = Function


def declare_tails(function, complement, arguments: str, *slopes) -> None:
    """Register a distribution function and its complement, from the derivatives of the former by each
    argument.
    """
    special_rule(function, arguments, *slopes)
    special_rule(complement, arguments, *map(negative, slopes))


def negative(slope) -> Any:
    """The negative of an expression; what is none is a zero, or says that nobody wrote it."""
    return f"-({slope})" if isinstance(slope, str) else slope


# Between these SciPy searches the inverse by a parameter.
ENDS = (1e-99, 1e99)


@named
def but_at_ends(value, at_end, out, low: float, high: float, xp) -> Any:
    """1 * value, and another one at the ends."""
    return xp.where((out <= low) | (out >= high), at_end, value)


def declare_inverse(
    function,
    arguments: str,
    sought: str,
    *slopes,
    sign: int = 1,
    ends: tuple[float, float] | None = None,
) -> None:
    """Register the inverse of a distribution function, or of its complement with `sign` -1, in the
    argument that is `sought`, from the function's derivatives by each argument.

    It moves by minus another derivative over the one by that argument, or with the probability by
    one over that. An expression that names `out` is that of the inverse itself. At its `ends` the
    inverse stays as it is: it is what SciPy returns where there is none.
    """
    names = arguments.split(", ")
    place = names.index(sought)
    found = "out" if ends is None else f"but_at_ends(out, 1.0, out, {ends[0]}, {ends[1]})"

    def of_inverse(slope) -> Any:
        if not isinstance(slope, str) or "out" in slope:
            return slope
        own = slopes[place]
        moved = f"{sign} / ({own})" if slope is own else f"-({slope}) / ({own})"
        moved = re.sub(rf"\b{sought}\b", found, moved)
        return moved if ends is None else f"but_at_ends({moved}, 0.0, out, {ends[0]}, {ends[1]})"

    names[place] = "y" if "p" in names else "p"
    special_rule(function, ", ".join(names), *map(of_inverse, slopes))


# --- Gamma ---

declare_tails(
    special.gammainc, special.gammaincc, "a, x", "gammainc_by_a(a, x)", "gamma_density(a, x)"
)


@named
def inverse_gamma_by_a(a, out, xp) -> Any:
    """-gammainc_by_a(a, out) / gamma_density(a, out), whose limits are 0 where `out` is 0, and
    infinity where it is that.
    """
    at_end = (out == 0) | (out == math.inf)
    inside = xp.where(at_end, 1.0, out)
    return xp.where(at_end, out, -call(gammainc_by_a, a, inside) / gamma_density(a, inside, xp))


for _function, _sign in ((special.gammaincinv, ""), (special.gammainccinv, "-")):
    special_rule(
        _function, "a, y", "inverse_gamma_by_a(a, out)", f"{_sign}1 / gamma_density(a, out)"
    )


# Chi-squared: gamma of v / 2 at x / 2
CHI_SQUARED = "0.5 * gammainc_by_a(0.5 * v, 0.5 * x)", "0.5 * gamma_density(0.5 * v, 0.5 * x)"
declare_tails(special.chdtr, special.chdtrc, "v, x", *CHI_SQUARED)
declare_inverse(special.chdtri, "v, x", "x", *CHI_SQUARED, sign=-1)
declare_inverse(special.chdtriv, "v, x", "v", *CHI_SQUARED)


# Gamma with rate a and shape b: at a x
@named
def gdtr_by_a(a, b, x, xp) -> Any:
    """x * gamma_density(b, a * x), and 0 at infinity, and where the density is infinite at 0."""
    at_end = (x == math.inf) | ((x == 0) & (b < 1))
    x = xp.where(at_end, 1.0, x)
    return xp.where(at_end, 0.0, x * gamma_density(b, a * x, xp))


GAMMA = "gdtr_by_a(a, b, x)", "gammainc_by_a(b, a * x)", "a * gamma_density(b, a * x)"
declare_tails(special.gdtr, special.gdtrc, "a, b, x", *GAMMA)
declare_inverse(special.gdtria, "a, b, x", "a", *GAMMA[:2], "-out / x")
declare_inverse(special.gdtrib, "a, b, x", "b", *GAMMA)
declare_inverse(special.gdtrix, "a, b, x", "x", "-out / a", *GAMMA[1:])


# Poisson: of whole numbers k, the complement of gamma at k + 1
declare_tails(special.pdtr, special.pdtrc, "k, m", ZERO, "-gamma_density(floor(k) + 1.0, m)")
declare_inverse(special.pdtri, "k, m", "m", ZERO, "-gamma_density(trunc(1.0 * k) + 1.0, m)")
declare_inverse(
    special.pdtrik,
    "k, m",
    "k",
    "gammainc_by_a(k + 1, m)",
    "gamma_density(k + 1.0, m)",
    sign=-1,
    ends=ENDS,
)


# --- Beta ---

BETA = "betainc_by_a(a, b, x)", "betainc_by_b(a, b, x)", "beta_density(a, b, x)"
declare_tails(special.betainc, special.betaincc, "a, b, x", *BETA)


def inverse_beta_by_parameter(by_parameter) -> Slopes:
    """The derivative of the inverse by a parameter, of which that of betainc is given; the inverse
    stays where it is 0 or 1.
    """

    def slope(a, b, out, xp) -> Any:
        """-by_parameter(a, b, out) / beta_density(a, b, out), and 0 at the ends."""
        at_end = (out == 0) | (out == 1)
        inside = xp.where(at_end, 0.5, out)
        moved = -call(by_parameter, a, b, inside) / beta_density(a, b, inside, xp)
        return xp.where(at_end, 0.0, moved)

    return slope


for _function, _sign in ((special.betaincinv, ""), (special.betainccinv, "-")):
    special_rule(
        _function,
        "a, b, y",
        inverse_beta_by_parameter(betainc_by_a),
        inverse_beta_by_parameter(betainc_by_b),
        f"{_sign}1 / beta_density(a, b, out)",
    )
declare_inverse(special.btdtria, "a, b, x", "a", *BETA)
declare_inverse(special.btdtrib, "a, b, x", "b", *BETA)


# Negative binomial: of whole k and n, beta of n and k + 1 at p
NEGATIVE_BINOMIAL = ZERO, ZERO, "beta_density(trunc(1.0 * n), trunc(1.0 * k) + 1.0, p)"
declare_tails(special.nbdtr, special.nbdtrc, "k, n, p", *NEGATIVE_BINOMIAL)
declare_inverse(special.nbdtri, "k, n, p", "p", *NEGATIVE_BINOMIAL)


# Student's t: half of beta of df / 2 and 1 / 2 at df / (df + t^2), on either side
@named
def stdtr_by_t(df, t, xp) -> Any:
    """(1 + t**2 / df)**(-(df + 1) / 2) / (sqrt(df) * beta(df / 2, 1 / 2)), the density, which is the
    normal one where df is infinite.
    """
    is_normal = df == math.inf
    df = xp.where(is_normal, 1.0, df)
    density = xp.exp(
        -0.5 * (df + 1) * xp.log1p(t * t / df) - call(special.betaln, 0.5 * df, 0.5)
    ) / xp.sqrt(df)
    return xp.where(is_normal, xp.exp(-0.5 * t * t) / math.sqrt(2 * math.pi), density)


@named
def stdtr_by_df(df, t, xp) -> Any:
    """-sign(t) / 2 * (betainc_by_a(df / 2, 1 / 2, df / (df + t**2)) / 2
    + t**2 / (df + t**2)**2 * beta_density(df / 2, 1 / 2, df / (df + t**2))), by its complement where the argument is
    near 1, and 0 where df or t is infinite.
    """
    at_end = (df == math.inf) | (abs(t) == math.inf)
    df, t = xp.where(at_end, 1.0, df), xp.where(at_end, 0.0, t)
    at_zero = (t * t < 1e-4 * df) & (t * t < 1e-4)
    small, t = (
        xp.where(at_zero & xp.logical_not(at_end), t, 0),
        xp.where(at_zero, xp.sqrt(0.5 * df), t),
    )
    total, near = df + t * t, t * t < df
    within, outside = xp.where(near, t * t / total, 0.5), xp.where(near, 0.5, df / total)
    moved = (t / total) * (t / total)
    below = (
        0.5 * call(betainc_by_b, 0.5, 0.5 * df, within)
        - beta_density(0.5, 0.5 * df, within, xp) * moved
    )
    beyond = (
        -0.5 * call(betainc_by_a, 0.5 * df, 0.5, outside)
        - beta_density(0.5 * df, 0.5, outside, xp) * moved
    )
    elsewhere = 0.5 * xp.sign(t) * xp.where(near, below, beyond)
    return xp.where(at_zero, stdtr_by_df_at_zero(df, small, xp), elsewhere)


def stdtr_by_df_at_zero(df, t, xp) -> Any:
    """The derivative of the density at 0 times t 2F1(1 / 2, (df + 1) / 2; 3 / 2; -t^2 / df), of
    which a few terms are enough.
    """
    term, moved = t, 0.0 * t  # the derivative of a term
    total, slope = term, moved
    for k in range(1, 6):
        weight = (2 * k - 1) / (2 * k * (2 * k + 1)) * t * t
        ratio = -weight * (1 + (2 * k - 1) / df)
        moved = moved * ratio + term * weight * (2 * k - 1) / (df * df)
        term = term * ratio
        total, slope = total + term, slope + moved
    of_logarithm = 0.5 * (call(psi_difference, 0.5 * df, 0.5) - 1 / df)
    return stdtr_by_t(df, xp.zeros_like(t), xp) * (slope + of_logarithm * total)


STUDENT = "stdtr_by_df(df, t)", "stdtr_by_t(df, t)"
special_rule(special.stdtr, "df, t", *STUDENT)
declare_inverse(special.stdtrit, "df, t", "t", *STUDENT)
declare_inverse(special.stdtridf, "df, t", "df", *STUDENT, ends=(ENDS[0], 1e10))


_AT_ONCE = 1e-30  # a point at which a continued fraction ends with its first terms


# F: beta of dfn / 2 and dfd / 2 at dfn x / (dfd + dfn x)
def at_ratio(dfn, dfd, x, xp, near: Callable[..., Any], far: Callable[..., Any]) -> Any:
    """`near` at these parameters and this point; beyond its middle `far` at the rest of 1, of which
    the point has few digits, and the parameters exchanged.
    """
    total, is_far = dfd + dfn * x, dfn * x > dfd
    point = xp.where(is_far, _AT_ONCE, dfn * x / total)
    rest = xp.where(is_far, dfd / total, _AT_ONCE)
    return xp.where(is_far, far(0.5 * dfd, 0.5 * dfn, rest), near(0.5 * dfn, 0.5 * dfd, point))


@named
def fdtr_by_x(dfn, dfd, x, xp) -> Any:
    """(dfn / dfd)**(dfn / 2) * x**(dfn / 2 - 1) / (1 + dfn * x / dfd)**((dfn + dfd) / 2)
    / beta(dfn / 2, dfd / 2), the density, which is 0 at infinity.
    """
    at_infinity = x == math.inf
    x = xp.where(at_infinity, 1.0, x)

    def density(a, b, point) -> Any:
        return beta_density(a, b, point, xp)

    total = dfd + dfn * x
    slope = at_ratio(dfn, dfd, x, xp, density, density) * (dfn / total) * (dfd / total)
    return xp.where(at_infinity, 0.0, slope)


@named
def fdtr_by_dfn(dfn, dfd, x, xp) -> Any:
    """0.5 * betainc_by_a(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x)) + x / dfn * fdtr_by_x(dfn, dfd,
    x), and 0 at infinity, and where the density is infinite at 0.
    """
    return fdtr_by_freedom(dfn, dfd, x, xp, betainc_by_a, betainc_by_b, dfn)


@named
def fdtr_by_dfd(dfn, dfd, x, xp) -> Any:
    """0.5 * betainc_by_b(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x)) - x / dfd * fdtr_by_x(dfn, dfd,
    x), and 0 at infinity, and where the density is infinite at 0.
    """
    return fdtr_by_freedom(dfn, dfd, x, xp, betainc_by_b, betainc_by_a, -dfd)


def fdtr_by_freedom(dfn, dfd, x, xp, slope, other_slope, of_x) -> Any:
    """The slope of betainc by one of its parameters, at a ratio that moves as x / `of_x` does."""
    at_end = (x == math.inf) | ((x == 0) & (dfn < 2))
    x = xp.where(at_end, 1.0, x)
    near, far = partial(call, slope), lambda *at: -call(other_slope, *at)
    by_parameter = at_ratio(dfn, dfd, x, xp, near, far)
    found = 0.5 * by_parameter + fdtr_by_x(dfn, dfd, x, xp) * x / of_x
    return xp.where(at_end, 0.0, found)


F = "fdtr_by_dfn(dfn, dfd, x)", "fdtr_by_dfd(dfn, dfd, x)", "fdtr_by_x(dfn, dfd, x)"
declare_tails(special.fdtr, special.fdtrc, "dfn, dfd, x", *F)
declare_inverse(special.fdtri, "dfn, dfd, x", "x", *F)
declare_inverse(special.fdtridfd, "dfn, dfd, x", "dfd", *F, ends=ENDS)
