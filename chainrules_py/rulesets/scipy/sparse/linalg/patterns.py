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
    stored = a.tocsr(copy=True)
    stored.sum_duplicates()
    stored = stored.tocoo()
    left, right = (np.reshape(v, (v.shape[0], -1)) for v in (left, right))
    rows, columns = stored.row, stored.col
    entries = np.sum(left[rows] * np.conj(right[columns]), axis=1)
    return sparse.coo_array((entries, (rows, columns)), shape=a.shape)
