"""Products of columns, of which only the entries in the pattern of a sparse matrix are computed."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    Sparse = Any
else:
    Sparse = sparse.spmatrix | sparse.sparray  # what rules dispatch on: bare classes


def on_pattern(a: Any, left: Any, right: Any) -> Any:
    """The entries of left @ right^H where `a` stores one, for columns or vectors.

    They are in the order of those of `a`, if it has one.
    """
    stored = a if a.format in ("csr", "csc") else a.tocsr()
    if not stored.has_canonical_format:
        stored = stored.copy()
        stored.sum_duplicates()
    along, starts = stored.indices.copy(), stored.indptr.copy()
    lines = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    rows, columns = (lines, along) if stored.format == "csr" else (along, lines)
    entries = left[rows] * np.conj(right[columns])
    return type(stored)(
        (entries if entries.ndim == 1 else np.sum(entries, axis=1), along, starts), shape=a.shape
    )
