"""Products of columns, of which only the entries in the pattern of a sparse matrix are computed."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    Sparse = Any
else:
    Sparse = sparse.spmatrix | sparse.sparray  # what rules dispatch on: bare classes


def on_pattern(a: Any, left: Any, right: Any) -> Any:
    """The entries of left @ right^H where `a` stores one, for columns or vectors."""
    stored = a.tocsr()  # row by row, as tangent spaces have their entries
    if not stored.has_canonical_format:
        stored = stored.copy()
        stored.sum_duplicates()
    rows, columns = np.repeat(np.arange(a.shape[0]), np.diff(stored.indptr)), stored.indices
    entries = left[rows] * np.conj(right[columns])
    return sparse.coo_array((entries if entries.ndim == 1 else np.sum(entries, axis=1), (rows, columns)), shape=a.shape)
