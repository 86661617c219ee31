"""Elementwise functions: one line each, both modes at once."""

import numpy as np

from chainrules_py.makers import scalar_rule
from chainrules_py.tangents import ZERO

# Arithmetic
scalar_rule(np.add, "x1, x2", "1", "1")
scalar_rule(np.subtract, "x1, x2", "1", "-1")
scalar_rule(np.multiply, "x1, x2", "x2", "x1")
scalar_rule(np.divide, "x1, x2", "1 / x2", "-out / x2", singular=True)
scalar_rule(np.negative, "x", "-1")
# x1**x2 at x1 == 0 has derivative 0 in x2; log would say -inf there.
scalar_rule(
    np.power,
    "x1, x2",
    "where(x2 == 0, 0, x2 * x1 ** where(x2 == 0, 1, x2 - 1))",
    "out * log(where((x1 == 0) & (x2 >= 0), 1, x1))",
    singular=True,
)
scalar_rule(np.divmod, "x1, x2", (ZERO, ZERO), ("1", "-out[0]"))

# Exponentials and trigonometry
scalar_rule(np.exp, "x", "out")
scalar_rule(np.log, "x", "1 / x", singular=True)
scalar_rule(np.sqrt, "x", "0.5 / out", singular=True)
scalar_rule(np.sin, "x", "cos(x)")
scalar_rule(np.cos, "x", "-sin(x)")
scalar_rule(np.tanh, "x", "1 - out * out")
scalar_rule(np.arctan2, "x1, x2", "x2 / (x1 * x1 + x2 * x2)", "-x1 / (x1 * x1 + x2 * x2)")

# Kinks: at 0 the derivative of abs is 0; at a tie maximum shares equally.
scalar_rule(np.absolute, "x", "sign(x)")
scalar_rule(np.maximum, "x1, x2", "(sign(x1 - x2) + 1) / 2", "(sign(x2 - x1) + 1) / 2")
