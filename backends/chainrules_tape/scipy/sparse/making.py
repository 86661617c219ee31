"""Constructors of sparse matrices: SciPy's own for plain values, `TracedSparse` where entries are
traced.
"""

from dataclasses import replace
from functools import update_wrapper
from typing import Any

import numpy as np
from scipy import sparse

from chainrules_py.annotations import Function
from chainrules_py.ignoring import ignore_derivatives
from chainrules_tape.core.levels import innermost
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.scipy.objects import StandIn, floats, signature
from chainrules_tape.scipy.sparse.matrices import TracedSparse, as_entries, is_sparse, of_format


class SparseClass(StandIn):
    """The metaclass of sparse classes: a call with plain values makes SciPy's own matrix."""

    def __call__(cls, arg1, *args, **options) -> Any:
        """A sparse matrix."""
        if innermost((arg1,)) is None:
            return cls.made_by(arg1, *args, **options)
        return made_of(cls.made_by, arg1, *args, **options)

    def __instancecheck__(cls, instance) -> bool:
        own = isinstance(instance, TracedSparse) and issubclass(instance.made_by, cls.made_by)
        return own or isinstance(instance, cls.made_by)


def made_of(made_by, arg, shape: Any = None, dtype: Any = None, copy: bool = False) -> TracedSparse:
    """Make a matrix of traced entries from the arguments of its class."""
    if isinstance(arg, TracedSparse):
        made = replace(arg.asformat(format_of(made_by)), made_by=made_by)
    elif isinstance(arg, tuple):
        made = of_positions(made_by, arg, shape)
    else:
        dense = floats(arg)
        # a zero that is not stored is constant, as in SciPy
        rows, columns = np.nonzero(ignore_derivatives(dense))
        made = TracedSparse(dense[rows, columns], rows, columns, dense.shape, made_by)
    return made if dtype is None else made.astype(dtype)


def of_positions(made_by, arg: tuple[Any, ...], shape) -> TracedSparse:
    """Make a matrix from entries, and from their positions in the format of its class."""
    values, positions = floats(arg[0]), whole(arg[1:])
    entries = np.reshape(values, -1)
    numbers = np.arange(1.0, 1.0 + entries.shape[0]).reshape(values.shape)
    are_pairs = len(arg) == 2 and format_of(made_by) != "dia"
    # by SciPy, which checks the positions, finds the shape, and says where each number is; a class
    # that adds up what shares a position is not asked
    place: Any = sparse.coo_array if are_pairs else made_by
    found = place((numbers, *positions), shape=shape).tocoo()
    rows, columns = found.coords
    if len(found.data) < entries.shape[0]:  # of diagonals, some reach beyond the matrix
        entries = entries[found.data.astype(int) - 1]
    return TracedSparse(entries, rows, columns, found.shape, made_by, is_stored=len(arg) == 3)


def whole(positions) -> Any:
    """Positions as whole numbers, which have no derivative; each in a tuple or alone."""
    if isinstance(positions, tuple):
        return tuple(map(whole, positions))
    return np.asarray(ignore_derivatives(positions)).astype(np.int64)


def format_of(made_by) -> str:
    """The format with which the name of a class of SciPy begins: "csr" of `csr_array`."""
    return made_by.__name__[:3]


def class_in_place_of(scipys) -> Any:
    """The class that stands in the place of one of SciPy's."""
    return SparseClass(
        scipys.__name__, (), {"made_by": scipys, "__doc__": scipys.__doc__, "__module__": __name__}
    )


# --- Functions ---


