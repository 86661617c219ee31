"""Elementwise functions: one line each, both modes at once.

`singular=True` where a partial can be infinite at a point of the closed domain: products with it
are then strong (a zero cotangent stays zero). Kinks have derivative 0 and ties share equally.
Comparisons, not signs of differences, decide ties: inf - inf is nan.
"""

from typing import Any

import numpy as np

from chainrules_py import NO_TANGENT, ZERO, scalar_rule
from chainrules_py.makers.products import guarded_product
from chainrules_py.rulesets.formulas.without_cancellation import logistic, one_minus_square

# Arithmetic
scalar_rule(np.add, "x1, x2", "1", "1")
scalar_rule(np.subtract, "x1, x2", "1", "-1")
scalar_rule(np.multiply, "x1, x2", "x2", "x1")
scalar_rule(guarded_product, "x1, x2", "x2", "x1", singular=True)
scalar_rule(np.divide, "x1, x2", "1 / x2", "-out / x2", singular=True)
scalar_rule(np.negative, "x", "-1")
scalar_rule(np.positive, "x", "1")
scalar_rule(np.reciprocal, "x", "-out * out", singular=True)
scalar_rule(np.square, "x", "2 * x")
scalar_rule(np.sqrt, "x", "0.5 / out", singular=True)
scalar_rule(np.cbrt, "x", "1 / (3 * out * out)", singular=True)


def power_by_base(x1, x2, xp) -> Any:
    """x2 * x1**(x2 - 1), and 0 where both are 0: there x1**-1 is infinite."""
    # x**2 with a constant is too common to pay for the general case
    if issubclass(type(x2), (int, float)):
        # Python's raises at 0, or is complex
        raised = xp.power if issubclass(type(x1), (float, complex)) else pow
        return x2 * raised(x1, x2 - 1) if x2 else 0.0
    return x2 * x1 ** power_below(x1, x2, xp)


def power_below(x1, x2, xp) -> Any:
    """x2 - 1, the exponent of the partial in the base, and x2 where both are 0.

    Where x2 alone is 0, the second derivative by x1 and x2 needs x1**(x2 - 1).
    """
    return xp.where((x1 == 0) & (x2 == 0), x2, x2 - 1.0)


def power_by_exponent(x1, x2, out, xp) -> Any:
    """out * log(x1), and 0 where x1 is 0 or a negative real.

    No other exponent nearby has a real value there.
    """
    if out.dtype.kind == "c":
        return out * xp.log(xp.where(x1 == 0, 1, x1) + 0j)
    # a float beside them: the logarithm of small integers is of low precision
    return xp.where(x1 > 0, out, 0) * xp.log(xp.where(x1 > 0, x1, 1.0))


def float_power_by_base(x1, x2, xp):
    """x2 * x1**(x2 - 1), and 0 where both are 0, in the precision of float_power."""
    return x2 * xp.float_power(x1, power_below(x1, x2, xp))


scalar_rule(np.power, "x1, x2", power_by_base, power_by_exponent, singular=True)
scalar_rule(np.float_power, "x1, x2", float_power_by_base, power_by_exponent, singular=True)

# Quotients that are whole numbers, and what remains. The derivative of the whole part is 0 wherever
# it exists.
scalar_rule(np.divmod, "x1, x2", (ZERO, ZERO), ("1", "-out[0]"))
scalar_rule(np.remainder, "x1, x2", "1", "-floor_divide(x1, x2)")
scalar_rule(np.fmod, "x1, x2", "1", "-rint((x1 - out) / x2)")
scalar_rule(np.modf, "x", ("1",), (ZERO,))
scalar_rule(np.frexp, "x", ("ldexp(1.0, -out[1])",), (NO_TANGENT,))
scalar_rule(np.ldexp, "x1, x2", "ldexp(1.0, x2)", NO_TANGENT)
for step in (np.floor, np.ceil, np.trunc, np.rint, np.spacing):
    scalar_rule(step, "x", "0")

# Exponentials and logarithms
scalar_rule(np.exp, "x", "out")
scalar_rule(np.exp2, "x", "out * 0.6931471805599453")
scalar_rule(np.expm1, "x", "exp(x)")  # not out + 1, which loses every digit for very negative x
scalar_rule(np.log, "x", "1 / x", singular=True)
scalar_rule(np.log2, "x", "1 / (x * 0.6931471805599453)", singular=True)
scalar_rule(np.log10, "x", "1 / (x * 2.302585092994046)", singular=True)
scalar_rule(np.log1p, "x", "1 / (1 + x)", singular=True)


def lead(x, other, out, xp) -> Any:
    """x - other, and where `out` is infinite the limit of it: 0 for a tie, else an infinity.

    The larger argument then has the whole share in `out`. None has one where `out` is -inf, the
    logarithm of 0: it stays so, whatever is added to both.
    """
    finite = xp.isfinite(out)
    is_larger = xp.where((x == out) & (out > 0), np.inf, -np.inf)
    at_infinity = xp.where((x == other) & (out > 0), 0.0, is_larger)
    return xp.where(finite, x, at_infinity) - xp.where(finite, other, 0.0)


