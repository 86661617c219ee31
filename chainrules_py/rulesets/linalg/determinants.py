"""Determinants and their logarithms.

The derivative of det is the adjugate, det(A) A^-1 where A is regular, and of rank one, or zero,
where it is not. A regular matrix takes the inverse, whose derivatives of every order follow; one
that is singular, or so nearly that they would lose their digits, takes its singular value
decomposition (`adjugates`). Where the values are not at hand (traced by a compiler, or on a device)
both are computed and one is chosen.
"""

import math
from typing import Any

import numpy as np

from chainrules_py.batching.failures import note_handled
from chainrules_py.errors import BatchingError
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.matrices import adjoint, value_at_hand, values_in_all_lanes
from chainrules_py.rulesets.linalg.adjugates import adjugate
from chainrules_py.tangents import ZERO
from chainrules_py.values.arrays import Array, is_numpys, library_of_types


@linearised_rule(np.linalg.det)
def det_linearised(a: Array, *, xp) -> Linearised:
    y = xp.linalg.det(a)
    return y, determinant_map(a, y, xp)


def determinant_map(a, y, xp) -> LinearMap:
    """The derivative of the determinant `y`, by Jacobi's formula: y_dot = tr(adj(A) A_dot).

    What is multiplied with is the transpose of the adjugate, that of A^T: laid out in memory as A
    is, it makes sums with other terms of many small matrices take a fifth of the time.
    """

    def det_pushforward(a_dot):
        of_transpose = _adjugate_of_adjoint(a, y, xp)
        return xp.sum(conj(of_transpose, xp) * a_dot, axis=(-2, -1))

    def det_pullback(y_bar):
        return _beside(y_bar, a, xp) * _adjugate_of_adjoint(a, y, xp)

    return LinearMap(det_pushforward, det_pullback)


def conj(y, xp) -> Any:
    """The conjugate of numbers; real ones as they are."""
    return xp.conj(y) if y.dtype.kind == "c" else y


def _trace_of_product(a, b, xp) -> Any:
    return xp.sum(xp.swapaxes(a, -1, -2) * b, axis=(-2, -1))


def _beside(v, a, xp) -> Any:
    """One number per matrix of `a`, with axes to broadcast along."""
    return xp.reshape(v, (*a.shape[:-2], 1, 1))


def _adjugate_of_adjoint(a, y, xp) -> Any:
    """The adjugate of A^H, for matrices A with the determinants `y`.

    It is conj(det(A)) A^-H where that is accurate, to third derivatives.
    """
    y, a_h = _beside(y, a, xp), adjoint(a, xp)
    inverse = _accurate_inverse(a_h, y, xp)
    if inverse is not None:
        return conj(y, xp) * inverse
    known = value_at_hand(y)
    eye = xp.eye(a.shape[-1], dtype=y.dtype)
    plain = library_of_types((type(known),)).namespace
    well = _well_conditioned(value_at_hand(a), known, plain.eye(a.shape[-1], dtype=y.dtype), plain)
    found = xp.where(well, y * xp.linalg.inv(xp.where(well, a, eye)), adjugate(a))
    return adjoint(found, xp)


def _accurate_inverse(a, y, xp) -> Any:
    """The inverse of matrices that are all well-conditioned; None if some is not, or may not be."""
    determinants = values_in_all_lanes(y)
    if not is_numpys(determinants) or not determinants.all():
        return None
    try:
        inverse = xp.linalg.inv(a)
    except (np.linalg.LinAlgError, BatchingError) as error:  # of a transpose, with other pivots
        note_handled(error)
        return None
    values = values_in_all_lanes(a), values_in_all_lanes(inverse)
    return inverse if _all_well_conditioned(*values) else None


def _largest_condition(a, xp) -> float:
    """How far det(A) A^-1 is used.

    Its k-th derivative loses the k-th power of the condition: half the digits of a second.
    """
    return math.pow(xp.finfo(a.dtype).eps, -0.25)


def _all_well_conditioned(a, inverse) -> bool:
    """A bound for all matrices at once, in two products, which most calls pass; and for each."""
    limit = _largest_condition(a, np) ** 2
    if np.vdot(a, a).real * np.vdot(inverse, inverse).real <= limit:
        return True
    squares = [np.sum(np.square(np.abs(each)), axis=(-2, -1)) for each in (a, inverse)]
    return bool(np.all(squares[0] * squares[1] <= limit))


def _well_conditioned(a, y, eye, xp) -> Any:
    """Which matrices are regular and far from being singular, by their condition number in the
    Frobenius norm.

    A determinant that is not zero has nonzero pivots, and then inv does not raise.
    """
    singular = y == 0
    inverse = xp.linalg.inv(xp.where(singular, eye, a))
    condition = xp.linalg.matrix_norm(a, keepdims=True) * xp.linalg.matrix_norm(
        inverse, keepdims=True
    )
    return ~singular & (condition <= _largest_condition(a, xp))


@linearised_rule(np.linalg.slogdet)
def slogdet_linearised(a: Array, *, xp) -> Linearised:
    """With t = tr(A^-1 A_dot): logabsdet_dot = Re t, sign_dot = i Im(t) sign.

    The sign of a real matrix is constant.
    """
    y = sign, _ = xp.linalg.slogdet(a)
    is_complex = sign.dtype.kind == "c"

    def slogdet_pushforward(a_dot) -> tuple[Any, Any]:
        t = _trace_of_product(xp.linalg.inv(a), a_dot, xp)
        return (1j * xp.imag(t) * sign if is_complex else ZERO), xp.real(t)

    def slogdet_pullback(y_bar):
        sign_bar, logabsdet_bar = y_bar
        t_bar = logabsdet_bar
        if is_complex and sign_bar is not ZERO:
            t_bar = t_bar + 1j * xp.imag(xp.conj(sign) * sign_bar)
        return t_bar if t_bar is ZERO else _beside(t_bar, a, xp) * adjoint(xp.linalg.inv(a), xp)

    return y, LinearMap(slogdet_pushforward, slogdet_pullback)
