"""Least squares by iterations, `lsqr` and `lsmr`.

Their solution is A^+ b, and no iteration is differentiated.

    x_dot = A^+ (b_dot - A_dot x) + A^+ A^{+H} A_dot^H r + (I - A^+ A) A_dot^H A^{+H} x,   r = b - A x

after G. Golub, V. Pereyra (1973), where the rank does not change. Products with A^+ are solved for
by the same solver, and those with its adjoint by the solver for A^H. With `damp` the matrix goes on
below by damp I, and the right side by zeros.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from chainrules_py.annotations import Options
from chainrules_py.makers import (
    LinearMap,
    linear_rule,
    linearised_rule,
    non_differentiable,
    primitive,
)
from chainrules_py.projection import Space
from chainrules_py.rulesets.formulas.matrices import computed_once
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.sparse.linalg.iterative import conjugate_transpose
from chainrules_py.rulesets.scipy.sparse.linalg.patterns import Matrix, on_pattern
from chainrules_py.values.arrays import Array


def extended(a, damp: float) -> Any:
    """The matrix with the rows of the damping below."""
    if not damp:
        return a
    below = damp * sparse.eye_array(a.shape[1])
    if isinstance(a, linalg.LinearOperator):
        parts = a, linalg.aslinearoperator(below)
        rows = a.shape[0]
        # whose signature is that of an inner class to type checkers
        make: Any = linalg.LinearOperator
        return make(
            (rows + a.shape[1], a.shape[1]),
            matvec=lambda v: np.concatenate([part.matvec(v) for part in parts]),
            rmatvec=lambda v: parts[0].rmatvec(v[:rows]) + parts[1].rmatvec(v[rows:]),
            dtype=a.dtype,
        )
    if sparse.issparse(a):
        return sparse.vstack([a, below]).tocsr()
    return np.concatenate([a, below.toarray()])


@primitive
def least_squares_solution(A, b, solver, options: Options) -> Any:
    """The solution that `lsqr` or `lsmr` finds."""
    return call(solver, A, b, **options)[0]


@primitive
def least_squares_estimates(A, b, solver, options: Options):
    """The estimates that `lsqr` or `lsmr` returns besides the solution."""
    return call(solver, A, b, **options)[1:]


non_differentiable(least_squares_estimates)


@linearised_rule(least_squares_solution)
def least_squares_linearised(
    A: Matrix, b: Array, *, solver, options: Options, out
) -> tuple[LinearMap | None, LinearMap]:
    """For an operator, which is constant, differentiate with respect to the right side alone."""
    rows, damp = A.shape[0], options.get("damp", 0.0)
    own = {
        name: value
        for name, value in options.items()
        if name not in ("damp", "x0", "show", "calc_var")
    }
    whole = extended(A, damp)
    adjoint = conjugate_transpose(whole)

    def inverse(v) -> Any:
        return least_squares_solution(whole, v, solver, own)

    def inverse_adjoint(v) -> Any:
        return least_squares_solution(adjoint, v, solver, own)

    def padded(v) -> Any:
        return np.concatenate([v, np.zeros(A.shape[1], v.dtype)]) if damp else v

    is_operator = isinstance(A, linalg.LinearOperator)
    residual: Any = None if is_operator else b.reshape(-1) - A @ out
    of_solution = computed_once(lambda _: inverse_adjoint(out)[:rows])
    left = computed_once(inverse_adjoint)

    def matrix_pushforward(a_dot):
        back = conjugate_transpose(a_dot)
        along = inverse(padded(-(a_dot @ out)) + inverse_adjoint(back @ residual))
        beside = back @ of_solution(out)
        return along + beside - inverse(whole @ beside)

    def matrix_pullback(x_bar):
        u = left(x_bar)
        columns = np.stack([-u[:rows], residual, of_solution(out)], axis=1)
        others = np.stack([out, inverse(u), x_bar - adjoint @ u], axis=1)
        return on_pattern(A, columns, others) if sparse.issparse(A) else columns @ others.conj().T

    by_matrix = None if is_operator else LinearMap(matrix_pushforward, matrix_pullback)
    by_side = LinearMap(
        lambda dot: inverse(padded(dot.reshape(-1))),
        lambda x_bar: left(x_bar)[:rows].reshape(b.shape),
    )
    return by_matrix, by_side


@primitive
def operator_product(x, operator) -> Any:
    """The product of a constant operator with a vector, or with columns."""
    return operator.matmat(x) if x.ndim == 2 else operator.matvec(x)


@linear_rule(operator_product)
def operator_product_adjoint(y_bar, x: Space, *, operator):
    """The product with the adjoint operator."""
    return operator_product(y_bar, operator=operator.H)
