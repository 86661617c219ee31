"""x log y and what is made of it, with 0 log 0 = 0; logarithms of ratios; Huber's losses.

Where a derivative is infinite at the edge of the domain, products are strong. Where x is 0, x log y does not depend on y.
"""

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import special_rule

special_rule(special.xlogy, "x, y", "log(y)", "where(x == 0, 0, x / where(x == 0, 1, y))", singular=True)
special_rule(special.xlog1py, "x, y", "log1p(y)", "where(x == 0, 0, x / where(x == 0, 1, 1 + y))", singular=True)
special_rule(special.entr, "x", "-log(x) - 1", singular=True)
special_rule(special.rel_entr, "x, y", "log(x / y) + 1", "-x / y", singular=True)
special_rule(special.kl_div, "x, y", "log(x / y)", "1 - x / y", singular=True)
special_rule(
    special.huber,
    "delta, r",
    "where(abs(r) <= delta, 0, abs(r) - delta)",
    "where(abs(r) <= delta, r, delta * sign(r))",
)
special_rule(
    special.pseudo_huber,
    "delta, r",
    "2 * out / delta - r * (r / delta) / sqrt(1 + (r / delta) * (r / delta))",
    "r / sqrt(1 + (r / delta) * (r / delta))",
)
