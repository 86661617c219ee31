"""Rules of `scipy.sparse`, and of its solvers in `linalg`.

The cotangent of a sparse matrix has its pattern: entries that are not stored are constant zeros.
Products are in `rulesets.products.sparse_products`.
"""

from chainrules_py.rulesets.scipy.sparse import batching as batching
from chainrules_py.rulesets.scipy.sparse import entries as entries
from chainrules_py.rulesets.scipy.sparse import linalg as linalg
from chainrules_py.rulesets.scipy.sparse import without_rules as without_rules
