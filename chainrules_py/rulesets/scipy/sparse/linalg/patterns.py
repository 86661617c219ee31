"""The product left @ right^H at the stored entries of a sparse matrix alone."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from chainrules_py.values.arrays import Array

if TYPE_CHECKING:
    Sparse = Any
    Matrix = Any
else:  # what rules dispatch on: bare classes
    Sparse = sparse.spmatrix | sparse.sparray
    Matrix = Sparse | Array | LinearOperator


def on_pattern(a, left, right) -> Any:
    """The entries of left @ right^H where `a` stores one, for columns or vectors, in its order."""
    stored = a if a.format in ("csr", "csc") else a.tocsr()
    if not stored.has_canonical_format:
        stored = stored.copy()
        stored.sum_duplicates()
    along, starts = stored.indices.copy(), stored.indptr.copy()
    lines = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    rows, columns = (lines, along) if stored.format == "csr" else (along, lines)
    entries = left[rows] * np.conj(right[columns])
    if entries.ndim > 1:
        entries = np.sum(entries, axis=1)
    return type(stored)((entries, along, starts), shape=a.shape)
