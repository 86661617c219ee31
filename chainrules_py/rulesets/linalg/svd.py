"""The singular value decomposition A = U S V^H (Townsend 2016; for complex matrices Wan & Zhang
2019, arXiv:1909.02659).

The mental model. In the bases of the decomposition a tangent is P = U^H A_dot V, and its two halves
act in different ways:

    H = (P + P^H) / 2    turns U and V together, by H_ij / (s_j - s_i)
    K = (P - P^H) / 2    turns them against each other, by K_ij / (s_j + s_i)

    s_dot = Re diag P      U^H U_dot = E*H + G*K      V^H V_dot = E*H - G*K      E_ij = 1/(s_j - s_i), G_ij = 1/(s_j + s_i)

plus what leaves the range of a thin U or V. E is 0 where two singular values are the same, so that
functions of the singular values, and functions that do not depend on the choice of their vectors
such as U V^H, have their exact derivatives there; others are refused. The diagonal of K, imaginary,
turns each pair of vectors by opposite phases, and `phases` their common one: of complex matrices
LAPACK makes the first row of V real, of wide ones that of U.
"""

from typing import Any

import numpy as np

from chainrules_py import AbstractZero, Array, LinearMap, NotDifferentiableError, linearised_rule
from chainrules_py.makers import Linearised, non_differentiable
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    column,
    diagonal_matrix,
    hermitian_part,
    on_hermitian,
    reciprocal_gaps,
    reciprocal_or_zero,
    resolution,
    skew_part,
    value_at_hand,
    where_true,
)
from chainrules_py.rulesets.linalg.degeneracy import (
    forbid_second_derivative_at_repeats,
    of_values_alone,
    require_determined_pairs,
    where_pairs_determined,
)
from chainrules_py.rulesets.linalg.phases import (
    at_row,
    phase_map,
    turned_as_lapack,
    turns_otherwise,
)
from chainrules_py.tangents import NotImplementedTangent


@linearised_rule(np.linalg.svd)
def svd_linearised(
    a: Array,
    *,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
    xp,
) -> Linearised:
    options = {"hermitian": True} if hermitian else {}
    if full_matrices and compute_uv and a.shape[-1] != a.shape[-2]:
        y = u, s, vh = with_lapacks_phases(xp.linalg.svd(a, full_matrices=True), xp)
        return y, completed_map(u, s, vh, xp)
    y = u, s, vh = with_lapacks_phases(xp.linalg.svd(a, full_matrices=False, **options), xp)
    derivative = (
        singular_vector_map(u, s, vh, xp) if compute_uv else singular_value_map(u, s, vh, xp)
    )
    return y if compute_uv else s, on_hermitian(derivative, xp) if hermitian else derivative


def with_lapacks_phases(y, xp) -> tuple[Any, Any, Any]:
    """The decomposition, whose vectors move as those of LAPACK."""
    u, s, vh = y
    if not turns_otherwise(u):
        return y
    v, count = adjoint(vh, xp), s.shape[-1]
    if v.shape[-2] > count:
        u, v = turned_as_lapack(at_row(0, u, xp), xp, u, v)
    else:
        v, u = turned_as_lapack(at_row(0, v, xp), xp, v, u)
    return type(y)(u, s, adjoint(v, xp))


def completed_map(left, s, vh, xp) -> LinearMap:
    """The derivative of the decomposition with columns that complete U or V to a basis.

    The columns W that complete U = [U_1, W] may be turned among themselves. Without turning, W_dot
    = -U_1 U_1_dot^H W. What does not depend on the turning has this derivative: W W^H, say; its
    cotangent is one whose W^H W_bar is Hermitian.
    """
    count = s.shape[-1]
    first_u, more_u = left[..., :, :count], left[..., :, count:]
    first_vh, more_v = vh[..., :count, :], adjoint(vh[..., count:, :], xp)
    thin = singular_vector_map(first_u, s, first_vh, xp)

    def pushforward(a_dot) -> tuple[Any, Any, Any]:
        u_dot, s_dot, vh_dot = thin.push(a_dot)
        if isinstance(u_dot, NotImplementedTangent):
            return u_dot, s_dot, vh_dot
        first_v = adjoint(first_vh, xp)
        more_u_dot = -first_u @ (adjoint(u_dot, xp) @ more_u)
        more_v_dot = -first_v @ (vh_dot @ more_v)
        return (
            xp.concatenate([u_dot, more_u_dot], axis=-1),
            s_dot,
            xp.concatenate([vh_dot, adjoint(more_v_dot, xp)], axis=-2),
        )

    def pullback(y_bar):
        u_bar, s_bar, vh_bar = y_bar
        if not isinstance(u_bar, AbstractZero):
            more_bar = u_bar[..., :, count:]
            require_same_for_all_bases(more_u, more_bar, "U")
            u_bar = u_bar[..., :, :count] - more_u @ (adjoint(more_bar, xp) @ first_u)
        if not isinstance(vh_bar, AbstractZero):
            more_bar = adjoint(vh_bar[..., count:, :], xp)
            require_same_for_all_bases(more_v, more_bar, "V")
            back = more_v @ (adjoint(more_bar, xp) @ adjoint(first_vh, xp))
            vh_bar = vh_bar[..., :count, :] - adjoint(back, xp)
        return thin.pull((u_bar, s_bar, vh_bar))

    return LinearMap(pushforward, pullback)