class EntryNumbers:
    """Numbers from 1 on instead of entries, so that SciPy's functions show where they place each; 0
    means no entry.
    """

    def __init__(self) -> None:
        self.parts: list[Any] = [np.zeros(1, bool)]
        self.count = 1
        self.leaves_zeros = self.is_merged = False

    def numbers(self, entries) -> Any:
        """The next numbers, in the shape of some entries."""
        self.parts.append(np.reshape(entries, -1))
        size = self.parts[-1].size
        self.count += size
        found = np.arange(self.count - size, self.count, dtype=float)
        return found.reshape(np.shape(entries))[()]

    def in_place_of(self, x) -> Any:
        """A matrix, an array or a number, or each in a list, with numbers for its entries."""
        if x is None:
            return None
        if isinstance(x, list | tuple):
            return [self.in_place_of(part) for part in x]
        if not is_sparse(x):
            x = floats(x)
            is_constant_zero = innermost((x,)) is None and x == 0  # which SciPy leaves out
            return np.where(is_constant_zero, 0.0, self.numbers(x))[()]
        matrix = as_entries(x).stored
        self.leaves_zeros |= matrix.leaves_zeros or matrix.format == "dia"
        self.is_merged |= matrix.is_merged
        return matrix.numbered(self.numbers(matrix.entries))


def placing(function) -> Function:
    """Let a function of SciPy that places entries also take traced ones: SciPy places their
    numbers.
    """

    def place_entries(*args, **options):
        if innermost((*args, *options.values())) is None:
            return function(*args, **options)
        given = signature(function).bind(*args, **options).arguments
        blocks = given.pop(next(iter(given)))
        format, dtype = given.pop("format", None), given.pop("dtype", None)

        entries = EntryNumbers()
        placed = function(entries.in_place_of(blocks), **given)
        found = placed.tocoo()
        is_stored = placed.format in ("csr", "csc", "coo")
        values = np.concatenate(entries.parts)[found.data.astype(int)]
        rows, columns = found.coords
        flags = is_stored, entries.leaves_zeros, entries.is_merged
        made = TracedSparse(values, rows, columns, found.shape, type(placed), *flags)
        # not by SciPy, which would add numbers up where entries share a position
        made = made.asformat(format)
        return made if dtype is None else made.astype(dtype)

    return update_wrapper(place_entries, function)


block_array, bmat, block_diag = map(placing, (sparse.block_array, sparse.bmat, sparse.block_diag))
hstack, vstack = map(placing, (sparse.hstack, sparse.vstack))
diags, diags_array = map(placing, (sparse.diags, sparse.diags_array))
tril, triu = map(placing, (sparse.tril, sparse.triu))


@by_others(sparse.kron)
def kron(A, B, format: Any = None) -> Any:
    """`scipy.sparse.kron`: each entry of the one times the other matrix."""
    one, other = as_matrix(A), as_matrix(B)
    entries = np.reshape(one.entries[:, None] * other.entries[None, :], -1)
    rows = (one.rows[:, None] * other.shape[0] + other.rows).reshape(-1)
    columns = (one.columns[:, None] * other.shape[1] + other.columns).reshape(-1)
    shape = one.shape[0] * other.shape[0], one.shape[1] * other.shape[1]
    is_dense = 2 * other.rows.size >= other.shape[0] * other.shape[1]
    made_by = of_format(one.made_by if other.is_matrix else other.made_by, "coo")
    flags = one.leaves_zeros or other.leaves_zeros, one.is_merged or other.is_merged
    made = TracedSparse(entries, rows, columns, shape, made_by, True, *flags)
    if format is None and is_dense:
        return made.asformat("bsr", blocksize=other.shape)
    return made.asformat(format)


def as_matrix(x) -> TracedSparse:
    """A matrix of traced entries from a sparse or dense one; a dense traced matrix keeps all
    entries.
    """
    if innermost((x,)) is None and not is_sparse(x):
        x = sparse.coo_matrix(x)
    if is_sparse(x):
        return as_entries(x).asformat("coo")
    dense = np.atleast_2d(floats(x))
    rows, columns = np.indices(dense.shape).reshape(2, -1)
    return TracedSparse(np.reshape(dense, -1), rows, columns, dense.shape, sparse.coo_matrix)


def issparse(x) -> bool:
    """`scipy.sparse.issparse`, also of matrices of traced entries."""
    return is_sparse(x)
