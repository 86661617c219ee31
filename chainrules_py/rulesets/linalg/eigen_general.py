"""Eigenvalues and eigenvectors of general matrices, A V = V diag(w) (Boeddeker et al. 2017,
arXiv:1701.00392).

With P = V^-1 A_dot V and E_ij = 1 / (w_j - w_i), 0 where the two are the same: w_dot = diag P, and
V_dot = V (E * P) up to a multiple of each eigenvector. NumPy's have length one, which fixes the
multiple's real part; the imaginary part is that of the phase, by the largest entry, which LAPACK
makes real. Real matrices have real cotangents although eigenvalues may be complex.
"""

from typing import Any

import numpy as np

from chainrules_py import AbstractZero, Array, LinearMap, axes_rule, linearised_rule, primitive
from chainrules_py.annotations import Function
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    diagonal,
    diagonal_matrix,
    passes_zero,
    reciprocal_gaps,
)
from chainrules_py.rulesets.linalg.degeneracy import (
    forbid_second_derivative_at_repeats,
    mixed,
    require_determined,
    used,
    where_determined,
)
from chainrules_py.rulesets.linalg.phases import (
    largest_real,
    phase_map,
    turned_as_lapack,
    turns_otherwise,
)
from chainrules_py.values.arrays import library_of_types


@linearised_rule(np.linalg.eig)
def eig_linearised(a: Array, *, xp) -> Linearised:
    y = w, vectors = xp.linalg.eig(a)
    if turns_otherwise(vectors):
        y = w, vectors = type(y)(w, *turned_as_lapack(largest_real(vectors, xp), xp, vectors))
    return y, eigenvector_map(w, vectors, xp)


@primitive
def eig_for_values(a) -> tuple[Any, Any]:
    """The decomposition for formulas of the values alone."""
    w, vectors = library_of_types((type(a),)).namespace.linalg.eig(a)
    return w, vectors


@linearised_rule(eig_for_values)
def eig_for_values_linearised(a: Array, *, xp) -> Linearised:
    y = w, vectors = eig_for_values(a)
    return y, eigenvector_map(w, vectors, xp, open_between=used)


axes_rule(eig_for_values, kind="stacked")


def eigenvector_map(
    w, vectors, xp, real_entries: bool = True, open_between: Function = mixed
) -> LinearMap:
    """The derivative of eigenvalues and of eigenvectors of length one."""
    real = largest_real(vectors, xp) if real_entries else None
    phases = phase_map((vectors,), real, xp, np.linalg.eig)

    def eig_pushforward(a_dot) -> tuple[Any, Any]:
        v = forbid_second_derivative_at_repeats(vectors, w, None, of=np.linalg.eig)
        p = xp.linalg.solve(v, a_dot @ v)
        beside = without_component(v @ (reciprocal_gaps(w, xp) * p), v, xp)
        dots = phases.push((beside,))
        return diagonal(p, xp), *where_determined(dots, w, p, of=np.linalg.eig)

    def eig_pullback(y_bar):
        w_bar, v_bar = y_bar
        v = forbid_second_derivative_at_repeats(
            vectors, w, w_bar if isinstance(v_bar, AbstractZero) else None, of=np.linalg.eig
        )
        v_h = adjoint(v, xp)
        (v_bar,) = phases.pull((v_bar,))
        mixing = v_h @ without_component(v_bar, v, xp)
        require_determined(w, w_bar, mixing, of=np.linalg.eig, open_between=open_between)
        p_bar = diagonal_matrix(w_bar, xp) + xp.conj(reciprocal_gaps(w, xp)) * mixing
        return xp.linalg.solve(v_h, p_bar @ v_h)

    return LinearMap(eig_pushforward, eig_pullback)


@passes_zero
def without_component(t, v, xp) -> Any:
    """Each column of `t` without its component along the column of `v`, which has length one."""
    return t - v * xp.sum(xp.conj(v) * t, axis=-2, keepdims=True)


@linearised_rule(np.linalg.eigvals)
def eigvals_linearised(a: Array, *, xp) -> Linearised:
    w, vectors = eig_for_values(a)
    return w, eigenvalue_map(w, vectors, xp)


def eigenvalue_map(w, vectors, xp) -> LinearMap:
    """The derivative of the eigenvalues."""

    def eigvals_pushforward(a_dot):
        v = forbid_second_derivative_at_repeats(vectors, w, None, of=np.linalg.eigvals)
        return diagonal(xp.linalg.solve(v, a_dot @ v), xp)

    def eigvals_pullback(w_bar):
        v_h = adjoint(
            forbid_second_derivative_at_repeats(vectors, w, w_bar, of=np.linalg.eigvals), xp
        )
        return xp.linalg.solve(v_h, xp.expand_dims(w_bar, -1) * v_h)

    return LinearMap(eigvals_pushforward, eigvals_pullback)
