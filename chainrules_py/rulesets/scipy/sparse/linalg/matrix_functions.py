"""The product of a matrix exponential with columns, and the Frobenius norm of a sparse matrix."""

from typing import Any

import numpy as np
from scipy.linalg import expm
from scipy.sparse import linalg

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.matrices import adjoint
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.linalg.matrix_functions import matrix_function
from chainrules_py.rulesets.scipy.sparse.linalg.iterative import conjugate_transpose
from chainrules_py.rulesets.scipy.sparse.linalg.patterns import Sparse
from chainrules_py.values.arrays import Array


@linearised_rule(linalg.expm_multiply)
def expm_multiply_linearised(
    A: Array, B: Array, *, traceA: Any = None, out, xp
) -> tuple[LinearMap, LinearMap]:
    """exp(A) B of a whole matrix."""

    def matrix_bar(y_bar):
        rows = A.shape[0], -1
        weights = xp.reshape(B, rows) @ adjoint(xp.reshape(y_bar, rows), xp)
        return adjoint(matrix_function(expm, A, weights), xp)

    return LinearMap(lambda a_dot: matrix_function(expm, A, a_dot) @ B, matrix_bar), side_map(A)


def side_map(a) -> LinearMap:
    """The product is linear in the columns."""
    return LinearMap(
        lambda dot: call(linalg.expm_multiply, a, dot),
        lambda y_bar: call(linalg.expm_multiply, conjugate_transpose(a), y_bar),
    )


@linearised_rule(linalg.expm_multiply)
def sparse_expm_multiply_linearised(
    A: Sparse | linalg.LinearOperator, B: Array, *, traceA: Any = None, out
) -> tuple[None, LinearMap]:
    """exp(A) B of a sparse matrix or an operator, which is constant."""
    return None, side_map(A)


@linearised_rule(linalg.norm)
def norm_linearised(x: Sparse, *, out) -> LinearMap:
    """The Frobenius norm, which is that of the stored entries; 0 at zero."""
    scale = 1 / out if out else 0.0
    return LinearMap(
        lambda dot: np.real(x.conj().multiply(dot).sum()) * scale, lambda y_bar: x * (y_bar * scale)
    )
