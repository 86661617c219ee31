"""All rules for scipy.sparse; importing this registers them."""

from chainrules_py.rulesets.scipy.sparse import batching as batching
from chainrules_py.rulesets.scipy.sparse import entries as entries
from chainrules_py.rulesets.scipy.sparse import without_rules as without_rules
from chainrules_py.rulesets.scipy.sparse.linalg import all_functions as all_functions
