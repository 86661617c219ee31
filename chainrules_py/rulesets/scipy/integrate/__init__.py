"""Rules of `scipy.integrate`: integrals by limits and parameters or of samples, solutions of differential equations."""

from chainrules_py.rulesets.scipy.integrate import initial_values as initial_values
from chainrules_py.rulesets.scipy.integrate import quadrature as quadrature
from chainrules_py.rulesets.scipy.integrate import sampled as sampled
from chainrules_py.rulesets.scipy.integrate import without_rules as without_rules
