"""Sparse matrices of traced entries.

SciPy's hold memory that C code reads. A `TracedSparse` holds a traced vector of entries and their
constant positions, and has what programs do with a matrix that they have made: products, systems
(`linalg`), sums, transposes, entries and rows, the dense array. What else SciPy's has is refused by
name.

Entries at one position add up, and their order is any, until somebody asks for what SciPy's class
keeps: `stored` has one entry at each position, row by row or column by column, where SciPy has.
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from chainrules_py.introspection import frame_outside
from chainrules_py.rulesets.scipy.sparse.entries import entries_dense, entries_product
from chainrules_py.values.operators import BINARY, COMPARISONS, MIRRORED, UNARY
from chainrules_tape.core.levels import call_traced
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.scipy.objects import constant, floats, public_place

# methods that take a function of each entry, and leave zero where it was
ELEMENTWISE = frozenset(
    {"sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh"}
    | {"expm1", "log1p", "sqrt", "deg2rad", "rad2deg"}
)

COMPRESSED = frozenset({"csr", "csc"})

OF_UFUNCS = {
    **{ufunc: (f"__{name}__", f"__r{name}__") for name, ufunc in BINARY.items()},
    **{ufunc: (f"__{name}__", f"__{MIRRORED[name]}__") for name, ufunc in COMPARISONS.items()},
    **{ufunc: (f"__{name}__",) for name, ufunc in UNARY.items()},
    np.conjugate: ("conj",),
}  # the methods that ufuncs are, where the matrix is the first or the second operand

INSTEAD = "make the matrix from all entries, (data, (rows, columns)), or take its toarray()"


@dataclass(frozen=True, eq=False)
class TracedSparse:
    """A sparse matrix of traced entries in the place of one of SciPy's class `made_by`.

    Entries at one position add up.
    """

    entries: Any
    rows: Any
    columns: Any
    shape: tuple[int, ...]
    made_by: Any
    # whether the entries are those that SciPy's class keeps, in their order
    is_stored: bool = False
    # whether SciPy's class would have left out entries that are zero, or kept several at a position
    leaves_zeros: bool = False
    is_merged: bool = False

    ndim = 2

    @property
    def dtype(self) -> Any:
        """The dtype of the entries."""
        return self.entries.dtype

    @property
    def format(self) -> str:
        """The format that SciPy's matrix would have; it has no effect here."""
        return str(self.made_by.__name__[:3])

    @property
    def is_matrix(self) -> bool:
        """Whether it replaces one of SciPy's older classes, whose * is the matrix product."""
        return issubclass(self.made_by, sparse.spmatrix)

    @property
    def data(self) -> Any:
        """The entries, in the order in which SciPy's class keeps them."""
        kept = self.kept("data", COMPRESSED | {"coo"})
        if not self.is_stored:  # somebody may write into what is handed out
            self.become(kept)
        return self.entries

    def kept(self, name: str, formats: frozenset[str]) -> "TracedSparse":
        """The matrix with the entries that SciPy's class keeps, for an attribute of some formats."""
        if self.format not in formats:
            self.refuse_attribute(name, f"write {name} of its tocsr() or tocoo()")
        if self.is_merged:
            self.refuse_attribute(
                name, "first call sum_duplicates() of the matrix from which it is made"
            )
        if self.leaves_zeros and not np.all(constant(self.stored.entries)):
            where = f"{public_place(self.made_by)}.{name}"
            got = "SciPy drops an entry that is zero and has a derivative"
            instead = "take its toarray(), or multiply by it"
            raise LostGradientError(where, got, instead, operation=name, value=None)
        return self.stored

    def become(self, other: "TracedSparse") -> None:
        """Take over the entries of another matrix, after a write or a change of order."""
        self.__dict__.pop("stored", None)
        for name in ("entries", "rows", "columns", "is_stored", "leaves_zeros", "is_merged"):
            object.__setattr__(self, name, getattr(other, name))

    @property
    def nnz(self) -> int:
        """How many entries there are."""
        if self.format == "dia":  # which keeps all of a diagonal
            return int(with_ones(self).nnz)
        return int(self.kept("nnz", COMPRESSED | {"coo", "bsr"}).rows.size)

    @property
    def size(self) -> int:
        """How many entries there are."""
        return self.nnz

    @property
    def coords(self) -> tuple[Any, Any]:
        """The rows and columns of the entries."""
        kept = self.kept("coords", COMPRESSED | {"coo"})
        return kept.rows, kept.columns

    @property
    def row(self) -> Any:
        """The row of each entry."""
        return self.coords[0]

    @property
    def col(self) -> Any:
        """The column of each entry."""
        return self.coords[1]

    @property
    def indices(self) -> Any:
        """The column of each entry; in formats by columns, the row."""
        return self.kept("indices", COMPRESSED).compressed()[0]

    @property
    def indptr(self) -> Any:
        """Where each row, or column, begins among the entries."""
        return self.kept("indptr", COMPRESSED).compressed()[1]

    def compressed(self) -> tuple[Any, Any]:
        """Where the stored entries are in their rows, or columns, and where each of these begins."""
        lines, along, count = self.rows, self.columns, self.shape[0]
        if self.format == "csc":
            lines, along, count = self.columns, self.rows, self.shape[1]
        return along, np.searchsorted(lines, np.arange(count + 1))

    def refuse_attribute(self, name: str, instead: str = INSTEAD) -> NoReturn:
        """Raise for an attribute of SciPy's class that traced entries do not have."""
        where = f"{public_place(self.made_by)}.{name}"
        got = "a matrix with traced entries does not have it"
        raise LostGradientError(where, got, instead, operation=name, value=None)

    def __array__(self, *args, **options) -> Any:
        """An array of one object, as for any object; SciPy's classes refuse it."""
        if (
            frame_outside({"chainrules_py", "chainrules_tape", "numpy"}).f_code.co_name
            == "__init__"
        ):
            instead = "write 'from chainrules_tape.scipy import sparse', or take its toarray()"
            self.refuse_attribute("numpy.asarray", instead)
        made = np.empty((), object)
        made[()] = self
        return made

    def __array_ufunc__(self, ufunc, method: str, *inputs, **options) -> Any:
        """Call the method for a ufunc; operators of arrays arrive here, too."""
        names = OF_UFUNCS.get(ufunc, (ufunc.__name__,))
        name = names[-1 if inputs[0] is not self else 0]
        is_there = name in ELEMENTWISE or hasattr(type(self), name)
        if method != "__call__" or options or not is_there:
            self.refuse_attribute(ufunc.__name__, f"write numpy.{ufunc.__name__} of its toarray()")
        return getattr(self, name)(*(inputs[1:] if inputs[0] is self else inputs[:1]))

    def __getattr__(self, name: str) -> Any:
        if name in ELEMENTWISE:
            return lambda: self.mapped(getattr(np, name))
        if not name.startswith("_") and hasattr(self.made_by, name):
            self.refuse_attribute(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def positions(self) -> dict[str, Any]:
        """Where the entries are, as functions of them take it."""
        return {"rows": self.rows, "columns": self.columns, "shape": self.shape}

    @property
    def places(self) -> Any:
        """The position of each entry, counted row after row."""
        return np.asarray(self.rows, np.int64) * self.shape[1] + self.columns

    def like(self, entries) -> "TracedSparse":
        """A matrix of this class with other entries at the same positions."""
        return replace(self, entries=entries)

    def mapped(self, function) -> "TracedSparse":
        """The matrix of a function of each entry, which is zero at zero."""
        matrix = self.summed()
        return replace(matrix, entries=function(matrix.entries), is_merged=False)

    # --- Forms ---

    def toarray(self) -> Any:
        """The dense array."""
        return call_traced(entries_dense, (self.entries,), self.positions())

    def todense(self) -> Any:
        """The dense array."""
        if self.is_matrix:
            instead = (
                "write toarray(); SciPy gives a numpy.matrix, whose * is a product of matrices"
            )
            self.refuse_attribute("todense", instead)
        return self.toarray()

    def asformat(self, format: str | None, copy: bool = False, **options) -> "TracedSparse":
        """Convert the matrix to another format."""
        if format is None or (format == self.format and not options):
            return self
        if not {"bsr", "dia"}.isdisjoint((format, self.format)):
            matrix = replace(self.single(), leaves_zeros=self.format == "dia" or self.leaves_zeros)
            return matrix.placed(getattr(matrix.numbered(), f"to{format}")(**options))
        made_by, is_turned = of_format(self.made_by, format), format in COMPRESSED
        if self.format not in COMPRESSED or (is_turned and not self.is_stored):
            return replace(self, made_by=made_by, is_stored=False)
        if is_turned:
            return self.placed(self.numbered().asformat(format))
        return replace(self.stored, made_by=made_by)

    def copy(self) -> "TracedSparse":
        """The matrix with entries of its own."""
        return self.like(self.entries.copy())

    def astype(self, dtype, casting: str = "unsafe", copy: bool = True) -> "TracedSparse":
        """The matrix of entries of another dtype."""
        return self.like(self.entries.astype(dtype))

    def eliminate_zeros(self) -> None:
        """Keep all entries: one that is zero has a derivative."""
        object.__setattr__(self, "leaves_zeros", True)

    def sum_duplicates(self) -> None:
        """Keep one entry at each position, in order."""
        matrix = replace(self, is_stored=False)
        self.become(matrix.asformat("csc" if self.format == "csc" else "csr").stored)

    def summed(self) -> "TracedSparse":
        """The matrix with one entry at each of its positions, row by row."""
        flat = self.places
        if np.all(flat[1:] > flat[:-1]):
            return self
        places, first, own = np.unique(flat, return_index=True, return_inverse=True)
        is_unique = len(places) == flat.size
        entries = self.entries[first] if is_unique else sums(self.entries, own, len(places))
        rows, columns = np.divmod(places, self.shape[1])
        return replace(
            self,
            entries=entries,
            rows=rows,
            columns=columns,
            is_stored=False,
            is_merged=not is_unique and self.is_stored and self.format in COMPRESSED,
        )

    @property
    def is_sorted(self) -> bool:
        """Whether the entries that SciPy's class keeps are in the order of their positions."""
        if self.format not in COMPRESSED or not self.is_stored:
            return self.format != "bsr"
        lines = self.T if self.format == "csc" else self
        return bool(np.all(np.diff(lines.places) > 0))

    def single(self) -> "TracedSparse":
        """The matrix with one entry at each of its positions, in the order that there is."""
        return self if np.unique(self.places).size == self.rows.size else self.summed()

    @cached_property
    def stored(self) -> "TracedSparse":
        """The matrix with the entries that SciPy's class keeps, in their order."""
        if self.is_stored or self.format == "coo":
            return self
        if self.format == "csc":
            return self.T.stored.T
        return replace(self.summed(), is_stored=True)

    def numbered(self, numbers: Any = None) -> Any:
        """SciPy's matrix with numbers instead of entries, by default from one on."""
        numbers = np.arange(1, self.rows.size + 1) if numbers is None else numbers
        if self.is_stored and self.format in ("csr", "csc"):
            parts = numbers, *self.compressed()
            # a copy: SciPy sorts entries, and adds them up, where they are
            return self.made_by(parts, shape=self.shape, copy=True)
        coo = of_format(self.made_by, "coo")((numbers, (self.rows, self.columns)), self.shape)
        return coo.asformat(self.format)

    def placed(self, numbered) -> "TracedSparse":
        """The matrix with the entries where SciPy has put their numbers."""
        found = numbered.tocoo()
        is_stored = numbered.format != "dia"
        return replace(
            self,
            entries=self.with_zero()[found.data],  # 0 is of blocks
            rows=found.coords[0],
            columns=found.coords[1],
            shape=found.shape,
            made_by=type(numbered),
            is_stored=is_stored,
        )

    def with_zero(self) -> Any:
        """Zero, then the entries: the values for the numbers of `numbered`."""
        return np.concatenate([np.zeros(1, bool), self.entries])

    def plain(self) -> Any:
        """SciPy's matrix of the values, without derivatives."""
        return self.numbered(constant(self.entries))

    @property
    def T(self) -> "TracedSparse":
        """The transposed matrix."""
        turned = {"csr": "csc", "csc": "csr"}.get(self.format, self.format)
        made_by, shape = of_format(self.made_by, turned), self.shape[::-1]
        return replace(self, rows=self.columns, columns=self.rows, shape=shape, made_by=made_by)

    def transpose(self, axes: Any = None, copy: bool = False) -> "TracedSparse":
        """The transposed matrix."""
        return self.T

    def reshape(self, *shape, order: str = "C", copy: bool = False) -> "TracedSparse":
        """The matrix of another shape, whose entries have the same order, row after row."""
        sizes = np.empty(self.shape, bool).reshape(*shape).shape
        if len(sizes) != 2 or order != "C":
            self.refuse_attribute(
                "reshape", "pass two sizes and no order, or reshape its toarray()"
            )
        if sizes == self.shape:
            return self
        matrix = self.asformat("coo")
        rows, columns = np.divmod(matrix.places, sizes[1])
        return replace(matrix, rows=rows, columns=columns, shape=sizes)

    def conj(self, copy: bool = True) -> "TracedSparse":
        """The matrix of conjugate entries."""
        return self.like(np.conj(self.entries))

    conjugate = conj

    @property
    def real(self) -> "TracedSparse":
        """The matrix of the real parts."""
        return self.like(np.real(self.entries))

    @property
    def imag(self) -> "TracedSparse":
        """The matrix of the imaginary parts."""
        return self.like(np.imag(self.entries))

    def _deduped_data(self) -> Any:
        """One entry at each position, under the name that SciPy's code reads."""
        return self.summed().entries

    def nonzero(self) -> Any:
        """The positions of entries that are not zero."""
        return self.plain().nonzero()

    def count_nonzero(self, axis: Any = None) -> Any:
        """How many entries are not zero."""
        return self.plain().count_nonzero(axis)

    # --- Entries ---

    def __getitem__(self, key) -> Any:
        matrix = self.stored
        picked = matrix.numbered()[key]
        if not sparse.issparse(picked):  # a number, or a numpy.matrix of numbers: 0 for no entry
            matrix = self.summed()  # SciPy has added up what shares a position
            return matrix.with_zero()[np.asarray(matrix.numbered()[key])]
        if picked.ndim != 2:
            instead = "write M[[i]] or M[:, [j]], which has two axes, or index its toarray()"
            self.refuse_attribute("M[i]", instead)
        return matrix.placed(picked)

    def __setitem__(self, key, value) -> None:
        self.refuse_attribute(
            "M[i, j] = value", "make the matrix from all entries, (data, (rows, columns))"
        )

    def __iter__(self) -> Iterator["TracedSparse"]:
        return (self[k] for k in range(self.shape[0]))

    def getrow(self, i: int) -> "TracedSparse":
        """The matrix of one row."""
        return self.line("getrow", i)

    def getcol(self, j: int) -> "TracedSparse":
        """The matrix of one column."""
        return self.line("getcol", j)

    def line(self, method: str, k: int) -> "TracedSparse":
        """The matrix of one row or column; in SciPy a product, unless the format is compressed."""
        is_product = self.format not in COMPRESSED
        matrix = replace(self.single(), leaves_zeros=self.leaves_zeros or is_product)
        return matrix.placed(getattr(matrix.numbered(), method)(k))

    def __len__(self) -> int:
        raise TypeError("the length of a sparse matrix is ambiguous: write shape[0] or nnz")

    def __bool__(self) -> bool:
        raise ValueError("the truth value of a sparse matrix is ambiguous: write nnz != 0")

    __hash__ = object.__hash__

    # --- Products ---

    def __matmul__(self, other) -> Any:
        if sparse.issparse(other) or isinstance(other, TracedSparse):
            return product_of_entries(self, as_entries(other))
        dense = np.asarray(other) if is_constant_operand(other) else other
        return call_traced(entries_product, (self.entries, dense), self.positions())

    def __rmatmul__(self, other) -> Any:
        if sparse.issparse(other):
            return product_of_entries(as_entries(other), self)
        other = np.asarray(other) if is_constant_operand(other) else other
        return (self.T @ other.T).T

    def dot(self, other) -> Any:
        """The product of matrices, or with a number."""
        return self @ other if np.ndim(other) else self.multiply(other)

    def __mul__(self, other) -> Any:
        return self @ other if self.is_matrix and np.ndim(other) else self.multiply(other)

    def __imul__(self, other) -> Any:
        return self.assigned(self * other, other)

    def __itruediv__(self, other) -> Any:
        return self.assigned(self / other, other)

    def assigned(self, result, other) -> Any:
        """The result of an operator with assignment: for a number, the same object."""
        if np.ndim(other):
            return result
        self.become(result)
        return self

    def __rmul__(self, other) -> Any:
        if is_sparse(other):  # of two sparse ones, the first decides
            return as_entries(other) * self
        return other @ self if self.is_matrix and np.ndim(other) else self.multiply(other)

    def __truediv__(self, other) -> Any:
        if is_sparse(other):
            self.refuse_attribute("M / N")
        if np.ndim(other) == 0:
            return self.like(self.entries / other)
        return self.multiply(1.0 / other)

    def multiply(self, other) -> "TracedSparse":
        """Multiply by a number, or entry by entry by an array, which is broadcast, or a sparse
        matrix.
        """
        if is_sparse(other):
            return product_by_entries(self, as_entries(other))
        if np.ndim(other) == 0:
            return self.like(self.entries * other)
        matrix = self.summed() if self.format == "coo" else self
        factors = np.broadcast_to(other, self.shape)[matrix.rows, matrix.columns]
        product = matrix.like(matrix.entries * factors)
        return product if self.format == "dia" else product.asformat("coo")

    def power(self, n, dtype: Any = None) -> "TracedSparse":
        """The matrix of powers of the entries."""
        if np.ndim(n) != 0 or n <= 0:
            self.refuse_attribute("power", "pass one number above zero")
        matrix = self if dtype is None else self.astype(dtype)
        return matrix.mapped(lambda entries: entries**n)

    def __pow__(self, n) -> "TracedSparse":
        if not self.is_matrix:
            return self.power(n)
        if n not in range(1, 65):
            self.refuse_attribute("M ** n", "pass an n from 1 to 64, or write products")
        return reduce(operator.matmul, [self] * int(n))

    def __abs__(self) -> "TracedSparse":
        return self.mapped(np.abs)

    # --- Sums ---

    def __add__(self, other) -> Any:
        if not is_sparse(other):
            is_zero = is_constant_operand(other) and np.ndim(other) == 0 and other == 0
            return self if is_zero else self.toarray() + other  # zero as of sum(matrices)
        other = as_entries(other)
        if other.shape != self.shape:
            raise ValueError(
                f"inconsistent shapes {self.shape} and {other.shape} of sparse matrices"
            )
        joined = joined_entries([self, other])
        if not self.is_sorted or not other.is_sorted:
            return summed_as(with_ones(self) + with_ones(other), *joined)
        made = TracedSparse(*joined, self.shape, class_of_two(self, other))
        return replace(made, leaves_zeros=True)  # half the time

    def __radd__(self, other) -> Any:
        return as_entries(other) + self if is_sparse(other) else self + other

    def __neg__(self) -> "TracedSparse":
        return self.like(-self.entries)

    def __sub__(self, other) -> Any:
        is_by_rows = self.format == "dia" and is_sparse(other) and other.format != "dia"
        return (self.asformat("csr") if is_by_rows else self) + -other

    def __rsub__(self, other) -> Any:
        return as_entries(other) - self if is_sparse(other) else -self + other

    def sum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        """The sum of all entries, or of those in each row or column."""
        if dtype is not None or out is not None:
            self.refuse_attribute("sum", "leave out the options dtype and out")
        if axis is None:
            return np.sum(self.entries)
        is_of_columns = operator.index(axis) % 2 == 0
        matrix = self.T if is_of_columns else self
        sums = matrix @ np.ones(matrix.shape[1], self.dtype)
        if not self.is_matrix:
            return sums
        return sums[None, :] if is_of_columns else sums[:, None]  # as numpy.matrix has them

    def mean(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        """The mean of all entries, or of those in each row or column, zeros among them."""
        rows, columns = self.shape
        count = rows * columns if axis is None else (rows, columns)[operator.index(axis) % 2]
        return self.sum(axis, dtype, out) / count

    def diagonal(self, k: int = 0) -> Any:
        """The entries on a diagonal, in a new array that a program may write to."""
        return np.copy(np.diagonal(self.toarray(), k))

    def setdiag(self, values, k: int = 0) -> None:
        """Write a number, or the first of some, on a diagonal."""
        length = min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0))
        if length <= 0:
            raise ValueError("k exceeds array dimensions")
        values = floats(values).astype(self.dtype)
        values = values[:length] if values.ndim else np.broadcast_to(values, length)
        # a position of several entries has one then, as in SciPy, or its first
        matrix = self if self.format == "coo" else self.single()
        count = matrix.rows.size
        numbered = matrix.numbered()
        numbered.setdiag(np.arange(count + 1, count + 1 + values.shape[0]), k)
        entries = np.concatenate([matrix.entries, values])
        self.become(matrix.like(entries).placed(numbered))

    def trace(self, offset: int = 0) -> Any:
        """The sum of a diagonal."""
        return np.sum(self.diagonal(offset))


