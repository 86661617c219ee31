"""The incomplete gamma and beta functions, their inverses, and distribution functions that are the
same under other names.

By argument the derivative is a density. By a parameter it is a sum of its own
(`parameter_derivatives`). An inverse in one variable moves by minus the other derivatives over the
one by that variable. Discrete variables have no tangent.
"""

import math
import operator
from functools import wraps
from inspect import Parameter, Signature
from typing import Any

from scipy import special

from chainrules_py.annotations import Function
from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.rulesets.scipy.special.parameter_derivatives import (
    beta_density,
    betainc_by_a as betainc_of_a,
    betainc_by_b as betainc_of_b,
    gamma_density,
    gammainc_by_a as gammainc_of_shape,
)
from chainrules_py.rulesets.scipy.special.psi_differences import psi_difference
from chainrules_py.tangents import ZERO
from chainrules_py.values.arrays import call
from chainrules_py.values.signatures import parameters_of

Slopes = Function


def declare_tail(function, arguments: str, *slopes, sign: int = 1) -> None:
    """Register a distribution function, or its complement with `sign` -1, from its derivatives by
    each argument.
    """
    special_rule(function, arguments, *(_signed(slope, sign) for slope in slopes))


def _signed(slope, sign: int) -> Any:
    """A partial, or with `sign` -1 its negative, with the same parameters."""
    if sign == 1 or not callable(slope):
        return slope

    negative: Any = operator.neg  # by which its formula is told

    @wraps(slope)
    def changed(*args, **options):
        return negative(slope(*args, **options))

    return changed


# Between these SciPy searches the inverse by a parameter.
ENDS = (1e-99, 1e99)


def declare_inverse(
    function, arguments: str, *slopes, sign: int = 1, ends: tuple[float, float] | None = None
) -> None:
    """Register the inverse of a distribution function, or of its complement with `sign` -1, in the
    argument for which `arguments` has p or y, from the function's derivatives by each argument.

    At its `ends` the inverse stays as it is: it is what SciPy returns where there is none.
    """
    names = arguments.split(", ")
    place = next(k for k, name in enumerate(names) if name in ("p", "y"))
    names[place] = "out"
    own = slopes[place]
    others = [None if k == place else slope for k, slope in enumerate(slopes)]
    partials = [
        _inverse_by(slope, own, names, sign, ends) if slope is None or callable(slope) else slope
        for slope in others
    ]
    special_rule(function, arguments, *partials)


def _inverse_by(
    other: Slopes | None,
    own: Slopes,
    names: list[str],
    sign: int,
    ends: tuple[float, float] | None,
) -> Slopes:
    """How an inverse moves: by minus another derivative over the one by the argument that is sought,
    or with the probability by one over that.
    """
    place, given = names.index("out"), ", ".join(names)

    def slope(*at, xp) -> Any:
        ended = None
        if ends is not None:
            ended = (at[place] <= ends[0]) | (at[place] >= ends[1])
            at = (*at[:place], xp.where(ended, 1.0, at[place]), *at[place + 1 :])
        moved = (sign if other is None else -_value(other, at, xp)) / _value(own, at, xp)
        return moved if ended is None else xp.where(ended, 0.0, moved)

    slope.__doc__ = f"{sign if other is None else f'-other({given})'} / own({given})"
    slope.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in (*names, "xp")]
    )
    return slope


def _value(slope: Slopes, at: tuple[Any, ...], xp) -> Any:
    return slope(*at, xp) if "xp" in parameters_of(slope).names else slope(*at)


# --- Gamma ---


def gammainc_by_x(a, x, xp) -> Any:
    return gamma_density(a, x, xp)


def gammainc_by_a(a, x) -> Any:
    return call(gammainc_of_shape, a, x)


for function, sign in ((special.gammainc, 1), (special.gammaincc, -1)):
    declare_tail(function, "a, x", gammainc_by_a, gammainc_by_x, sign=sign)


def inverse_gamma_by_a(a, out, xp) -> Any:
    """-gammainc_by_a(a, out) / gammainc_by_x(a, out), whose limits are 0 where `out` is 0, and
    infinity where it is that.
    """
    at_end = (out == 0) | (out == math.inf)
    inside = xp.where(at_end, 1.0, out)
    return xp.where(at_end, out, -gammainc_by_a(a, inside) / gammainc_by_x(a, inside, xp))


