"""x log y and what is made of it, with 0 log 0 = 0; logarithms of ratios; Huber's losses.

Where a derivative is infinite at the edge of the domain, products are strong. Where x is 0, x log y
does not depend on y.
"""

from typing import Any

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import special_rule

special_rule(
    special.xlogy, "x, y", "log(y)", "where(x == 0, 0, x / where(x == 0, 1, y))", singular=True
)
special_rule(
    special.xlog1py,
    "x, y",
    "log1p(y)",
    "where(x == 0, 0, x / where(x == 0, 1, 1 + y))",
    singular=True,
)
special_rule(special.entr, "x", "-log(x) - 1", singular=True)
special_rule(special.rel_entr, "x, y", "log(x / y) + 1", "-x / y", singular=True)
special_rule(special.kl_div, "x, y", "log(x / y)", "1 - x / y", singular=True)
special_rule(
    special.huber,
    "delta, r",
    "where(abs(r) <= delta, 0, abs(r) - delta)",
    "where(abs(r) <= delta, r, delta * sign(r))",
)


def pseudo_huber_by_delta(delta: Any, r: Any, xp: Any) -> Any:
    """|r| / (s (p + s)^2) with p = delta / |r| and s = sqrt(1 + p^2): the usual difference would
    cancel for large delta.
    """
    size = xp.absolute(r)
    p = delta / xp.where(r == 0, 1, size)
    s = xp.hypot(1.0, p)
    return size / s / (p + s) / (p + s)


special_rule(special.pseudo_huber, "delta, r", pseudo_huber_by_delta, "r / hypot(1.0, r / delta)")
