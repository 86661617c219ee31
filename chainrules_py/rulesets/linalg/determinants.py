"""Determinants and their logarithms.

The derivative of det is the adjugate, det(A) A^-1 where A is regular, and of rank one, or zero, where it is not. A regular
matrix takes the inverse, whose derivatives of every order follow; a singular one takes its singular value decomposition.
Where the values are not at hand (traced by a compiler, or on a device) both are computed and one is chosen.
"""

from typing import Any

import numpy as np

from chainrules_py.arrays import Array, library_of_types
from chainrules_py.makers import primitive
from chainrules_py.makers.linearised import LinearMap, linearised_rule
from chainrules_py.rulesets.linalg.matrices import adjoint, diagonal, diagonal_matrix
from chainrules_py.tangents import ZERO


@linearised_rule(np.linalg.det)
def det_linearised(a: Array, *, xp: Any) -> tuple[Any, LinearMap]:
    """Jacobi's formula: y_dot = tr(adj(A) A_dot)."""
    y = xp.linalg.det(a)

    def det_pushforward(a_dot: Any) -> Any:
        return _trace_of_product(_adjugate(a, y, xp), a_dot, xp)

    def det_pullback(y_bar: Any) -> Any:
        return _beside(y_bar, a, xp) * adjoint(_adjugate(a, y, xp), xp)

    return y, LinearMap(det_pushforward, det_pullback)


def _trace_of_product(a: Any, b: Any, xp: Any) -> Any:
    return xp.sum(xp.swapaxes(a, -1, -2) * b, axis=(-2, -1))


def _beside(v: Any, a: Any, xp: Any) -> Any:
    """One number per matrix of `a`, with axes to broadcast along."""
    return xp.reshape(v, (*a.shape[:-2], 1, 1))


def _adjugate(a: Any, y: Any, xp: Any) -> Any:
    """The adjugate of matrices with the determinants `y`."""
    y = _beside(y, a, xp)
    if type(y) is np.ndarray and y.all():
        return y * xp.linalg.inv(a)
    # A determinant that is not zero has nonzero pivots, and then inv does not raise.
    singular = y == 0
    regular = xp.where(singular, xp.eye(a.shape[-1], dtype=y.dtype), a)
    return xp.where(singular, adjugate(a), y * xp.linalg.inv(regular))


@primitive
def adjugate(a: Any) -> Any:
    """The matrix with A adj(A) = det(A) I, of singular matrices, too: from A = U S V^H, det(U V^H) V adj(S) U^H.

    >>> adjugate(np.diag([2.0, 0.0])) + 0.0
    array([[0., 0.],
           [0., 2.]])
    """
    xp = library_of_types((type(a),)).namespace
    u, s, vh = xp.linalg.svd(a)
    return _adjugate_from_svd(u, s, vh, xp)


def _adjugate_from_svd(u: Any, s: Any, vh: Any, xp: Any) -> Any:
    minors = _product_without(s, xp.eye(s.shape[-1], dtype=bool), xp)
    v = adjoint(vh, xp)
    return _phase(u, vh, xp) * ((v * xp.expand_dims(minors, -2)) @ adjoint(u, xp))


def _product_without(s: Any, left_out: Any, xp: Any) -> Any:
    """The products of the entries of each vector but those left out, one product per row of the mask."""
    for _ in range(left_out.ndim - 1):
        s = xp.expand_dims(s, -2)
    return xp.prod(xp.where(left_out, 1, s), axis=-1)


def _phase(u: Any, vh: Any, xp: Any) -> Any:
    return _beside(xp.linalg.det(u) * xp.linalg.det(vh), u, xp)


@linearised_rule(adjugate)
def adjugate_linearised(a: Array, *, xp: Any) -> tuple[Any, LinearMap]:
    """In the bases of the decomposition adj(S + P) is, to first order in P, made of minors without two rows and columns.

    D_ij = -M_ij P_ij, D_ii = sum over k of M_ik P_kk, M_ij = product of all s but s_i and s_j, M_ii = 0
    """
    u, s, vh = xp.linalg.svd(a)
    phase = _phase(u, vh, xp)

    def minors() -> Any:
        one = xp.eye(s.shape[-1], dtype=bool)
        two_left_out = xp.expand_dims(one, 0) | xp.expand_dims(one, 1)
        return xp.where(one, 0, _product_without(s, two_left_out, xp))

    def between(p: Any) -> Any:
        m = minors()
        return diagonal_matrix((m @ xp.expand_dims(diagonal(p, xp), -1))[..., 0], xp) - m * p

    def adjugate_pushforward(a_dot: Any) -> Any:
        p = adjoint(u, xp) @ a_dot @ adjoint(vh, xp)
        return phase * (adjoint(vh, xp) @ between(p) @ adjoint(u, xp))

    def adjugate_pullback(y_bar: Any) -> Any:
        p_bar = xp.conj(phase) * (vh @ y_bar @ u)
        return u @ between(p_bar) @ vh

    return _adjugate_from_svd(u, s, vh, xp), LinearMap(adjugate_pushforward, adjugate_pullback)


@linearised_rule(np.linalg.slogdet)
def slogdet_linearised(a: Array, *, xp: Any) -> tuple[Any, LinearMap]:
    """With t = tr(A^-1 A_dot): logabsdet_dot = Re t, sign_dot = i Im(t) sign. The sign of a real matrix is constant."""
    y = sign, _ = xp.linalg.slogdet(a)
    is_complex = sign.dtype.kind == "c"

    def slogdet_pushforward(a_dot: Any) -> tuple[Any, Any]:
        t = _trace_of_product(xp.linalg.inv(a), a_dot, xp)
        return (1j * xp.imag(t) * sign if is_complex else ZERO), xp.real(t)

    def slogdet_pullback(y_bar: Any) -> Any:
        sign_bar, logabsdet_bar = y_bar
        t_bar = logabsdet_bar
        if is_complex and sign_bar is not ZERO:
            t_bar = t_bar + 1j * xp.imag(xp.conj(sign) * sign_bar)
        return t_bar if t_bar is ZERO else _beside(t_bar, a, xp) * adjoint(xp.linalg.inv(a), xp)

    return y, LinearMap(slogdet_pushforward, slogdet_pullback)
