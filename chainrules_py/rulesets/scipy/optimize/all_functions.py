"""All rules for scipy.optimize; importing this registers them."""

from chainrules_py.rulesets.scipy.optimize import fitting as fitting
from chainrules_py.rulesets.scipy.optimize import minimisation as minimisation
from chainrules_py.rulesets.scipy.optimize import root_finding as root_finding
from chainrules_py.rulesets.scipy.optimize import without_rules as without_rules
