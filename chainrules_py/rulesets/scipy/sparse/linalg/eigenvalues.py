"""Some eigenvalues of Hermitian matrices, and some singular values, with their vectors.

    w_dot_i = v_i^H A_dot v_i,    (A - w_i) v_dot_i = -(A_dot - w_dot_i) v_i,    v_i^H v_dot_i = 0

Within what the vectors found span, their derivative is that of `numpy.linalg.eigh`. What lies beside
it solves the system of A - w_i with these vectors as a border, which is not singular where no
eigenvalue found is one of the others, too. Singular values are eigenvalues of [[0, A], [A^H, 0]],
whose vectors are u and v, one above the other, divided by the root of 2.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from chainrules_py import composed
from chainrules_py.makers import Linearised, LinearMap, linearised_rule, primitive
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    diagonal,
    diagonal_matrix,
    reciprocal_gaps,
)
from chainrules_py.rulesets.linalg.degeneracy import (
    forbid_second_derivative_at_repeats,
    require_determined,
    where_determined,
)
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.rulesets.scipy.sparse.entries import (
    Shape,
    at_entries,
    entries_dense,
    entries_product,
    entries_solution,
    matrix_of,
)
from chainrules_py.rulesets.scipy.sparse.linalg.patterns import Sparse, on_pattern
from chainrules_py.tangents import ZERO, is_zero
from chainrules_py.values.arrays import Array

# of a pair of matrices, and by operators in the place of one, nobody wrote the derivative
EIGSH = "k sigma which v0 ncv maxiter tol return_eigenvectors rng"
SVDS = "k ncv tol which v0 maxiter return_singular_vectors solver rng"
DENSE = 0.25  # share of entries from which on a matrix is taken for a dense one


def is_dense(entries, shape: Shape) -> bool:
    """Whether a matrix has so many entries that a dense one is faster."""
    return bool(entries.shape[0] >= DENSE * shape[0] * shape[1])


def eigenpairs(matrix, options: dict[str, Any]) -> tuple[Any, Any]:
    """Eigenvalues and eigenvectors by `eigsh`, in the order that `eigsh` gives, which differs for
    values alone.
    """
    w, v = linalg.eigsh(matrix, **{**options, "return_eigenvectors": True})
    if options.get("return_eigenvectors", True):
        return w, v
    alone = linalg.eigsh(matrix, **options)
    order = np.argsort(w)[np.argsort(np.argsort(alone))]
    return w[order], v[:, order]


@primitive
def entries_eigenpairs(
    entries, rows, columns, shape: Shape, split: int | None, options: dict[str, Any]
) -> Any:
    """Eigenvalues and eigenvectors of the Hermitian part of a matrix, by `eigsh`.

    With `split` the matrix is [[0, A], [A^H, 0]] with so many rows of A, and `svds` finds them.

    >>> at = {"rows": np.arange(3), "columns": np.arange(3), "shape": (3, 3)}
    >>> entries_eigenpairs(np.array([1.0, 5.0, 2.0]), **at, split=None, options={"k": 1})[0]
    array([5.])
    """
    matrix: Any = matrix_of(entries, rows, columns, shape)
    if is_dense(entries, shape):
        matrix = matrix.toarray()
    matrix = (matrix + matrix.conj().T) / 2
    if split is None:
        return eigenpairs(matrix, options)
    found: Any = linalg.svds(matrix[:split, split:], **options)
    u, s, vh = found
    return s, np.concatenate([u, vh.conj().T]) / np.sqrt(2)


@linearised_rule(entries_eigenpairs)
def entries_eigenpairs_linearised(
    entries: Array,
    *,
    rows,
    columns,
    shape: Shape,
    split: int | None,
    options: dict[str, Any],
    out,
    xp,
) -> LinearMap:
    """The derivative of values and vectors; without cotangents of vectors, no system is solved."""
    here = {"rows": rows, "columns": columns, "shape": shape}
    back = {"rows": columns, "columns": rows, "shape": shape}

    def products(dot, v) -> tuple[Any, Any]:
        return entries_product(dot, v, **here), entries_product(xp.conj(dot), v, **back)

    def at(left, right) -> Any:
        return at_entries(left, right, rows, columns, xp)

    of = linalg.eigsh if split is None else linalg.svds
    return eigenpair_map(out, products, at, partial(bordered_solution, entries, here=here), of, xp)


def eigenpair_map(out, products, at, solved, of, xp) -> LinearMap:
    """The derivative of eigenvalues and eigenvectors.

    `products` are those of a tangent and of its adjoint with the vectors, `at` is left @ right^H
    where the matrix has entries, and `solved` is `bordered_solution` of the matrix.
    """
    w, vectors = out

    def beside(v, sides) -> Any:
        """The x_i beside all vectors with (A - w_i) x_i = -b_i, up to these vectors."""
        columns = [solved(w[k], v, -sides[:, k], xp=xp) for k in range(w.shape[0])]
        return xp.stack(columns, axis=1)

    def pushforward(dot) -> tuple[Any, Any]:
        v = forbid_second_derivative_at_repeats(vectors, w, None, of=of)
        one, other = products(dot, v)
        moved = (one + other) / 2  # by the Hermitian part
        p = adjoint(v, xp) @ moved
        dots = (v @ (reciprocal_gaps(w, xp) * p) + beside(v, moved),)
        return xp.real(diagonal(p, xp)), *where_determined(dots, w, p, of)

    def pullback(y_bar):
        w_bar, v_bar = y_bar
        values_alone = is_zero(v_bar)
        v = forbid_second_derivative_at_repeats(vectors, w, w_bar if values_alone else None, of=of)
        if values_alone:
            return at(v * w_bar, v)
        turning = adjoint(v, xp) @ v_bar
        require_determined(w, w_bar, turning, of=of)
        p_bar = diagonal_matrix(w_bar, xp) + reciprocal_gaps(w, xp) * turning
        left = v @ p_bar + beside(v, v_bar)
        return (at(left, v) + at(v, left)) / 2

    return LinearMap(pushforward, pullback)


@with_options(linalg.eigsh, EIGSH, linearised_rule)
def eigsh_sparse_linearised(A: Sparse, *, options: Options) -> Linearised:
    """A_bar has A's pattern."""
    stored = sparse.coo_array(A)
    here = {"rows": stored.row, "columns": stored.col, "shape": A.shape}
    out = w, v = eigenpairs(A, options)

    def products(dot, v) -> tuple[Any, Any]:
        return dot @ v, dot.conj().T @ v

    solved = partial(bordered_solution, stored.data, here=here)
    both = eigenpair_map(out, products, partial(on_pattern, A), solved, linalg.eigsh, np)
    if options.return_eigenvectors:
        return out, both
    return w, LinearMap(
        lambda dot: np.real(np.sum(v.conj() * (dot @ v), axis=0)),
        lambda w_bar: both.pull((w_bar, ZERO)),
    )


