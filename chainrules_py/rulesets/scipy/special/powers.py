"""Powers, roots, exponentials and angles in degrees; the transformations of Box and Cox."""

from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.rulesets.scipy.special.series import exponential_remainder
from chainrules_py.tangents import ZERO

special_rule(special.cbrt, "x", "1 / (3 * out * out)", singular=True)
special_rule(special.exp2, "x", "0.6931471805599453 * out")
special_rule(special.exp10, "x", "2.302585092994046 * out")
# not out + 1, which loses every digit for very negative x
special_rule(special.expm1, "x", "exp(x)")
special_rule(special.log1p, "x", "1 / (1 + x)", singular=True)
special_rule(special.cosm1, "x", "-sin(x)")
special_rule(special.exprel, "x", "exponential_remainder(x)")
special_rule(special.powm1, "x, y", "y * x ** (y - 1)", "x ** y * log(x)", singular=True)
special_rule(special.round, "x", "0")

special_rule(special.sindg, "x", "0.017453292519943295 * cosdg(x)")
special_rule(special.cosdg, "x", "-0.017453292519943295 * sindg(x)")
special_rule(special.tandg, "x", "0.017453292519943295 / (cosdg(x) * cosdg(x))")
# SciPy's cotdg is inf near 0
special_rule(special.cotdg, "x", "-0.017453292519943295 / (sindg(x) * sindg(x))")
special_rule(
    special.radian,
    "d, m, s",
    "0.017453292519943295",
    "0.0002908882086657216",
    "4.84813681109536e-06",
)


def boxcox_by_power(logarithm: str, one: float) -> Any:
    """log(x)^2 (u e^u - e^u + 1) / u^2 at u = lmbda log(x), of 1 + x for the other function.

    1 / lmbda^2 at log(0).
    """

    def by_power(x, lmbda, xp) -> Any:
        """(1 + (x + one)**lmbda * (lmbda * log(x + one) - 1)) / lmbda**2.

        By x it has all digits where it is written like this, and not by the square of the logarithm.
        """
        at_zero = x + one == 0
        log_x = getattr(xp, logarithm)(xp.where(at_zero, 1.0 - one, x))
        u = lmbda * log_x
        near = (abs(u) < 0.5) & xp.logical_not(at_zero)
        close = log_x * log_x * exponential_remainder(xp.where(near, u, 0), xp)
        u, lmbda = xp.where(near, 1, u), xp.where(near, 1, lmbda)
        power = xp.where(at_zero, 0, xp.exp(u))
        return xp.where(near, close, (power * (u - 1) + 1) / (lmbda * lmbda))

    return by_power


# SciPy has another value of it for tiny lmbda
INVERSE_BY_POWER = "exp(y * log1p_quotient(lmbda * y)) * y * y * logarithmic_remainder(lmbda * y)"
special_rule(special.boxcox, "x, lmbda", "x ** (lmbda - 1)", boxcox_by_power("log", 0.0))
special_rule(special.boxcox1p, "x, lmbda", "(1 + x) ** (lmbda - 1)", boxcox_by_power("log1p", 1.0))
special_rule(special.inv_boxcox, "y, lmbda", "out ** (1 - lmbda)", INVERSE_BY_POWER)
special_rule(special.inv_boxcox1p, "y, lmbda", "(1 + out) ** (1 - lmbda)", INVERSE_BY_POWER)
special_rule(special.wrightomega, "z", "out / (1 + out)")
for arguments in ("z", "z, k", "z, k, tol"):
    constants = [ZERO] * arguments.count(",")
    special_rule(special.lambertw, arguments, "exp(-out) / (1 + out)", *constants, singular=True)
