"""Other names of SciPy's functions: those of ``cupyx.scipy``, and its sparse matrices among the
factors of products.

Most modules of ``cupyx.scipy`` load libraries of CUDA. So the names of one are declared when a rule
of one of its functions is first looked up; by then the user has imported it. That is seen by the
function's module, which some in ``special`` and ``fft`` do not tell: these two are declared at once.
"""

import numpy as np
from cupyx.scipy import sparse

from chainrules_cupy.aliases import renames, renaming
from chainrules_cupy.scipy_functions import module_within, pairs
from chainrules_py.rulesets.sparse_products import register_product
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.identity import existing


def declare_aliases(path: str, table: RuleTable = default_rules) -> None:
    """Declare the functions of the module of ``cupyx.scipy`` in which a path lies; of other paths,
    nothing.
    """
    name = module_within("cupyx.scipy", path)
    if name is None:
        return
    for other, primal in pairs(name).items():
        names = renames(primal, other)
        table.alias(other, primal, renaming(names) if names else None)


def declare_sparse_products() -> None:
    """Register the products of a constant sparse matrix of ``cupyx`` and an array; `*` is one of
    them for the older classes.
    """
    for cls in existing(sparse, "spmatrix", "sparray"):
        register_product(np.matmul, cls)
    register_product(np.multiply, sparse.spmatrix)


declare_aliases("cupyx.scipy.fft")
declare_aliases("cupyx.scipy.special")
declare_sparse_products()