def comparison(name: str) -> Callable[[TracedSparse, Any], Any]:
    """The operator of this name, which compares values and has no derivative."""
    compare = getattr(operator, name)

    def compared(matrix: TracedSparse, other) -> Any:
        if other is None:
            return NotImplemented
        return compare(matrix.plain(), other.plain() if isinstance(other, TracedSparse) else other)

    return compared


def conversion(format: str) -> Callable[..., TracedSparse]:
    """The method that gives the matrix as the class of a format keeps it."""

    def converted(matrix: TracedSparse, blocksize: Any = None, copy: bool = False) -> TracedSparse:
        options = {} if blocksize is None else {"blocksize": blocksize}
        return matrix.asformat(format, **options)

    converted.__doc__ = f"The matrix in the format {format}."
    return converted


for _name in COMPARISONS:
    setattr(TracedSparse, f"__{_name}__", comparison(_name))
for _name in ("csr", "csc", "coo", "dia", "bsr"):
    setattr(TracedSparse, f"to{_name}", conversion(_name))


def sums(entries, groups, count: int) -> Any:
    """The sums of entries that have the same number in `groups`, of numbers below a count."""
    ones = np.ones(groups.size, bool)  # which keep the dtype of the entries
    shape = count, groups.size
    return sparse.csr_array((ones, (groups, np.arange(groups.size))), shape) @ entries


