"""Bessel, Hankel, Kelvin and Struve functions, by argument: DLMF 10.6, 10.29, 10.63, 11.4.

By a real order they are differentiated in `bessel_orders`; Struve's functions, and derivatives
given by a number, are not.
"""

from collections.abc import Sequence
from math import factorial, gamma
from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.bessel_orders import SLOPES
from chainrules_py.rulesets.scipy.special.declaring import named, special_rule
from chainrules_py.rulesets.scipy.special.series import near_zero
from chainrules_py.rulesets.ufuncs.sinc_and_i0 import horner
from chainrules_py.tangents import ZERO, not_implemented
from chainrules_py.values.arrays import call

BY_ORDER = not_implemented("the derivative of this Bessel function by its order")


# Those that are holomorphic; the others are scaled by exponentials of |x|, which have a derivative
# along the real line only.
for name in ("jv", "yv", "iv", "kv", "hankel1", "hankel2", "hankel1e", "hankel2e"):
    own = SLOPES[name].replace("by_order", name)
    special_rule(getattr(special, name), "v, z", f"{name}_by_v(v, z)", own)
# as SciPy reads n
special_rule(special.yn, "n, x", ZERO, "0.5 * (yv(trunc(n) - 1.0, x) - yv(trunc(n) + 1.0, x))")
special_rule(special.kn, "n, x", ZERO, "-0.5 * (kv(trunc(n) - 1.0, x) + kv(trunc(n) + 1.0, x))")

special_rule(special.j0, "x", "-j1(x)")
special_rule(special.y0, "x", "-y1(x)")
special_rule(special.i0, "x", "i1(x)")
special_rule(special.k0, "x", "-k1(x)")
special_rule(special.j1, "x", "0.5 * (j0(x) - jv(2.0, x))")
special_rule(special.y1, "x", "0.5 * (y0(x) - yv(2.0, x))")
special_rule(special.i1, "x", "0.5 * (i0(x) + iv(2.0, x))")
special_rule(special.k1, "x", "-0.5 * (k0(x) + kv(2.0, x))")


def along_the_real_line(slope) -> Any:
    """The derivative where the argument is real.

    Elsewhere the function is not holomorphic, and there is no rule yet.
    """

    def checked(v, z, out, xp) -> Any:
        """slope(v, z, out), along the real line."""
        if out.dtype.kind == "c":
            return not_implemented(
                "the derivative of a Bessel function scaled by exp(-|Im z|) or exp(-|Re z|) by"
                " complex z"
            )
        return slope(v, z, out, xp)

    return checked


def far_slope(v, x, out, sign: int, near, xp) -> Any:
    """The derivative of exp(-x) I(v, x), or of exp(x) K(v, x) with `sign` 1, where its two terms
    cancel: DLMF 10.40.1, 10.40.2.

    The function is x^(-1/2) times a series in 1 / x. The derivative of the series, over the series,
    adds to -1 / (2 x).
    """
    far = abs(x) > 30 + v * v
    large = xp.where(far, abs(x), 1e3)
    term, total, slope = 1.0, 1.0, 0.0
    for k in range(1, 24):
        term = term * sign * (4 * v * v - (2 * k - 1) ** 2) / (8 * k * large)
        total, slope = total + term, slope - k * term
    by_series = out / xp.where(far, x, 1) * (slope / total - 0.5)
    return xp.where(far, by_series, near(xp.where(far, 1, x)))


@named
def ive_slope(v, z, out, xp) -> Any:
    """(ive(v - 1, z) + ive(v + 1, z)) / 2 - sign(z) * out, and a series far from zero, where this
    cancels.
    """

    def near(z) -> Any:
        means = 0.5 * (call(special.ive, v - 1, z) + call(special.ive, v + 1, z))
        return means - xp.sign(z) * out

    return far_slope(v, z, out, -1, near, xp)


@named
def kve_slope(v, z, out, xp) -> Any:
    """out - (kve(v - 1, z) + kve(v + 1, z)) / 2, and a series far from zero, where this cancels."""

    def near(z) -> Any:
        return out - 0.5 * (call(special.kve, v - 1, z) + call(special.kve, v + 1, z))

    return near(z) if out.dtype.kind == "c" else far_slope(v, z, out, 1, near, xp)


def scaled_slope(function) -> Any:
    """Half of the difference of the orders beside one."""
    return lambda v, z, out, xp: 0.5 * (call(function, v - 1, z) - call(function, v + 1, z))


special_rule(special.kve, "v, z", "kve_by_v(v, z)", kve_slope)
special_rule(special.ive, "v, z", "ive_by_v(v, z)", along_the_real_line(ive_slope))
special_rule(special.jve, "v, z", "jve_by_v(v, z)", along_the_real_line(scaled_slope(special.jve)))
special_rule(special.yve, "v, z", "yve_by_v(v, z)", along_the_real_line(scaled_slope(special.yve)))
special_rule(special.i0e, "x", "ive_slope(0.0, x, out)")
special_rule(special.i1e, "x", "ive_slope(1.0, x, out)")
special_rule(special.k0e, "x", "kve_slope(0.0, x, out)")
special_rule(special.k1e, "x", "kve_slope(1.0, x, out)")

# Kelvin functions: solutions of w'' + w' / x = i w. Each is given with its derivative, under
# another name. Below 1 the second derivatives are those of the power series, DLMF 10.65.1, and
# no differences of terms that are larger: of I0(x exp(i pi / 4)), and of its two parts.
_SECOND = [1j * (2 * k + 1) / (2 * factorial(k) * factorial(k + 1)) * 1j**k for k in range(16)]


