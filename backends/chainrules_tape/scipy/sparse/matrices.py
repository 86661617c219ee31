"""Sparse matrices of traced entries.

SciPy's hold memory that C code reads. A `TracedSparse` holds a traced vector of entries and their
constant positions, and has what programs do with a matrix that they have made: products, systems
(`linalg`), sums, transposes, the dense array.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from chainrules_py.errors import OptionError
from chainrules_py.rulesets.scipy.sparse.entries import entries_dense, entries_product
from chainrules_tape.core.levels import call
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.scipy.objects import place


@dataclass(frozen=True, eq=False)
class TracedSparse:
    """A sparse matrix of traced entries in the place of one of SciPy's class `made_by`.

    Entries at one position add up.
    """

    entries: Any
    rows: Any
    columns: Any
    shape: tuple[int, int]
    made_by: Any

    __array_ufunc__ = None  # operators of arrays leave the product to this class
    ndim = 2

    @property
    def dtype(self) -> Any:
        """The dtype of the entries."""
        return self.entries.dtype

    @property
    def format(self) -> str:
        """The name of the format, which says nothing here but what SciPy's matrix would be."""
        return str(self.made_by.__name__[:3])

    @property
    def data(self) -> Any:
        """The entries, in the order in which they are kept."""
        return self.entries

    @property
    def nnz(self) -> int:
        """How many entries there are."""
        return int(self.rows.size)

    def positions(self) -> dict[str, Any]:
        """Where the entries are, as functions of them take it."""
        return {"rows": self.rows, "columns": self.columns, "shape": self.shape}

    def like(
        self, entries: Any, rows: Any = None, columns: Any = None, shape: Any = None
    ) -> "TracedSparse":
        """A matrix of this class with other entries, at the same positions or others."""
        return TracedSparse(
            entries,
            self.rows if rows is None else rows,
            self.columns if columns is None else columns,
            self.shape if shape is None else shape,
            self.made_by,
        )

    # --- Forms ---

    def toarray(self) -> Any:
        """The dense array."""
        return call(entries_dense, (self.entries,), self.positions())

    todense = toarray

    def tocsr(self, copy: bool = False) -> "TracedSparse":
        """The matrix itself: formats do not differ here."""
        return self

    tocsc = tocoo = todia = tobsr = asformat = copy = tocsr

    def summed(self) -> "TracedSparse":
        """The matrix with one entry at each of its positions."""
        flat = np.asarray(self.rows, np.int64) * self.shape[1] + self.columns
        places, own = np.unique(flat, return_inverse=True)
        if len(places) == self.nnz:
            return self
        sums = sparse.csr_array((np.ones(self.nnz), (own, np.arange(self.nnz))))
        return self.like(sums @ self.entries, *np.divmod(places, self.shape[1]))

    @property
    def T(self) -> "TracedSparse":
        """The transposed matrix."""
        return self.like(self.entries, self.columns, self.rows, self.shape[::-1])

    def transpose(self) -> "TracedSparse":
        """The transposed matrix."""
        return self.T

    def conj(self) -> "TracedSparse":
        """The matrix of conjugate entries."""
        return self.like(np.conj(self.entries))

    # --- Products ---

    def __matmul__(self, other: Any) -> Any:
        if sparse.issparse(other) or isinstance(other, TracedSparse):
            return product_of_entries(self, as_entries(other))
        dense = np.asarray(other) if is_plain(other) else other
        return call(entries_product, (self.entries, dense), self.positions())

    def __rmatmul__(self, other: Any) -> Any:
        if sparse.issparse(other):
            return product_of_entries(as_entries(other), self)
        other = np.asarray(other) if is_plain(other) else other
        return (self.T @ other.T).T

    def dot(self, other: Any) -> Any:
        """The product of matrices, or with a number."""
        is_number = np.ndim(other) == 0 and not isinstance(other, TracedSparse)
        return self * other if is_number else self @ other

    def __mul__(self, other: Any) -> Any:
        if np.ndim(other) == 0 and not is_sparse(other):
            return self.like(self.entries * other)
        return self @ other if issubclass(self.made_by, sparse.spmatrix) else self.multiply(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.multiply(1.0 / other)

    def multiply(self, other: Any) -> "TracedSparse":
        """The matrix times a number, or a dense array that is broadcast to it."""
        if is_sparse(other):
            where, got = place(self.made_by), "entries times entries"
            instead = "multiply by its toarray()"
            raise OptionError(where, got, instead, primal=None, option="other", value=other)
        factors = np.broadcast_to(other, self.shape)[self.rows, self.columns]
        return self.like(self.entries * factors)

    # --- Sums ---

    def __add__(self, other: Any) -> Any:
        if not is_sparse(other):
            return self.toarray() + other
        other = as_entries(other)
        if other.shape != self.shape:
            raise ValueError(
                f"inconsistent shapes {self.shape} and {other.shape} of sparse matrices"
            )
        return self.like(*joined([self, other]))

    __radd__ = __add__

    def __neg__(self) -> "TracedSparse":
        return self.like(-self.entries)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def sum(self, axis: int | None = None) -> Any:
        """The sum of all entries, or of those in each row or column."""
        if axis is None:
            return np.sum(self.entries)
        matrix = self.T if axis % 2 == 0 else self
        return matrix @ np.ones(matrix.shape[1])

    def diagonal(self, k: int = 0) -> Any:
        """The entries on a diagonal."""
        return np.diagonal(self.toarray(), k)

    def trace(self) -> Any:
        """The sum of the diagonal."""
        return np.sum(self.diagonal())


def is_plain(value: Any) -> bool:
    """Whether a value is neither traced nor sparse."""
    return not isinstance(value, TracedSparse) and not issubclass(type(value), TracedArray)


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse matrix, of SciPy's or of traced entries."""
    # not by `sparse.issparse`: in SciPy's modules, seen through, that is ours, which asks this
    return isinstance(value, TracedSparse | sparse.sparray | sparse.spmatrix)


def as_entries(value: Any) -> TracedSparse:
    """A sparse matrix by its entries."""
    if isinstance(value, TracedSparse):
        return value
    plain = value.tocoo()
    rows, columns = plain.coords
    return TracedSparse(plain.data, rows, columns, plain.shape, type(value))


def joined(parts: list[TracedSparse]) -> tuple[Any, Any, Any]:
    """The entries of several matrices and their positions, one after the other."""
    entries = np.concatenate([part.entries for part in parts])
    rows = np.concatenate([part.rows for part in parts])
    columns = np.concatenate([part.columns for part in parts])
    return entries, rows, columns


def product_of_entries(one: TracedSparse, other: TracedSparse) -> TracedSparse:
    """The product of two sparse matrices: an entry for each column and row that meet."""
    if one.shape[1] != other.shape[0]:
        raise ValueError(
            f"inconsistent shapes {one.shape} and {other.shape} of sparse matrices in a product"
        )
    order = np.argsort(other.rows, kind="stable")
    starts = np.searchsorted(other.rows[order], np.arange(other.shape[0] + 1))
    counts = starts[one.columns + 1] - starts[one.columns]
    first = np.repeat(np.arange(one.nnz), counts)
    within = np.arange(first.size) - np.repeat(np.cumsum(counts) - counts, counts)
    second = order[starts[one.columns[first]] + within]
    entries = one.entries[first] * other.entries[second]
    shape = one.shape[0], other.shape[1]
    return one.like(entries, one.rows[first], other.columns[second], shape)
