"""x log y and what is made of it, with 0 log 0 = 0; logarithms of ratios; Huber's losses.

Where a derivative is infinite at the edge of the domain, products are strong. Where x and y are 0,
x log y does not depend on y.
"""

from typing import Any

from scipy import special

from chainrules_py.rulesets.formulas.without_cancellation import over
from chainrules_py.rulesets.scipy.special.declaring import named, special_rule


@named
def log_of_ratio(x, y, xp) -> Any:
    """log(x / y), by the logarithms of both where the ratio leaves the range of numbers, or is 0."""
    ratio = x / y
    inside = (ratio > 1e-30) & (ratio < 1e30)
    return xp.where(inside, xp.log(xp.where(inside, ratio, 1)), xp.log(x) - xp.log(y))


special_rule(special.xlogy, "x, y", "log(y)", "over(x, y)", singular=True)
special_rule(special.xlog1py, "x, y", "log1p(y)", "over(x, 1 + y)", singular=True)
special_rule(special.entr, "x", "-log(x) - 1", singular=True)
special_rule(
    special.rel_entr,
    "x, y",
    "log_of_ratio(x, y) + 1",
    "-over(x, y)",
    singular=True,
)
special_rule(special.kl_div, "x, y", log_of_ratio, "1 - over(x, y)", singular=True)
special_rule(
    special.huber,
    "delta, r",
    "where(abs(r) <= delta, 0, abs(r) - delta)",
    "where(abs(r) <= delta, r, delta * sign(r))",
)


def pseudo_huber_by_delta(delta, r, xp) -> Any:
    """(hypot(delta, r) - delta)**2 / hypot(delta, r), in factors that do not cancel for large delta."""
    length = xp.hypot(delta, r)
    ratio = over(r, length + delta)
    return ratio * ratio * r * over(r, length)


special_rule(
    special.pseudo_huber, "delta, r", pseudo_huber_by_delta, "delta * over(r, hypot(delta, r))"
)
