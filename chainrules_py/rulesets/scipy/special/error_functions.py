"""The error function and its kin, by argument."""

from math import log2
from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import named, of_doubles, special_rule
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


@of_doubles
def erfcx_slope(x, xp) -> Any:
    """2 * x * out - 2 / sqrt(pi); both terms become equal for large x. erfcx(x) is w(ix)."""
    if xp.iscomplexobj(x):
        return 1j * wofz_slope(1j * x, xp=xp)
    out = call(special.erfcx, x)
    return far_or(
        xp.real(x) > _FAR,
        x,
        lambda x, u: -0.5 * _TWO_BY_ROOT_PI / (x * x) * tail_of_gaussian(-u),
        2 * x * out - _TWO_BY_ROOT_PI,
        xp,
    )


@of_doubles
def wofz_slope(z, xp) -> Any:
    """-2 * z * wofz(z) + 2j / sqrt(pi), which cancels far from zero.

    Of the lower half-plane, w(z) = 2 exp(-z^2) - w(-z).
    """
    far, below = abs(z) > _FAR, xp.imag(z) < 0
    series = lambda z, u: -0.5j * _TWO_BY_ROOT_PI / (z * z) * tail_of_gaussian(u)  # noqa: E731
    near = -2 * z * call(special.wofz, z) + 1j * _TWO_BY_ROOT_PI
    low = xp.where(far & below, z, 0)
    return far_or(far, z, series, near, xp) - 4 * low * xp.exp(-low * low)


@of_doubles
def dawsn_slope(x, xp) -> Any:
    """1 - 2 * x * dawsn(x), which cancels far from zero.

    F(z) = i sqrt(pi) / 2 (exp(-z^2) - w(z)) in the upper half-plane, and F is odd.
    """
    far = abs(x) > _FAR
    slope = far_or(
        far, x, lambda x, u: -u * tail_of_gaussian(u), 1 - 2 * x * call(special.dawsn, x), xp
    )
    if not xp.iscomplexobj(x):
        return slope
    upper = xp.where(far, xp.where(xp.imag(x) < 0, -x, x), 0)
    return slope - 1.7724538509055160j * upper * xp.exp(-upper * upper)


def square_by_turns(x, xp) -> Any:
    """x^2 less a multiple of 4, with the digits that x^2 does not have for large x.

    With x = 2k + r, these are 4 times the fraction of k r, whose rounding follows from the halves
    of the digits of k and r (Dekker 1971).
    """
    k = xp.round(0.5 * x)
    r = x - 2 * k
    part = xp.where(r == 0, 0, k)  # of large numbers r is 0
    split = 2.0 ** int(1.5 - 0.5 * log2(float(xp.finfo(r.dtype).eps))) + 1
    (k_high, k_low), (r_high, r_low) = [
        ((high := split * v - (split * v - v)), v - high) for v in (part, r)
    ]
    product = k * r
    rounding = ((k_high * r_high - part * r) + k_high * r_low + k_low * r_high) + k_low * r_low
    return 4 * ((product - xp.round(product)) + rounding) + r * r


def fresnel_slope(function: str) -> Any:
    """The sine or cosine of pi / 2 * x**2."""

    def slope(x, xp) -> Any:
        square = x * x if xp.iscomplexobj(x) else square_by_turns(x, xp)
        return getattr(xp, function)(1.5707963267948966 * square)

    slope.__doc__ = f"{function}(pi / 2 * x**2)"
    return slope


special_rule(special.erfcx, "x", erfcx_slope)
special_rule(special.wofz, "z", wofz_slope)
special_rule(special.dawsn, "x", dawsn_slope)

# S, C
special_rule(special.fresnel, "x", (fresnel_slope("sin"),), (fresnel_slope("cos"),))


def modified_fresnel_slope(sign: int) -> Any:
    """-2i x K - exp(-i pi / 4) / sqrt(pi) and its conjugate.

    K is half of w at x exp(i pi / 4), whose slope is known.
    """

    def slope(x, xp) -> Any:
        """sign * -2j * x * out_1 - exp(sign * -1j * pi / 4) / sqrt(pi), by the Faddeeva function."""
        z = x * _TURN
        of_plus = 0.5 * _TURN * wofz_slope(z, xp=xp)
        return of_plus if sign > 0 else xp.conj(of_plus)

    return slope


# F(x) is an integral from x on, K(x) is it without its oscillation.
special_rule(special.modfresnelp, "x", ("-exp(1j * x * x)",), (modified_fresnel_slope(1),))
special_rule(special.modfresnelm, "x", ("-exp(-1j * x * x)",), (modified_fresnel_slope(-1),))


def voigt_slopes(x, sigma, gamma, xp) -> tuple[Any, Any, Any]:
    """The point of w that the Voigt profile reads, w there, and its derivative."""
    z = (x + 1j * gamma) / (sigma * 1.4142135623730951)
    w = call(special.wofz, z)
    return z, w, wofz_slope(z, xp=xp)


@of_doubles
def voigt_profile_by_x(x, sigma, gamma, xp) -> Any:
    """gamma * imag(wofz((x + 1j * gamma) / (sqrt(2) * sigma))) / (sqrt(2 * pi) * sigma**3)
    - x * out / sigma**2.
    """
    # 2 sqrt(pi)
    return xp.real(voigt_slopes(x, sigma, gamma, xp)[2]) / (3.5449077018110318 * sigma * sigma)


@of_doubles
def voigt_profile_by_sigma(x, sigma, gamma, xp) -> Any:
    """-(out + x * voigt_profile_by_x(x, sigma, gamma) + gamma * voigt_profile_by_gamma(x, sigma,
    gamma)) / sigma, whose terms are nearly opposite far from zero.
    """
    z, w, slope = voigt_slopes(x, sigma, gamma, xp)
    far = abs(z) > _FAR
    series = lambda z, u: -0.5j * _TWO_BY_ROOT_PI / (z * z * z) * slope_of_tail(u)  # noqa: E731
    slope_of_product = far_or(far, z, series, w + slope * z, xp)
    return -xp.real(slope_of_product) / (2.5066282746310002 * sigma * sigma)  # sqrt(2 pi)


@of_doubles
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


@named
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
