"""All rules for scipy.integrate; importing this registers them."""

from chainrules_py.rulesets.scipy.integrate import adjoints as adjoints
from chainrules_py.rulesets.scipy.integrate import odeint as odeint
from chainrules_py.rulesets.scipy.integrate import quadrature as quadrature
from chainrules_py.rulesets.scipy.integrate import sampled as sampled
from chainrules_py.rulesets.scipy.integrate import sensitivities as sensitivities
from chainrules_py.rulesets.scipy.integrate import without_rules as without_rules
