"""Products with a sparse matrix, its systems and its dense form, by the vector of its entries.

The positions, `rows` and `columns`, are constants; entries at the same position add up, as in
SciPy's COO format.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from chainrules_py.annotations import Options
from chainrules_py.makers import LinearMap, linear_rule, linearised_rule, primitive
from chainrules_py.projection import Space
from chainrules_py.rulesets.formulas.matrices import computed_once
from chainrules_py.rulesets.scipy.sparse.linalg.direct import ADJOINT, solve_by_factors
from chainrules_py.rulesets.scipy.sparse.linalg.iterative import adjoint_options, converged
from chainrules_py.values.arrays import Array

Shape = tuple[int, int]


def matrix_of(entries, rows, columns, shape: Shape) -> Any:
    """The sparse matrix of plain entries."""
    native = np.asarray(entries, entries.dtype.newbyteorder("="))
    return sparse.csc_array((native, (rows, columns)), shape=shape)


@primitive
def entries_product(entries, x, rows, columns, shape: Shape) -> Any:
    """The product of the matrix with a vector, or with columns.

    >>> rows, columns = np.array([0, 1]), np.array([1, 0])
    >>> entries_product(np.array([2.0, 3.0]), np.ones(2), rows, columns, (2, 2))
    array([2., 3.])
    """
    return matrix_of(entries, rows, columns, shape) @ x


def at_entries(left, right, rows, columns, xp) -> Any:
    """The entries of left @ right^H at some positions, for vectors or columns."""
    products = left[rows] * xp.conj(right[columns])
    return products if products.ndim == 1 else xp.sum(products, axis=1)


@linearised_rule(entries_product)
def entries_product_linearised(
    entries: Array, x: Array, *, rows, columns, shape: Shape, out, xp
) -> tuple[LinearMap, LinearMap]:
    """The product of a sparse and a dense matrix is linear in both."""
    here = {"rows": rows, "columns": columns, "shape": shape}
    back = {"rows": columns, "columns": rows, "shape": shape[::-1]}
    return (
        LinearMap(
            lambda dot: entries_product(dot, x, **here),
            lambda y_bar: at_entries(y_bar, x, rows, columns, xp),
        ),
        LinearMap(
            lambda dot: entries_product(entries, dot, **here),
            lambda y_bar: entries_product(xp.conj(entries), y_bar, **back),
        ),
    )


@primitive
def entries_dense(entries, rows, columns, shape: Shape) -> Any:
    """The matrix as a dense array."""
    return matrix_of(entries, rows, columns, shape).toarray()


@linear_rule(entries_dense)
def entries_dense_adjoint(y_bar, entries: Space, *, rows, columns, shape: Shape):
    """The numbers at the positions of the entries."""
    return y_bar[rows, columns]


@primitive
def entries_solution(
    entries,
    b,
    rows,
    columns,
    shape: Shape,
    solver,
    options: Options,
) -> Any:
    """The solution of A x = b by `spsolve`, by one of the iterative solvers, or by factors."""
    if isinstance(solver, linalg.SuperLU):
        return solve_by_factors(b, solver, **options)
    matrix = matrix_of(entries, rows, columns, shape)
    if solver is linalg.spsolve:
        return linalg.spsolve(matrix, b, **options)
    return converged(solver, matrix.tocsr(), b, options)


@linearised_rule(entries_solution)
def entries_solution_linearised(
    entries: Array,
    b: Array,
    *,
    rows,
    columns,
    shape: Shape,
    solver,
    options: Options,
    out,
    xp,
) -> tuple[LinearMap, LinearMap]:
    """x_dot = A^-1 (b_dot - A_dot x), b_bar = A^-H x_bar, A_bar = -b_bar x^H at the positions."""
    here = {"rows": rows, "columns": columns, "shape": shape}
    back = {"rows": columns, "columns": rows, "shape": shape[::-1]}
    anew = {name: value for name, value in options.items() if name not in ("x0", "callback")}
    of_adjoint = anew
    if isinstance(solver, linalg.SuperLU):
        of_adjoint = {"trans": ADJOINT[options["trans"]]}
    elif solver is not linalg.spsolve:
        of_adjoint = adjoint_options(anew)

    def solved(v) -> Any:
        return entries_solution(entries, v, **here, solver=solver, options=anew)

    @computed_once
    def b_bar(x_bar) -> Any:
        conjugate = xp.conj(entries)
        return entries_solution(conjugate, x_bar, **back, solver=solver, options=of_adjoint)

    return (
        LinearMap(
            lambda dot: solved(-entries_product(dot, out, **here)),
            lambda x_bar: -at_entries(b_bar(x_bar), out, rows, columns, xp),
        ),
        LinearMap(solved, b_bar),
    )
