"""Products of SciPy's constant sparse matrices and traced numbers: matrices of traced entries.

The tape imports this module at the first derivative after `scipy.sparse` has been imported.
"""

import importlib
from typing import Any

import numpy as np
from scipy import sparse

from chainrules_py.annotations import Args, Options
from chainrules_tape.core.guests import answer_for


def times_sparse(primal, args: Args, options: Options) -> Any:
    """Multiply a sparse matrix by a traced number, or entry by entry by an array."""
    if primal is not np.multiply or len(args) != 2 or options:
        return NotImplemented
    one, other = args
    matrix, factor = (
        (one, other) if isinstance(one, sparse.sparray | sparse.spmatrix) else args[::-1]
    )
    is_product_of_matrices = isinstance(matrix, sparse.spmatrix) and np.ndim(factor) > 0
    if is_product_of_matrices:  # which has a rule
        return NotImplemented
    matrices: Any = importlib.import_module("chainrules_tape.scipy.sparse.matrices")
    return matrices.as_entries(matrix).multiply(factor)


answer_for(sparse.sparray, times_sparse)
answer_for(sparse.spmatrix, times_sparse)
