"""Elliptic integrals and functions, by amplitude and parameter m; the arithmetic-geometric mean.

Quotients such as (K - E) / m, which lose their digits for small m, are Carlson's integrals: DLMF
19.25.
"""

from typing import Any

from scipy import special

from chainrules_py import composed
from chainrules_py.rulesets.scipy.special.declaring import named, of_doubles, special_rule
from chainrules_py.values.arrays import Array, Scalar, call

_D = "elliprd(0.0, 1 - m, 1.0) / 3"  # (K - E) / m
special_rule(special.ellipk, "m", "elliprd(0.0, 1.0, 1 - m) / 6")
special_rule(special.ellipkm1, "p", "-elliprd(0.0, 1.0, p) / 6")
special_rule(special.ellipe, "m", f"-0.5 * {_D}")


@named
def carlson_of_sine(phi, m, power: float, xp) -> Any:
    """integral(sin(t)**2 / (1 - m * sin(t)**2)**power, t, 0, phi), for a power of 1 / 2 or 3 / 2: by
    whole half-turns, and the rest.
    """
    cubed = power > 1
    turns = xp.rint(phi / 3.141592653589793)
    rest = phi - turns * 3.141592653589793
    sine, cosine = xp.sin(rest), xp.cos(rest)
    own = (1 - m * sine * sine, 1.0)[:: -1 if cubed else 1]
    m_of_turns = xp.where(turns == 0, 0.0, m)  # at m = 1 a half-turn is infinite
    whole = (1 - m_of_turns, 1.0)[:: -1 if cubed else 1]
    incomplete = sine**3 / 3 * call(special.elliprd, cosine * cosine, *own)
    return incomplete + 2 / 3 * turns * call(special.elliprd, 0.0, *whole)


@named
def ellipkinc_by_m(phi, m, xp) -> Any:
    """0.5 * carlson_of_sine(phi, m, 1.5), a difference of three terms in DLMF 19.4.5."""
    return 0.5 * carlson_of_sine(phi, m, 1.5, xp)


special_rule(
    special.ellipkinc, "phi, m", "1 / sqrt(1 - m * sin(phi) * sin(phi))", "ellipkinc_by_m(phi, m)"
)
special_rule(
    special.ellipeinc,
    "phi, m",
    "sqrt(1 - m * sin(phi) * sin(phi))",
    "-0.5 * carlson_of_sine(phi, m, 0.5)",
)
# by m, the angle ph with F(ph, m) = u
_TURN = "-out[2] * ellipkinc_by_m(out[3], m)"
special_rule(
    special.ellipj,
    "u, m",
    ("out[1] * out[2]", f"out[1] * ({_TURN})"),
    ("-out[0] * out[2]", f"-out[0] * ({_TURN})"),
    (
        "-m * out[0] * out[1]",
        f"-0.5 * out[0] * (out[0] + 2 * m * out[1] * ({_TURN})) / out[2]",
    ),
    ("out[2]", _TURN),
)

# Carlson's integrals: DLMF 19.18
# each brings the arguments four times nearer to their mean, and that is at most 1e6 times smaller
# than them
DUPLICATIONS = 16


@composed(special.elliprd)
def elliprd(x: Array | Scalar, y: Array | Scalar, z: Array | Scalar, *, xp) -> Any:
    """Duplication (DLMF 19.26.18 and 19.36.1) makes of RD(x, y, z) a quarter of RD at (x + t) / 4, (y +
    t) / 4, (z + t) / 4, and a remainder, where t is the sum of the products of the roots.

    In its derivatives no two terms have different signs, so that none cancels.
    """
    at: list[Any] = [x, y, z]
    total = xp.zeros_like(sum(at))  # of their common precision: roots of small integers have half
    at = [each + total for each in at]
    for k in range(DUPLICATIONS):
        roots = [xp.sqrt(each) for each in at]
        common = roots[0] * roots[1] + roots[1] * roots[2] + roots[2] * roots[0]
        total = total + 3 * 0.25**k / (roots[2] * (at[2] + common))
        at = [0.25 * (each + common) for each in at]
    mean = 0.2 * (at[0] + at[1] + 3 * at[2])
    return total + 0.25**DUPLICATIONS / (mean * xp.sqrt(mean))


special_rule(
    special.elliprf,
    "x, y, z",
    "-elliprd(y, z, x) / 6",
    "-elliprd(x, z, y) / 6",
    "-elliprd(x, y, z) / 6",
)


def elliprc_by_x(x, y, out, xp) -> Any:
    """-elliprd(y, y, x) / 6, whose principal value for a negative y is elementary."""
    negative, y, twice = principal_value(x, y, xp)
    elsewhere = -call(special.elliprd, y, y, x) / 6
    return xp.where(negative, (out - 1 / xp.sqrt(x)) / twice, elsewhere)


def elliprc_by_y(x, y, out, xp) -> Any:
    """-elliprd(x, y, y) / 3, whose principal value for a negative y is elementary."""
    slope = xp.sqrt(x) / y - out
    negative, y, twice = principal_value(x, y, xp)
    return xp.where(negative, slope / twice, -call(special.elliprd, x, y, y) / 3)


def principal_value(x, y, xp) -> tuple[Any, Any, Any]:
    """Where y is negative, a y that is not, and 2 (y - x) there."""
    negative = (xp.imag(y) == 0) & (xp.real(y) < 0)
    return negative, xp.where(negative, 1.0, y), xp.where(negative, 2 * (y - x), 1.0)


special_rule(special.elliprc, "x, y", elliprc_by_x, elliprc_by_y)
special_rule(
    special.elliprg,
    "x, y, z",
    "(3 * elliprf(x, y, z) - x * elliprd(y, z, x)) / 12",
    "(3 * elliprf(x, y, z) - y * elliprd(x, z, y)) / 12",
    "(3 * elliprf(x, y, z) - z * elliprd(x, y, z)) / 12",
)


@named
@of_doubles
def mean_by(first, second, xp) -> Any:
    """pi / 6 * (second / first) * elliprd(0, 1, (second / first)**2) / ellipkm1((second /
    first)**2)**2, the derivative of the mean by its second argument.
    """
    ratio = second / first
    complete = call(special.ellipkm1, ratio * ratio)
    weighted = ratio * call(special.elliprd, 0.0, 1.0, ratio * ratio) / 3
    return 1.5707963267948966 * weighted / (complete * complete)


special_rule(special.agm, "a, b", "mean_by(b, a)", "mean_by(a, b)")
