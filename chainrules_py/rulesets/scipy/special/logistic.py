"""The logistic function, its inverse and its logarithm."""

from scipy import special

from chainrules_py.rulesets.formulas.without_cancellation import logistic_slope
from chainrules_py.rulesets.scipy.special.declaring import special_rule
from chainrules_py.values.identity import existing

special_rule(special.expit, "x", logistic_slope)
special_rule(special.logit, "x", "1 / (x * (1 - x))", singular=True)
special_rule(special.log_expit, "x", "expit(-x)")
for softplus in existing(special, "softplus"):
    special_rule(softplus, "x", "expit(x)")
