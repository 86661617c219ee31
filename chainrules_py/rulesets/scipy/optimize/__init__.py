"""Rules of `scipy.optimize`.

What a solver found is differentiated by the equation that it satisfies, and not its iterations.

`declaring` makes both rules of an equation; roots, minima and least squares say theirs. Each solver
runs on plain numbers, with the caller's functions as they are there; parameters come from `args` or
from the surroundings of the functions (`closures`).
"""

from chainrules_py.rulesets.scipy.optimize import fitting as fitting
from chainrules_py.rulesets.scipy.optimize import minimisation as minimisation
from chainrules_py.rulesets.scipy.optimize import root_finding as root_finding
from chainrules_py.rulesets.scipy.optimize import without_rules as without_rules