def logaddexp_share(x1, x2, out, xp):
    """exp(x1 - out), from x1 - x2: so the derivative has all digits of 1 - share, too."""
    return logistic(lead(x1, x2, out, xp), xp)


def logaddexp2_share(x1, x2, out, xp):
    """2**(x1 - out)."""
    return logistic(0.6931471805599453 * lead(x1, x2, out, xp), xp)


def second(share) -> Any:
    """The partial in the second argument of a symmetric function, from that in the first."""

    def partial(x1, x2, out, xp):
        return share(x2, x1, out, xp)

    return partial


scalar_rule(np.logaddexp, "x1, x2", logaddexp_share, second(logaddexp_share))
scalar_rule(np.logaddexp2, "x1, x2", logaddexp2_share, second(logaddexp2_share))


# Trigonometry. `one_minus_square` is exact near 1, and its root has the branch cuts of the
# functions for complex arguments.
def arcsin_slope(x, xp) -> Any:
    """1 / sqrt(1 - x**2)."""
    return 1 / xp.sqrt(one_minus_square(x))


def arctanh_slope(x):
    """1 / (1 - x**2)."""
    return 1 / one_minus_square(x)


scalar_rule(np.sin, "x", "cos(x)")
scalar_rule(np.cos, "x", "-sin(x)")
scalar_rule(np.tan, "x", "1 + out * out")
scalar_rule(np.arcsin, "x", arcsin_slope, singular=True)
scalar_rule(np.arccos, "x", lambda x, xp: -arcsin_slope(x, xp), singular=True)
scalar_rule(np.arctan, "x", "1 / (1 + x * x)")
scalar_rule(np.sinh, "x", "cosh(x)")
scalar_rule(np.cosh, "x", "sinh(x)")
scalar_rule(np.tanh, "x", "1 - out * out")
scalar_rule(np.arcsinh, "x", "1 / cosh(out)")  # a square overflows
scalar_rule(np.arccosh, "x", "1 / (sqrt(x - 1) * sqrt(x - -1))", singular=True)
scalar_rule(np.arctanh, "x", arctanh_slope, singular=True)
scalar_rule(np.deg2rad, "x", "0.017453292519943295")
scalar_rule(np.radians, "x", "0.017453292519943295")
scalar_rule(np.rad2deg, "x", "57.29577951308232")
scalar_rule(np.degrees, "x", "57.29577951308232")

# Lengths and angles: at the origin all partials are 0.
scalar_rule(np.hypot, "x1, x2", "x1 / where(out == 0, 1, out)", "x2 / where(out == 0, 1, out)")


def over_squared_length(numerator, x1, x2, xp) -> Any:
    """numerator / (x1**2 + x2**2), without the square that overflows; 0 at the origin."""
    length = xp.hypot(x1, x2)
    length = xp.where(length == 0, np.inf, length)
    return numerator / length / length


def arctan2_by_x1(x1, x2, xp):
    """x2 / (x1**2 + x2**2)."""
    return over_squared_length(x2, x1, x2, xp)


def arctan2_by_x2(x1, x2, xp):
    """-x1 / (x1**2 + x2**2)."""
    # the negative of unsigned integers would be another one
    return -over_squared_length(x1, x1, x2, xp)


scalar_rule(np.arctan2, "x1, x2", arctan2_by_x1, arctan2_by_x2)

# Signs
scalar_rule(np.absolute, "x", "sign(x)")
scalar_rule(np.fabs, "x", "sign(x)")
scalar_rule(np.copysign, "x1, x2", "sign(x1) * copysign(1, x2)", "0")
scalar_rule(np.heaviside, "x1, x2", "0", "where(x1 == 0, 1.0, 0.0)")
scalar_rule(np.nextafter, "x1, x2", "1", "0")

# The larger and the smaller; fmax and fmin take the number where the other is nan.
scalar_rule(
    np.maximum,
    "x1, x2",
    "where(x1 == x2, 0.5, x1 > x2)",
    "where(x1 == x2, 0.5, x2 > x1)",
    selects=True,
)
scalar_rule(
    np.minimum,
    "x1, x2",
    "where(x1 == x2, 0.5, x1 < x2)",
    "where(x1 == x2, 0.5, x2 < x1)",
    selects=True,
)
scalar_rule(
    np.fmax,
    "x1, x2",
    "where(x1 == x2, 0.5, (x1 > x2) | isnan(x2))",
    "where(x1 == x2, 0.5, (x2 > x1) | (isnan(x1) & ~isnan(x2)))",
    selects=True,
)
scalar_rule(
    np.fmin,
    "x1, x2",
    "where(x1 == x2, 0.5, (x1 < x2) | isnan(x2))",
    "where(x1 == x2, 0.5, (x2 < x1) | (isnan(x1) & ~isnan(x2)))",
    selects=True,
)
