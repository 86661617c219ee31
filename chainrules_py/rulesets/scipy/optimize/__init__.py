"""Rules of `scipy.optimize`."""
from chainrules_py.rulesets.scipy.optimize import root_finding as root_finding
from chainrules_py.rulesets.scipy.optimize import minimisation as minimisation
from chainrules_py.rulesets.scipy.optimize import fitting as fitting
