"""All rules for scipy.sparse.linalg; importing this registers them."""

from chainrules_py.rulesets.scipy.sparse.linalg import direct as direct
from chainrules_py.rulesets.scipy.sparse.linalg import iterative as iterative
from chainrules_py.rulesets.scipy.sparse.linalg import least_squares as least_squares
from chainrules_py.rulesets.scipy.sparse.linalg import matrix_functions as matrix_functions
from chainrules_py.rulesets.scipy.sparse.linalg import without_rules as without_rules
