"""The error function and its kin, by argument."""

from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.rulesets.scipy.special.series import slope_of_tail, tail_of_gaussian
from chainrules_py.values.arrays import call

_TWO_BY_ROOT_PI = 1.1283791670955126
_TURN = 0.7071067811865476 * (1 + 1j)  # exp(i pi / 4)
_FAR = 10.0  # from here on the asymptotic series has all digits

special_rule(special.erf, "x", "1.1283791670955126 * exp(-x * x)")  # 2 / sqrt(pi)
special_rule(special.erfc, "x", "-1.1283791670955126 * exp(-x * x)")
special_rule(special.erfi, "x", "1.1283791670955126 * exp(x * x)")
# the factor is the square root of pi, halved
special_rule(special.erfinv, "y", "0.8862269254527580 * exp(out * out)", singular=True)
special_rule(special.erfcinv, "y", "-0.8862269254527580 * exp(out * out)", singular=True)


def far_or(far, x, series, elsewhere, xp) -> Any:
    """A function of x and 1 / (2 x^2) where x is far from zero, and a value elsewhere."""
    large = xp.where(far, x, 1)
    return xp.where(far, series(large, 0.5 / (large * large)), elsewhere)


def erfcx_slope(x, out, xp) -> Any:
    """2 * x * out - 2 / sqrt(pi); both terms become equal for large x."""
    return far_or(
        xp.real(x) > _FAR,
        x,
        lambda x, u: -0.5 * _TWO_BY_ROOT_PI / (x * x) * tail_of_gaussian(-u),
        2 * x * out - _TWO_BY_ROOT_PI,
        xp,
    )


def wofz_slope(z, out, xp) -> Any:
    """-2 * z * out + 2j / sqrt(pi), which cancels far from zero in the upper half-plane."""
    far = (abs(z) > _FAR) & (xp.imag(z) >= 0)
    series = lambda z, u: -0.5j * _TWO_BY_ROOT_PI / (z * z) * tail_of_gaussian(u)  # noqa: E731
    return far_or(far, z, series, -2 * z * out + 1j * _TWO_BY_ROOT_PI, xp)


def dawsn_slope(x, out, xp) -> Any:
    """1 - 2 * x * out, which cancels far from zero."""
    far = abs(xp.real(x)) > _FAR
    return far_or(far, x, lambda x, u: -u * tail_of_gaussian(u), 1 - 2 * x * out, xp)


special_rule(special.erfcx, "x", erfcx_slope)
special_rule(special.wofz, "z", wofz_slope)
special_rule(special.dawsn, "x", dawsn_slope)

# S, C
special_rule(special.fresnel, "x", ("sin(0.5 * pi * x * x)",), ("cos(0.5 * pi * x * x)",))


def modified_fresnel_slope(sign: int) -> Any:
    """-2i x K - exp(-i pi / 4) / sqrt(pi) and its conjugate.

    K is half of w at x exp(i pi / 4), whose slope is known.
    """

    def slope(x, xp) -> Any:
        """sign * -2j * x * out_1 - exp(sign * -1j * pi / 4) / sqrt(pi), by the Faddeeva function."""
        z = x * _TURN
        of_plus = 0.5 * _TURN * wofz_slope(z, call(special.wofz, z), xp)
        return of_plus if sign > 0 else xp.conj(of_plus)

    return slope


# F(x) is an integral from x on, K(x) is it without its oscillation.
special_rule(special.modfresnelp, "x", ("-exp(1j * x * x)",), (modified_fresnel_slope(1),))
special_rule(special.modfresnelm, "x", ("-exp(-1j * x * x)",), (modified_fresnel_slope(-1),))


def voigt_slopes(x, sigma, gamma, xp) -> tuple[Any, Any, Any]:
    """The point of w that the Voigt profile reads, w there, and its derivative."""
    z = (x + 1j * gamma) / (sigma * 1.4142135623730951)
    w = call(special.wofz, z)
    return z, w, wofz_slope(z, w, xp)


def voigt_profile_by_x(x, sigma, gamma, xp) -> Any:
    """gamma * imag(wofz((x + 1j * gamma) / (sqrt(2) * sigma))) / (sqrt(2 * pi) * sigma**3)
    - x * out / sigma**2.
    """
    # 2 sqrt(pi)
    return xp.real(voigt_slopes(x, sigma, gamma, xp)[2]) / (3.5449077018110318 * sigma * sigma)


def voigt_profile_by_sigma(x, sigma, gamma, xp) -> Any:
    """-(out + x * voigt_profile_by_x(x, sigma, gamma) + gamma * voigt_profile_by_gamma(x, sigma,
    gamma)) / sigma, whose terms are nearly opposite far from zero.
    """
    z, w, slope = voigt_slopes(x, sigma, gamma, xp)
    far = abs(z) > _FAR
    series = lambda z, u: -0.5j * _TWO_BY_ROOT_PI / (z * z * z) * slope_of_tail(u)  # noqa: E731
    slope_of_product = far_or(far, z, series, w + slope * z, xp)
    return -xp.real(slope_of_product) / (2.5066282746310002 * sigma * sigma)  # sqrt(2 pi)


def voigt_profile_by_gamma(x, sigma, gamma, xp) -> Any:
    """(gamma * out - 1 / pi) / sigma**2
    + x * imag(wofz((x + 1j * gamma) / (sqrt(2) * sigma))) / (sqrt(2 * pi) * sigma**3).
    """
    return -xp.imag(voigt_slopes(x, sigma, gamma, xp)[2]) / (3.5449077018110318 * sigma * sigma)


special_rule(
    special.voigt_profile,
    "x, sigma, gamma",
    voigt_profile_by_x,
    voigt_profile_by_sigma,
    voigt_profile_by_gamma,
)

# The normal distribution
special_rule(special.ndtr, "x", "0.3989422804014327 * exp(-0.5 * x * x)")  # 1 / sqrt(2 pi)


def mills(x, xp) -> Any:
    """exp(-x**2 / 2) / (sqrt(2 * pi) * ndtr(x)), the density over the function.

    Below 0 both are tiny, and their quotient is sqrt(2 / pi) over a scaled function.
    """
    below = xp.real(x) < 0
    negative, positive = xp.where(below, x, 0), xp.where(below, 0, x)
    over = 0.3989422804014327 * xp.exp(-0.5 * positive * positive) / call(special.ndtr, positive)
    return xp.where(
        below, 0.7978845608028654 / call(special.erfcx, -0.7071067811865476 * negative), over
    )


special_rule(special.log_ndtr, "x", mills)
# sqrt(2 pi)
special_rule(special.ndtri, "y", "2.5066282746310002 * exp(0.5 * out * out)", singular=True)
special_rule(special.ndtri_exp, "y", "1.2533141373155001 * erfcx(-0.7071067811865476 * out)")
special_rule(
    special.owens_t,
    "h, a",
    "-0.19947114020071635 * exp(-0.5 * h * h) * erf(0.7071067811865476 * a * h)",
    "0.15915494309189535 * exp(-0.5 * h * h * (1 + a * a)) / (1 + a * a)",
)