def bordered_solution(entries, w, v, side, *, here: dict[str, Any], xp):
    """The x with (A - w) x = b + V m and V^H x = 0, for some m."""
    size, count = v.shape
    if is_dense(entries, here["shape"]):
        matrix = entries_dense(entries, **here) - w * xp.eye(size)
        border = xp.concatenate([adjoint(v, xp), xp.zeros((count, count))], axis=1)
        whole = xp.concatenate([xp.concatenate([matrix, v], axis=1), border])
        return xp.linalg.solve(whole, xp.concatenate([side, xp.zeros(count)]))[:size]
    lines, found = np.indices((size, count)).reshape(2, -1)
    on_diagonal = np.arange(size)
    v = xp.reshape(v, (-1,))
    x = entries_solution(
        xp.concatenate([entries, -w * xp.ones(size), v, xp.conj(v)]),
        xp.concatenate([side, xp.zeros(count)]),
        rows=np.concatenate([here["rows"], on_diagonal, lines, size + found]),
        columns=np.concatenate([here["columns"], on_diagonal, size + found, lines]),
        shape=(size + count, size + count),
        solver=linalg.spsolve,
        options={"permc_spec": "MMD_AT_PLUS_A"},  # which keeps the border for the end
    )
    return x[:size]


def eigenpairs_of_entries(entries, positions: dict[str, Any], **options):
    """The result of `eigsh` for a matrix of these entries."""
    pairs = entries_eigenpairs(entries, **positions, split=None, options=options)
    return pairs if options.get("return_eigenvectors", True) else pairs[0]


def triplets_of_entries(
    entries, positions: dict[str, Any], return_singular_vectors: bool = True, **options
):
    """The result of `svds` for a matrix of these entries."""
    count, others = positions["shape"]
    rows, columns = positions["rows"], positions["columns"] + count
    both = np.concatenate([entries, np.conj(entries)])
    s, v = entries_eigenpairs(
        both,
        rows=np.concatenate([rows, columns]),
        columns=np.concatenate([columns, rows]),
        shape=(count + others, count + others),
        split=count,
        options=options,
    )
    if not return_singular_vectors:
        return s
    v = v * np.sqrt(2)
    return v[:count], s, np.conj(v[count:]).T


def all_positions(shape: Shape) -> dict[str, Any]:
    """The positions of the entries of a dense matrix, row by row."""
    rows, columns = np.indices(shape).reshape(2, -1)
    return {"rows": rows, "columns": columns, "shape": shape}


TAKEN = {linalg.eigsh: EIGSH, linalg.svds: SVDS}
OF_ENTRIES = {linalg.eigsh: eigenpairs_of_entries, linalg.svds: triplets_of_entries}


def declare_dense_body(function) -> None:
    """Declare the body of a function for dense matrices."""

    @with_options(function, TAKEN[function], composed)
    def of_dense(A: Array, *, options: Options, xp):
        return OF_ENTRIES[function](xp.reshape(A, (-1,)), all_positions(A.shape), **options)


for _function in TAKEN:
    declare_dense_body(_function)
