"""Eigenvalues and eigenvectors of Hermitian matrices, A V = V diag(w) with V unitary (Giles 2008,
3.1; Seeger et al. 2017).

With P = V^H A_dot V and E_ij = 1 / (w_j - w_i), 0 where the two are the same: w_dot = diag P and
V_dot = V (E * P). The argument is a Hermitian matrix, whichever triangle `UPLO` reads: tangents and
cotangents are Hermitian, too.
"""

from typing import Any

import numpy as np

from chainrules_py import AbstractZero, Array, LinearMap, linearised_rule
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    diagonal,
    diagonal_matrix,
    on_hermitian,
    reciprocal_gaps,
)
from chainrules_py.rulesets.linalg.degeneracy import (
    forbid_second_derivative_at_repeats,
    require_determined,
    where_determined,
)
from chainrules_py.rulesets.linalg.phases import (
    at_row,
    phase_map,
    turned_as_lapack,
    turns_otherwise,
)


@linearised_rule(np.linalg.eigh)
def eigh_linearised(a: Array, *, UPLO: str = "L", xp) -> Linearised:
    y = w, vectors = xp.linalg.eigh(a, UPLO=UPLO)
    lower = UPLO in "Ll"
    if turns_otherwise(vectors):
        y = w, vectors = type(y)(w, *turned_as_lapack(real_row(vectors, lower, xp), xp, vectors))
    return y, eigenvector_map(w, vectors, xp, lower)


def real_row(vectors, lower: bool, xp) -> Any:
    """The real entries of vectors: the first where LAPACK reads the lower triangle, or the last."""
    return at_row(0 if lower else -1, vectors, xp)


def eigenvector_map(w, vectors, xp, lower: bool) -> LinearMap:
    """The derivative of eigenvalues and eigenvectors."""
    phases = phase_map((vectors,), real_row(vectors, lower, xp), xp, np.linalg.eigh)

    def eigh_pushforward(a_dot) -> tuple[Any, Any]:
        v = forbid_second_derivative_at_repeats(vectors, w, None, of=np.linalg.eigh)
        p = adjoint(v, xp) @ a_dot @ v
        dots = phases.push((v @ (reciprocal_gaps(w, xp) * p),))
        return xp.real(diagonal(p, xp)), *where_determined(dots, w, p, of=np.linalg.eigh)

    def eigh_pullback(y_bar):
        w_bar, v_bar = y_bar
        v = forbid_second_derivative_at_repeats(
            vectors, w, w_bar if isinstance(v_bar, AbstractZero) else None, of=np.linalg.eigh
        )
        v_h = adjoint(v, xp)
        (v_bar,) = phases.pull((v_bar,))
        turning = v_h @ v_bar
        require_determined(w, w_bar, turning, of=np.linalg.eigh)
        p_bar = diagonal_matrix(w_bar, xp) + reciprocal_gaps(w, xp) * turning
        return v @ p_bar @ v_h

    return on_hermitian(LinearMap(eigh_pushforward, eigh_pullback), xp)


@linearised_rule(np.linalg.eigvalsh)
def eigvalsh_linearised(a: Array, *, UPLO: str = "L", xp) -> Linearised:
    w, vectors = xp.linalg.eigh(a, UPLO=UPLO)
    return w, eigenvalue_map(w, vectors, xp)


def eigenvalue_map(w, vectors, xp) -> LinearMap:
    """The derivative of the eigenvalues."""

    def eigvalsh_pushforward(a_dot):
        v = forbid_second_derivative_at_repeats(vectors, w, None, of=np.linalg.eigvalsh)
        return xp.real(xp.sum(xp.conj(v) * (a_dot @ v), axis=-2))

    def eigvalsh_pullback(w_bar):
        v = forbid_second_derivative_at_repeats(vectors, w, w_bar, of=np.linalg.eigvalsh)
        return (v * xp.expand_dims(w_bar, -2)) @ adjoint(v, xp)

    return on_hermitian(LinearMap(eigvalsh_pushforward, eigvalsh_pullback), xp)
