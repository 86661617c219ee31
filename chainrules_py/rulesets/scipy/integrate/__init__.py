"""Rules of `scipy.integrate`."""
from chainrules_py.rulesets.scipy.integrate import quadrature as quadrature
