"""Rules of `scipy.sparse`: in `linalg` those of its solvers.

Products are in `rulesets.products.sparse_products`.

The cotangent of a sparse matrix has its pattern: entries that are not stored are constant zeros.
"""

from chainrules_py.rulesets.scipy.sparse import entries as entries
from chainrules_py.rulesets.scipy.sparse import linalg as linalg
from chainrules_py.rulesets.scipy.sparse import without_rules as without_rules