def inverse_gamma_by_y(a, out, xp) -> Any:
    return 1 / gammainc_by_x(a, out, xp)


for function, sign in ((special.gammaincinv, 1), (special.gammainccinv, -1)):
    special_rule(function, "a, y", inverse_gamma_by_a, _signed(inverse_gamma_by_y, sign))


# Chi-squared: gamma of v / 2 at x / 2
def chdtr_by_x(v, x, xp) -> Any:
    return 0.5 * gamma_density(0.5 * v, 0.5 * x, xp)


def chdtr_by_v(v, x) -> Any:
    return 0.5 * gammainc_by_a(0.5 * v, 0.5 * x)


for function, sign in ((special.chdtr, 1), (special.chdtrc, -1)):
    declare_tail(function, "v, x", chdtr_by_v, chdtr_by_x, sign=sign)
declare_inverse(special.chdtri, "v, p", chdtr_by_v, chdtr_by_x, sign=-1)
declare_inverse(special.chdtriv, "p, x", chdtr_by_v, chdtr_by_x)


# Gamma with rate a and shape b: at a x
def gdtr_by_a(a, b, x, xp) -> Any:
    """x * gamma_density(b, a * x), and 0 at infinity, and where the density is infinite at 0."""
    at_end = (x == math.inf) | ((x == 0) & (b < 1))
    x = xp.where(at_end, 1.0, x)
    return xp.where(at_end, 0.0, x * gamma_density(b, a * x, xp))


def gdtr_by_b(a, b, x) -> Any:
    return gammainc_by_a(b, a * x)


def gdtr_by_x(a, b, x, xp) -> Any:
    return a * gamma_density(b, a * x, xp)


for function, sign in ((special.gdtr, 1), (special.gdtrc, -1)):
    declare_tail(function, "a, b, x", gdtr_by_a, gdtr_by_b, gdtr_by_x, sign=sign)
declare_inverse(special.gdtria, "p, b, x", gdtr_by_a, gdtr_by_b, "-out / x")
declare_inverse(special.gdtrib, "a, p, x", gdtr_by_a, gdtr_by_b, gdtr_by_x)
declare_inverse(special.gdtrix, "a, b, p", "-out / a", gdtr_by_b, gdtr_by_x)


# Poisson: of whole numbers k, the complement of gamma at k + 1
def pdtr_by_m(k, m, xp) -> Any:
    return -gamma_density(xp.floor(k) + 1.0, m, xp)


for function, sign in ((special.pdtr, 1), (special.pdtrc, -1)):
    declare_tail(function, "k, m", ZERO, pdtr_by_m, sign=sign)
declare_inverse(special.pdtri, "k, y", ZERO, lambda k, m, xp: pdtr_by_m(xp.trunc(1.0 * k), m, xp))
declare_inverse(
    special.pdtrik,
    "p, m",
    lambda k, m: gammainc_by_a(k + 1, m),
    lambda k, m, xp: gamma_density(k + 1.0, m, xp),
    sign=-1,
    ends=ENDS,
)


# --- Beta ---


def betainc_by_x(a, b, x, xp) -> Any:
    return beta_density(a, b, x, xp)


def betainc_by_a(a, b, x) -> Any:
    return call(betainc_of_a, a, b, x)


def betainc_by_b(a, b, x) -> Any:
    return call(betainc_of_b, a, b, x)


for function, sign in ((special.betainc, 1), (special.betaincc, -1)):
    declare_tail(function, "a, b, x", betainc_by_a, betainc_by_b, betainc_by_x, sign=sign)


def inverse_beta_by_parameter(by_parameter: Slopes) -> Slopes:
    """The derivative of the inverse by a parameter, of which that of betainc is given; the inverse
    stays where it is 0 or 1.
    """

    def slope(a, b, out, xp) -> Any:
        """-by_parameter(a, b, out) / betainc_by_x(a, b, out), and 0 at the ends."""
        at_end = (out == 0) | (out == 1)
        inside = xp.where(at_end, 0.5, out)
        return xp.where(at_end, 0.0, -by_parameter(a, b, inside) / betainc_by_x(a, b, inside, xp))

    return slope


