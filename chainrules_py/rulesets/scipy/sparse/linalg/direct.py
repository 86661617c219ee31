"""Direct solvers for sparse matrices.

The factors of a system solve the adjoint system of the pullback, too.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from chainrules_py.makers import LinearMap, linear_rule, linearised_rule, primitive
from chainrules_py.projection import Space
from chainrules_py.rulesets.formulas.matrices import computed_once
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.sparse.linalg.patterns import Sparse, on_pattern
from chainrules_py.values.arrays import Array


@primitive
def solve_by_factors(b, factors, trans: str = "N") -> Any:
    """The solution of a system by its factors from `splu`; "T" is its transpose, "H" its adjoint.

    >>> from scipy.sparse import csc_array
    >>> solve_by_factors(np.array([2.0, 3.0]), linalg.splu(csc_array([[2.0, 0.0], [0.0, 3.0]])))
    array([1., 1.])
    """
    try:
        return factors.solve(np.asarray(b), trans)
    except TypeError:  # the factors are real, or of single precision
        if b.dtype.kind != "c":
            return factors.solve(np.asarray(b, np.float32), trans)
        real, imaginary = (
            solve_by_factors(part, factors, trans) for part in (np.real(b), np.imag(b))
        )
        return real + 1j * imaginary


ADJOINT = {"N": "H", "H": "N"}


@linear_rule(solve_by_factors)
def solve_by_factors_adjoint(y_bar, b: Space, *, factors, trans: str = "N"):
    """Solve the adjoint system by its factors; that of the transpose is the conjugate one."""
    if trans == "T":
        return np.conj(solve_by_factors(np.conj(y_bar), factors))
    return solve_by_factors(y_bar, factors, ADJOINT[trans])


@linearised_rule(linalg.spsolve)
def spsolve_linearised(
    A: Sparse, b: Array, *, permc_spec: Any = None, use_umfpack: bool = True
) -> tuple[Any, LinearMap, LinearMap]:
    """x_dot = A^-1 (b_dot - A_dot x), b_bar = A^-H x_bar, A_bar = -b_bar x^H in A's pattern."""
    dtype = np.result_type(A.dtype, b.dtype, np.float32)
    matrix = sparse.csc_array(A, dtype=dtype)
    factors, shape = linalg.splu(matrix, permc_spec=permc_spec), b.shape
    column = len(shape) == 2 and shape[1] == 1  # SciPy returns a vector

    def solved(v, trans: str = "N") -> Any:
        x = solve_by_factors(v, factors=factors, trans=trans)
        return x.reshape(shape[:1]) if column and trans == "N" else x

    x = solved(b)
    right = computed_once(lambda x_bar: solved(x_bar, "H"))
    return (
        x,
        LinearMap(
            lambda a_dot: solved(-(a_dot @ x)), lambda x_bar: on_pattern(A, -right(x_bar), x)
        ),
        LinearMap(solved, lambda x_bar: right(x_bar).reshape(shape)),
    )


@linearised_rule(linalg.spsolve_triangular)
def spsolve_triangular_linearised(
    A: Sparse, b: Array, *, lower: bool = True, unit_diagonal: bool = False, out, xp
) -> tuple[LinearMap, LinearMap]:
    """The adjoint system has the other triangle."""

    def triangle(a) -> Any:
        without_diagonal = int(unit_diagonal)
        return sparse.tril(a, -without_diagonal) if lower else sparse.triu(a, without_diagonal)

    def solve(a, v, lower: bool) -> Any:
        return call(linalg.spsolve_triangular, a, v, lower=lower, unit_diagonal=unit_diagonal)

    adjoint = computed_once(lambda a: a.conj().T.tocsr())
    b_bar = computed_once(lambda x_bar: solve(adjoint(A), x_bar, not lower))
    return (
        LinearMap(
            lambda a_dot: -solve(A, triangle(a_dot) @ out, lower),
            lambda x_bar: triangle(on_pattern(A, -b_bar(x_bar), out)),
        ),
        LinearMap(lambda b_dot: solve(A, b_dot, lower), b_bar),
    )
