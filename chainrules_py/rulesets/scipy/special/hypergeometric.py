"""Hypergeometric, parabolic cylinder and Wright functions, by argument."""

from scipy import special

from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.tangents import not_implemented

BY_PARAMETER = not_implemented("the derivative of a hypergeometric function by a parameter")
BY_ORDER = not_implemented(
    "the derivative of a solution of a differential equation by its order or parameter"
)

# DLMF 16.3.1, 13.3.22
special_rule(special.hyp0f1, "v, z", BY_PARAMETER, "hyp0f1(v + 1, z) / v")
special_rule(
    special.hyp1f1, "a, b, x", BY_PARAMETER, BY_PARAMETER, "a / b * hyp1f1(a + 1, b + 1, x)"
)
special_rule(
    special.hyp2f1,
    "a, b, c, z",
    BY_PARAMETER,
    BY_PARAMETER,
    BY_PARAMETER,
    "a * b / c * hyp2f1(a + 1, b + 1, c + 1, z)",
)
special_rule(special.hyperu, "a, b, x", BY_PARAMETER, BY_PARAMETER, "-a * hyperu(a + 1, b + 1, x)")
special_rule(
    special.wright_bessel, "a, b, x", BY_PARAMETER, BY_PARAMETER, "wright_bessel(a, a + b, x)"
)
special_rule(
    special.log_wright_bessel,
    "a, b, x",
    BY_PARAMETER,
    BY_PARAMETER,
    "exp(log_wright_bessel(a, a + b, x) - out)",
)

# These return a function w and w', where w'' = (x^2 / 4 - v - 1/2) w, or (a - x^2 / 4) w for pbwa.
special_rule(
    special.pbdv, "v, x", (BY_ORDER, "out[1]"), (BY_ORDER, "(0.25 * x * x - v - 0.5) * out[0]")
)
special_rule(
    special.pbvv, "v, x", (BY_ORDER, "out[1]"), (BY_ORDER, "(0.25 * x * x - v - 0.5) * out[0]")
)
special_rule(special.pbwa, "a, x", (BY_ORDER, "out[1]"), (BY_ORDER, "(a - 0.25 * x * x) * out[0]"))
