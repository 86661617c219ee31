"""Integrals of exponentials, sines and logarithms."""

from scipy import special

# which expressions here name
from chainrules_py.rulesets.scipy.special import series as series
from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.tangents import ZERO
from chainrules_py.values.arrays import call

special_rule(special.exp1, "x", "-exp(-x) / x")
special_rule(special.expi, "x", "exp(x) / x")
special_rule(special.sici, "x", ("sine_quotient(x)",), ("cos(x) / x",))
special_rule(special.shichi, "x", ("sinh_quotient(x)",), ("cosh(x) / x",))
special_rule(special.spence, "z", "-log_quotient(z)", singular=True)


def expn_slope(n, x, xp):
    """-expn(n - 1, x), which for n = 0 is elementary: DLMF 8.19.12 and 8.19.13.

    SciPy reads n as a whole number.
    """
    n = xp.trunc(n)
    first = n == 0
    return xp.where(
        first, -xp.exp(-x) * (1 + 1 / x) / x, -call(special.expn, xp.where(first, 1, n) - 1, x)
    )


special_rule(special.expn, "n, x", ZERO, expn_slope)