def near_zero_or(x, coefficients: Sequence[float], far, xp) -> Any:
    """A series in (x / 2)^2 where |x| is below 1, and a value elsewhere."""
    near = abs(x) < 1
    half = xp.where(near, 0.5 * x, 0)
    return xp.where(near, horner(tuple(coefficients), half * half), far)


def berp_slope(x, out, xp) -> Any:
    """-bei(x) - out / x."""
    far = -call(special.bei, x) - out / xp.where(x == 0, 1, x)
    return near_zero_or(x, [c.real for c in _SECOND], far, xp)


def beip_slope(x, out, xp) -> Any:
    """ber(x) - out / x."""
    far = call(special.ber, x) - out / xp.where(x == 0, 1, x)
    return near_zero_or(x, [c.imag for c in _SECOND], far, xp)


def kelvin_slope(x, xp) -> Any:
    """1j * out_0 - out_2 / x."""
    first, second = call(special.berp, x), call(special.beip, x)
    return berp_slope(x, first, xp) + 1j * beip_slope(x, second, xp)


for kelvin in ("ber", "bei", "ker", "kei"):
    special_rule(getattr(special, kelvin), "x", f"{kelvin}p(x)")
special_rule(special.berp, "x", berp_slope)
special_rule(special.beip, "x", beip_slope)
special_rule(special.kerp, "x", "-kei(x) - out / x")
special_rule(special.keip, "x", "ker(x) - out / x")
special_rule(
    special.kelvin,
    "x",
    ("out[2]",),
    ("out[3]",),
    (kelvin_slope,),
    ("1j * out[1] - out[3] / x",),
)


# Struve functions, and their integrals.
def struve_slope(function, sign: int) -> Any:
    """The derivative of H(v, x), or with `sign` 1 of L(v, x), by x: DLMF 11.2.1, 11.2.2, 11.4.27,
    11.4.29.
    """

    def by_argument(v, x, out, xp) -> Any:
        """function(v - 1, x) - v * out / x, and its power series near zero.

        The mean of the orders below and above has no quotient, but loses all digits of the second
        derivative near zero.
        """
        near = abs(x) < 1
        small, large = xp.where(near, 0.5 * x, 0.5), xp.where(near, 1, x)
        inverse = call(special.rgamma, v + 1.5 + _TERMS)  # of gamma(k + v + 3 / 2)
        total = 0.0
        for k in reversed(range(_TERMS)):
            inverse = inverse * (v + 1.5 + k)
            total = total * (sign * small * small) + (k + 0.5 * (v + 1)) / gamma(k + 1.5) * inverse
        far = call(function, v - 1, large) - v * (out / large)
        return xp.where(near, small**v * total, far)

    return by_argument


_TERMS = 14
special_rule(special.struve, "v, x", BY_ORDER, struve_slope(special.struve, -1))
special_rule(special.modstruve, "v, x", BY_ORDER, struve_slope(special.modstruve, 1))
special_rule(special.itstruve0, "x", "struve(0.0, x)")
special_rule(special.itmodstruve0, "x", "modstruve(0.0, x)")


_OF_ORDER_ZERO = [(-1) ** k / (2 * gamma(k + 1.5) ** 2) for k in range(12)]


def it2struve0_slope(x, xp) -> Any:
    """-struve(0, x) / x, by its series near 0: DLMF 11.2.1."""

    def far(square) -> Any:
        root = 2 * xp.sqrt(square)
        return call(special.struve, 0.0, root) / root

    return -near_zero(0.25 * x * x, _OF_ORDER_ZERO, 0.25, far, xp)


special_rule(special.it2struve0, "x", it2struve0_slope)


def bessel_quotient(x, function, sign: int, xp) -> Any:
    """sign * (function(x) - 1) / x, for I0, and for J0 with the sign -1: their series are DLMF
    10.25.2, 10.2.2.
    """
    coefficients = [1 / factorial(k + 1) ** 2 for k in range(10)]
    square = sign * 0.25 * x * x
    elsewhere = xp.where(abs(square) < 0.25, 1, x)
    far = sign * (call(function, elsewhere) - 1) / elsewhere
    return xp.where(
        abs(square) < 0.25, 0.25 * x * near_zero(square, coefficients, 0.25, lambda u: u, xp), far
    )


# Integrals from 0 to x; those with a quotient are of (I0 - 1) / t, (1 - J0) / t from 0, of K0 / t,
# Y0 / t from x on.
special_rule(special.itj0y0, "x", ("j0(x)",), ("y0(x)",))
special_rule(special.iti0k0, "x", ("i0(x)",), ("k0(x)",))
special_rule(
    special.it2j0y0, "x", (lambda x, xp: bessel_quotient(x, special.j0, -1, xp),), ("-y0(x) / x",)
)
special_rule(
    special.it2i0k0, "x", (lambda x, xp: bessel_quotient(x, special.i0, 1, xp),), ("-k0(x) / x",)
)
special_rule(
    special.besselpoly,
    "a, lmb, nu",
    "besselpoly(a, lmb + 1, nu - 1) - besselpoly(a, lmb + 1, nu + 1)",
    not_implemented("the derivative of an integral of a Bessel function by a power"),
    BY_ORDER,
)