for function, sign in ((special.betaincinv, 1), (special.betainccinv, -1)):
    special_rule(
        function,
        "a, b, y",
        inverse_beta_by_parameter(betainc_by_a),
        inverse_beta_by_parameter(betainc_by_b),
        _signed(lambda a, b, out, xp: 1 / betainc_by_x(a, b, out, xp), sign),
    )
declare_inverse(special.btdtria, "p, b, x", betainc_by_a, betainc_by_b, betainc_by_x)
declare_inverse(special.btdtrib, "a, p, x", betainc_by_a, betainc_by_b, betainc_by_x)


# Negative binomial: of whole k and n, beta of n and k + 1 at p
def nbdtr_by_p(k, n, p, xp) -> Any:
    return beta_density(xp.trunc(1.0 * n), xp.trunc(1.0 * k) + 1.0, p, xp)


for function, sign in ((special.nbdtr, 1), (special.nbdtrc, -1)):
    declare_tail(function, "k, n, p", ZERO, ZERO, nbdtr_by_p, sign=sign)
declare_inverse(special.nbdtri, "k, n, y", ZERO, ZERO, nbdtr_by_p)


# Student's t: half of beta of df / 2 and 1 / 2 at df / (df + t^2), on either side
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
        0.5 * betainc_by_b(0.5, 0.5 * df, within) - beta_density(0.5, 0.5 * df, within, xp) * moved
    )
    beyond = (
        -0.5 * betainc_by_a(0.5 * df, 0.5, outside)
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


special_rule(special.stdtr, "df, t", stdtr_by_df, stdtr_by_t)
declare_inverse(special.stdtrit, "df, p", stdtr_by_df, stdtr_by_t)
declare_inverse(special.stdtridf, "p, t", stdtr_by_df, stdtr_by_t, ends=(ENDS[0], 1e10))


_AT_ONCE = 1e-30  # a point at which a continued fraction ends with its first terms


# F: beta of dfn / 2 and dfd / 2 at dfn x / (dfd + dfn x)
def at_ratio(dfn, dfd, x, xp, near: Slopes, far: Slopes) -> Any:
    """`near` at these parameters and this point; beyond its middle `far` at the rest of 1, of which
    the point has few digits, and the parameters exchanged.
    """
    total, is_far = dfd + dfn * x, dfn * x > dfd
    point = xp.where(is_far, _AT_ONCE, dfn * x / total)
    rest = xp.where(is_far, dfd / total, _AT_ONCE)
    return xp.where(is_far, far(0.5 * dfd, 0.5 * dfn, rest), near(0.5 * dfn, 0.5 * dfd, point))


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


def fdtr_by_dfn(dfn, dfd, x, xp) -> Any:
    """0.5 * betainc_by_a(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x)) + x / dfn * fdtr_by_x(dfn, dfd,
    x), and 0 at infinity, and where the density is infinite at 0.
    """
    return fdtr_by_freedom(dfn, dfd, x, xp, betainc_by_a, betainc_by_b, dfn)


def fdtr_by_dfd(dfn, dfd, x, xp) -> Any:
    """0.5 * betainc_by_b(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x)) - x / dfd * fdtr_by_x(dfn, dfd,
    x), and 0 at infinity, and where the density is infinite at 0.
    """
    return fdtr_by_freedom(dfn, dfd, x, xp, betainc_by_b, betainc_by_a, -dfd)


def fdtr_by_freedom(dfn, dfd, x, xp, slope, other_slope, of_x) -> Any:
    """The slope of betainc by one of its parameters, at a ratio that moves as x / `of_x` does."""
    at_end = (x == math.inf) | ((x == 0) & (dfn < 2))
    x = xp.where(at_end, 1.0, x)
    by_parameter = at_ratio(dfn, dfd, x, xp, slope, _signed(other_slope, -1))
    found = 0.5 * by_parameter + fdtr_by_x(dfn, dfd, x, xp) * x / of_x
    return xp.where(at_end, 0.0, found)


for function, sign in ((special.fdtr, 1), (special.fdtrc, -1)):
    declare_tail(function, "dfn, dfd, x", fdtr_by_dfn, fdtr_by_dfd, fdtr_by_x, sign=sign)
declare_inverse(special.fdtri, "dfn, dfd, p", fdtr_by_dfn, fdtr_by_dfd, fdtr_by_x)
declare_inverse(special.fdtridfd, "dfn, p, x", fdtr_by_dfn, fdtr_by_dfd, fdtr_by_x, ends=ENDS)