def require_same_for_all_bases(columns, columns_bar, name: str) -> None:
    """Raise where a cotangent depends on which columns complete U or V; where values are at hand."""
    columns, columns_bar = value_at_hand(columns), value_at_hand(columns_bar)
    if type(columns) is not np.ndarray or type(columns_bar) is not np.ndarray or not columns.size:
        return
    turning = adjoint(columns, np) @ columns_bar
    tolerance = np.sqrt(np.finfo(turning.dtype).eps) * np.max(np.abs(turning))
    if np.max(np.abs(turning - adjoint(turning, np))) > tolerance:
        got = f"what depends on the columns that complete {name}, which are an arbitrary basis"
        instead = "pass full_matrices=False, or use what these columns span, as W @ W^H does"
        raise NotDifferentiableError(
            "numpy.linalg.svd", got, instead, primal=np.linalg.svd, argument="full_matrices"
        )


@linearised_rule(np.linalg.svdvals)
def svdvals_linearised(x: Array, *, xp) -> Linearised:
    u, s, vh = xp.linalg.svd(x, full_matrices=False)
    return s, singular_value_map(u, s, vh, xp)


def singular_value_map(left, s, vh, xp) -> LinearMap:
    """The derivative of the singular values.

    It is 0 for those that are zero, where each is an absolute value.
    """
    nonzero = s > resolution(s, xp)

    def svdvals_pushforward(a_dot):
        u, v_h = of_values_alone(left, vh, s, None)
        turned = xp.real(xp.sum(xp.conj(u) * (a_dot @ adjoint(v_h, xp)), axis=-2))
        return where_true(turned, nonzero, xp)

    def svdvals_pullback(s_bar):
        weights = where_true(s_bar, nonzero, xp)
        u, v_h = of_values_alone(left, vh, s, weights)
        return (u * xp.expand_dims(weights, -2)) @ v_h

    return LinearMap(svdvals_pushforward, svdvals_pullback)


def singular_vector_map(left, s, vh, xp) -> LinearMap:
    """The derivative of the thin decomposition."""
    roundoff = resolution(s, xp)
    nonzero = s > roundoff
    tall = left.shape[-2] > s.shape[-1]
    wide = vh.shape[-1] > s.shape[-1]
    pairs = (left, adjoint(vh, xp)) if wide else (adjoint(vh, xp), left)
    phases = phase_map(pairs, at_row(0, pairs[0], xp), xp, np.linalg.svd)

    def with_phases(u, v, apply) -> tuple[Any, Any]:
        """A phase map, or its adjoint, of what belongs to U and to V."""
        if wide:
            return apply((u, v))
        v, u = apply((v, u))
        return u, v

    def coefficients() -> tuple[Any, Any, Any]:
        """1 / (s_j^2 - s_i^2) as the product of the first two, and 1 / s."""
        e = reciprocal_gaps(s, xp)
        sums = xp.expand_dims(s, -2) + xp.expand_dims(s, -1)
        g = reciprocal_or_zero(sums, sums <= column(roundoff, xp), xp)
        inverse_s = reciprocal_or_zero(s, ~nonzero, xp)
        return e, g, xp.expand_dims(inverse_s, -2)

    def svd_pushforward(a_dot) -> tuple[Any, Any, Any]:
        e, g, inverse_s = coefficients()
        u = forbid_second_derivative_at_repeats(left, s, None, of=np.linalg.svd)
        v, u_h = adjoint(vh, xp), adjoint(u, xp)
        a_v = a_dot @ v
        p = u_h @ a_v
        together = e * hermitian_part(p, xp)
        against = g * skew_part(p, xp)
        u_dot = u @ (together + against)
        v_dot = v @ (together - against)
        if tall:
            u_dot = u_dot + (a_v - u @ p) * inverse_s
        if wide:
            v_dot = v_dot + (adjoint(u_h @ a_dot, xp) - v @ adjoint(p, xp)) * inverse_s
        s_dot = where_true(xp.real(xp.diagonal(p, 0, -2, -1)), nonzero, xp)
        u_dot, v_dot = with_phases(u_dot, v_dot, phases.push)
        u_dot, vh_dot = where_pairs_determined(
            (u_dot, adjoint(v_dot, xp)), s, (u, v), a_dot, of=np.linalg.svd
        )
        return u_dot, s_dot, vh_dot

    def svd_pullback(y_bar):
        u_bar, s_bar, vh_bar = y_bar
        if isinstance(u_bar, AbstractZero) and isinstance(vh_bar, AbstractZero):
            return singular_value_map(left, s, vh, xp).pull(s_bar)
        u = forbid_second_derivative_at_repeats(left, s, None, of=np.linalg.svd)
        e, g, inverse_s = coefficients()
        u_bar, v_bar = with_phases(u_bar, adjoint(vh_bar, xp), phases.pull)
        require_determined_pairs(s, s_bar, (u, adjoint(vh, xp)), (u_bar, v_bar), of=np.linalg.svd)
        u_part = adjoint(u, xp) @ u_bar
        v_part = vh @ v_bar
        p_bar = hermitian_part(e * (u_part + v_part), xp) + skew_part(g * (u_part - v_part), xp)
        of_values = diagonal_matrix(where_true(s_bar, nonzero, xp), xp)
        a_bar = u @ (p_bar + of_values) @ vh
        if tall:
            a_bar = a_bar + ((u_bar - u @ u_part) * inverse_s) @ vh
        if wide:
            a_bar = a_bar + u @ adjoint((v_bar - adjoint(vh, xp) @ v_part) * inverse_s, xp)
        return a_bar

    return LinearMap(svd_pushforward, svd_pullback)


non_differentiable(np.linalg.matrix_rank)  # a count of singular values
