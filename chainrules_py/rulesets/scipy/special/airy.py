"""Airy functions, which solve w'' = x w, their scaled forms on the real line, their integrals."""

from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.tangents import not_implemented
from chainrules_py.values.arrays import call

# Ai, Ai', Bi, Bi'
special_rule(special.airy, "z", ("out[1]",), ("z * out[0]",), ("out[3]",), ("z * out[2]",))


FAR = 13.0  # from here on the asymptotic series have all digits


def far_slope(z, value, power: float, ratio, sign: int, xp) -> Any:
    """The derivative of `value`, z^power times a series in 1 / t with t = 2 / 3 z^(3 / 2).

    Term k of the series is ``sign * ratio(k) / t`` times the one before: DLMF 9.7.
    """
    large = xp.where(z > FAR, z, 2 * FAR)
    t = 2 / 3 * large * xp.sqrt(large)
    term, total, slope = 1.0, 1.0, 0.0
    for k in range(1, 25):
        term = term * (sign * ratio(k)) / t
        total, slope = total + term, slope - k * term
    return value / large * (power + 1.5 * slope / total)


def ratio_of_values(k: int) -> float:
    """u(k) / u(k - 1) in DLMF 9.7.2."""
    return (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1))


def ratio_of_slopes(k: int) -> float:
    """v(k) / v(k - 1) in DLMF 9.7.2."""
    before = (6 * k - 5) / (7 - 6 * k) if k > 1 else 1.0
    return ratio_of_values(k) * (6 * k + 1) / (1 - 6 * k) / before


def scaled_derivative(own: int, other: int, sign: int, is_slope: bool) -> Any:
    """The derivative of output `own` of `airye`, whose scale is exp(sign 2 / 3 z^(3 / 2)).

    Without the scales, output `other` is its derivative, or is that over z where `own` is one of
    the two slopes, Ai' and Bi'.
    """

    def slope(z, out_0, out_1, out_2, out_3, xp):
        """The derivative of the function plus that of its scale, which cancel far from zero."""
        outputs = (out_0, out_1, out_2, out_3)
        if out_0.dtype.kind == "c":
            return not_implemented(
                "the derivative of scaled Airy functions by complex z, of which two are not"
                " holomorphic"
            )
        rate = xp.sqrt(xp.where(z > 0, z, 0))
        near = (z if is_slope else 1) * outputs[other] + sign * rate * outputs[own]
        power, ratio = (0.25, ratio_of_slopes) if is_slope else (-0.25, ratio_of_values)
        far = far_slope(z, outputs[own], power, ratio, -sign, xp)
        return xp.where(z > FAR, far, near)

    return slope


special_rule(
    special.airye,
    "z",
    (scaled_derivative(0, 1, 1, False),),
    (scaled_derivative(1, 0, 1, True),),
    (scaled_derivative(2, 3, -1, False),),
    (scaled_derivative(3, 2, -1, True),),
)


def airy_at(sign: int, output: int) -> Any:
    """Ai or Bi, at x or -x."""

    def value(x):
        """Airy's function Ai or Bi, at x or at -x."""
        return call(special.airy, sign * x)[output]

    return value


# Integrals from 0 of Ai(t), Bi(t), Ai(-t), Bi(-t)
special_rule(
    special.itairy, "x", (airy_at(1, 0),), (airy_at(1, 2),), (airy_at(-1, 0),), (airy_at(-1, 2),)
)