def of_format(made_by, format: str) -> Any:
    """SciPy's class of another format, an array or a matrix as `made_by` is."""
    kind = "matrix" if issubclass(made_by, sparse.spmatrix) else "array"
    found = getattr(sparse, f"{format}_{kind}")
    return getattr(found, "made_by", found)  # seen through, `sparse` has our classes


def class_of_two(one: TracedSparse, other: TracedSparse) -> Any:
    """The class of a sum of two matrices."""
    if one.format == "dia" != other.format:
        one = other
    return of_format(one.made_by, "csr") if one.format == "coo" else one.made_by


def product_by_entries(one: TracedSparse, other: TracedSparse) -> TracedSparse:
    """The matrix of products of entries at the same position."""
    if one.shape != other.shape:
        one.refuse_attribute("multiply", "multiply by toarray() if shapes differ")
    example = with_ones(one).multiply(with_ones(other))
    one, other = one.summed(), other.summed()
    _, first, second = np.intersect1d(
        one.places, other.places, assume_unique=True, return_indices=True
    )
    entries = one.entries[first] * other.entries[second]
    return summed_as(example, entries, one.rows[first], one.columns[first])


def is_constant_operand(value) -> bool:
    """Whether a value is neither traced nor sparse."""
    return not isinstance(value, TracedSparse) and not issubclass(type(value), TracedArray)


