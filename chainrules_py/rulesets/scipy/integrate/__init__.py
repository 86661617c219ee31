"""Rules of `scipy.integrate`: integrals by their limits and parameters, solutions of differential equations by theirs."""

from chainrules_py.rulesets.scipy.integrate import initial_values as initial_values
from chainrules_py.rulesets.scipy.integrate import quadrature as quadrature
from chainrules_py.rulesets.scipy.integrate import without_rules as without_rules
