"""Powers, roots, exponentials and angles in degrees; the transformations of Box and Cox."""

from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.rulesets.scipy.special.series import exponential_remainder, logarithmic_remainder
from chainrules_py.tangents import NO_TANGENT

special_rule(special.cbrt, "x", "1 / (3 * out * out)", singular=True)
special_rule(special.exp2, "x", "0.6931471805599453 * out")
special_rule(special.exp10, "x", "2.302585092994046 * out")
special_rule(special.expm1, "x", "out + 1")
special_rule(special.log1p, "x", "1 / (1 + x)", singular=True)
special_rule(special.cosm1, "x", "-sin(x)")
special_rule(special.exprel, "x", lambda x, xp: exponential_remainder(x, xp))
special_rule(special.powm1, "x, y", "y * x ** (y - 1)", "(out + 1) * log(x)", singular=True)
special_rule(special.round, "x", "0")

special_rule(special.sindg, "x", "0.017453292519943295 * cosdg(x)")
special_rule(special.cosdg, "x", "-0.017453292519943295 * sindg(x)")
special_rule(special.tandg, "x", "0.017453292519943295 * (1 + out * out)")
special_rule(special.cotdg, "x", "-0.017453292519943295 * (1 + out * out)")
special_rule(special.radian, "d, m, s", "0.017453292519943295", "0.0002908882086657216", "4.84813681109536e-06")


def boxcox_by_power(logarithm: str, one: float) -> Any:
    """log(x)^2 (u e^u - e^u + 1) / u^2 at u = lmbda log(x), of 1 + x for the other function; 1 / lmbda^2 at log(0)."""

    def by_power(x: Any, lmbda: Any, xp: Any) -> Any:
        """L^2 (exp(u) (u - 1) + 1) / u^2 with u = lmbda L, where L is the logarithm."""
        at_zero = x + one == 0
        log_x = getattr(xp, logarithm)(xp.where(at_zero, 1.0 - one, x))
        inside = log_x * log_x * exponential_remainder(lmbda * log_x, xp)
        return xp.where(at_zero, 1 / xp.where(at_zero, lmbda, 1.0) ** 2, inside)

    return by_power


def inverse_by_power(one: float) -> Any:
    """The inverse's value, to which `one` is added, times y^2 (u / (1 + u) - log(1 + u)) / u^2 at u = lmbda y."""

    def by_power(y: Any, lmbda: Any, out: Any, xp: Any) -> Any:
        return (out + one) * y * y * logarithmic_remainder(lmbda * y, xp)

    return by_power


special_rule(special.boxcox, "x, lmbda", "x ** (lmbda - 1)", boxcox_by_power("log", 0.0))
special_rule(special.boxcox1p, "x, lmbda", "(1 + x) ** (lmbda - 1)", boxcox_by_power("log1p", 1.0))
special_rule(special.inv_boxcox, "y, lmbda", "out ** (1 - lmbda)", inverse_by_power(0.0))
special_rule(special.inv_boxcox1p, "y, lmbda", "(1 + out) ** (1 - lmbda)", inverse_by_power(1.0))
special_rule(special.wrightomega, "z", "out / (1 + out)")
for arguments in ("z", "z, k", "z, k, tol"):
    constants = [NO_TANGENT] * arguments.count(",")
    special_rule(special.lambertw, arguments, "exp(-out) / (1 + out)", *constants, singular=True)