def is_sparse(value) -> bool:
    """Whether a value is a sparse matrix, of SciPy's or of traced entries."""
    # not by `sparse.issparse`: in SciPy's modules, seen through, that is ours, which asks this
    return isinstance(value, TracedSparse | sparse.sparray | sparse.spmatrix)


def as_entries(value) -> TracedSparse:
    """A sparse matrix by its entries."""
    if isinstance(value, TracedSparse):
        return value
    plain = value.tocoo()
    rows, columns = plain.coords
    is_stored = value.format in ("csr", "csc", "coo")
    return TracedSparse(plain.data, rows, columns, plain.shape, type(value), is_stored)


def joined_entries(parts: list[TracedSparse]) -> tuple[Any, Any, Any]:
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
    first = np.repeat(np.arange(one.rows.size), counts)
    within = np.arange(first.size) - np.repeat(np.cumsum(counts) - counts, counts)
    second = order[starts[one.columns[first]] + within]
    entries = one.entries[first] * other.entries[second]
    example = with_ones(one) @ with_ones(other)
    return summed_as(example, entries, one.rows[first], other.columns[second])


def summed_as(example, entries, rows, columns) -> TracedSparse:
    """Add up entries at the same position, in the class and positions of SciPy's result for other
    numbers.
    """
    made = replace(as_entries(example), leaves_zeros=True)
    order = np.argsort(made.places)
    own = np.searchsorted(
        made.places, replace(made, rows=rows, columns=columns).places, sorter=order
    )
    return made.like(sums(entries, order[own], order.size))


def with_ones(matrix: TracedSparse) -> Any:
    """SciPy's matrix with ones where a matrix has entries."""
    return matrix.numbered(np.ones(matrix.rows.size))
