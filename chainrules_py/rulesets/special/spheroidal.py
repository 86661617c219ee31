"""Spheroidal wave functions, each given with its derivative, by argument: DLMF 30.2, and 30.2 at an imaginary argument."""

from scipy import special

from chainrules_py.rulesets.special.declaring import special_rule
from chainrules_py.tangents import NO_TANGENT, not_implemented

BY_SIZE = not_implemented("the derivative of a spheroidal wave function by its size parameter or eigenvalue")
CURVATURES = {
    "pro_ang1": "(2 * x * out[1] - ({cv} - c * c * x * x - m * m / (1 - x * x)) * out[0]) / (1 - x * x)",
    "obl_ang1": "(2 * x * out[1] - ({cv} + c * c * x * x - m * m / (1 - x * x)) * out[0]) / (1 - x * x)",
    "obl_rad1": "(({cv} - c * c * x * x - m * m / (1 + x * x)) * out[0] - 2 * x * out[1]) / (1 + x * x)",
}
CURVATURES["pro_rad1"] = CURVATURES["pro_ang1"]

for name, curvature in CURVATURES.items():
    own = f"{name[:3]}_cv(m, n, c)"
    rows = ((NO_TANGENT, NO_TANGENT, BY_SIZE, slope) for slope in ("out[1]", curvature.format(cv=own)))
    special_rule(getattr(special, name), "m, n, c, x", *rows)
    rows_cv = ((NO_TANGENT, NO_TANGENT, BY_SIZE, BY_SIZE, slope) for slope in ("out[1]", curvature.format(cv="cv")))
    special_rule(getattr(special, f"{name}_cv"), "m, n, c, cv, x", *rows_cv)
# Of the second kind the values that SciPy gives have other slopes than the derivatives that it gives beside them.
for name in ("pro_rad2", "obl_rad2"):
    SECOND_KIND = not_implemented("a spheroidal wave function of the second kind, whose value and derivative disagree in SciPy")
    rows = [(NO_TANGENT, NO_TANGENT, BY_SIZE, SECOND_KIND)] * 2
    special_rule(getattr(special, name), "m, n, c, x", *rows)
    special_rule(getattr(special, f"{name}_cv"), "m, n, c, cv, x", *[(*row[:3], BY_SIZE, row[3]) for row in rows])
for name in ("pro_cv", "obl_cv"):
    special_rule(getattr(special, name), "m, n, c", NO_TANGENT, NO_TANGENT, BY_SIZE)
