"""numpy.emath: functions that return a complex result where a real one does not exist."""

import numpy as np

from chainrules_py.makers import scalar_rule
from chainrules_py.rulesets.ufuncs.elementwise import (
    arctanh_slope,
    power_by_base,
    power_by_exponent,
)

scalar_rule(np.emath.sqrt, "x", "0.5 / out", singular=True)
scalar_rule(np.emath.log, "x", "1 / x", singular=True)
scalar_rule(np.emath.log2, "x", "1 / (x * 0.6931471805599453)", singular=True)
scalar_rule(np.emath.log10, "x", "1 / (x * 2.302585092994046)", singular=True)
# log(x) / log(n), both complex where they must be.
scalar_rule(
    np.emath.logn,
    "n, x",
    "-out / (n * ln(n))",
    "1 / (x * ln(n))",
    singular=True,
    names={"ln": np.emath.log},
)


def emath_power_by_base(x, p, out, xp):
    """p * x**(p - 1), with a complex base where the result is complex."""
    return power_by_base(x + 0j if out.dtype.kind == "c" else x, p, xp)


def emath_power_by_exponent(x, p, out, xp):
    """The partial in the exponent of `power`."""
    return power_by_exponent(x, p, out, xp)


scalar_rule(np.emath.power, "x, p", emath_power_by_base, emath_power_by_exponent, singular=True)
# By the output: the branch is then the function's own.
scalar_rule(np.emath.arcsin, "x", "1 / cos(out)", singular=True)
scalar_rule(np.emath.arccos, "x", "-1 / sin(out)", singular=True)
scalar_rule(np.emath.arctanh, "x", arctanh_slope, singular=True)
