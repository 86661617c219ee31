"""Rules of `scipy.integrate`."""
from chainrules_py.rulesets.scipy.integrate import quadrature as quadrature
from chainrules_py.rulesets.scipy.integrate import initial_values as initial_values
