"""Singular values, orthogonal factors and polar factors.

The polar decomposition A = U P with U^H U = I and P Hermitian, of matrices that are square or tall:
the rotation Omega = U^H U_dot is what solves P Omega + Omega P = U^H A_dot - A_dot^H U, and

    P_dot = U^H A_dot - Omega P        U_dot = U Omega + (A_dot - U U^H A_dot) P^-1
"""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py import composed, ignore_derivatives
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import (
    Linearised,
    LinearMap,
    linearised_rule,
    non_differentiable,
    primitive,
)
from chainrules_py.makers.by_source import by_source
from chainrules_py.rulesets.formulas.linear_steps import by_steps
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    solve_right,
    without_roundoff,
)
from chainrules_py.rulesets.linalg.svd import completed_map, singular_value_map, singular_vector_map
from chainrules_py.rulesets.scipy.linalg.calling import call, require_finite
from chainrules_py.rulesets.scipy.linalg.factors import wider
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import ZERO
from chainrules_py.values.arrays import Array


def refuse(function, argument: str, got: str, instead: str) -> NotDifferentiableError:
    """The error for what has no unique derivative."""
    return NotDifferentiableError(
        f"scipy.linalg.{function.__name__}", got, instead, primal=function, argument=argument
    )


@with_options(linalg.svd, "full_matrices compute_uv check_finite lapack_driver", linearised_rule)
def svd_linearised(a: Array, *, options: Options, xp) -> Linearised:
    completed = options.full_matrices and a.shape[-1] != a.shape[-2] and options.compute_uv
    with_vectors = {**options, "compute_uv": True, "full_matrices": completed}
    y = u, s, vh = call(linalg.svd, a, **with_vectors)
    if completed:
        return y, completed_map(u, s, vh, xp)
    if options.compute_uv:
        return y, singular_vector_map(u, s, vh, xp)
    return s, singular_value_map(u, s, vh, xp)


@composed(linalg.svdvals)
def svdvals(a: Array, *, check_finite: bool = True) -> Any:
    return call(linalg.svd, a, compute_uv=False, check_finite=check_finite)


def require_determined(function, mode: str, arbitrary: bool) -> None:
    """Raise for modes whose result is arbitrary, or not a pair of matrices."""
    if mode == "raw" or (mode == "full" and arbitrary):
        got = f"mode={mode!r}" + (
            "" if mode == "raw" else ": the vectors that complete Q are an arbitrary basis"
        )
        raise refuse(function, "mode", got, "pass mode='economic' or mode='r'")


@primitive
def order_of_columns(a) -> Any:
    """The order of columns that `scipy.linalg.qr` chooses."""
    return call(linalg.qr, a, mode="r", pivoting=True)[-1]


non_differentiable(order_of_columns)


@with_options(linalg.qr, "lwork mode pivoting check_finite", composed)
def qr(a: Array, *, options: Options, xp) -> Any:
    """NumPy's factorisation, of reordered columns if the option `pivoting` asks for it."""
    mode, pivoting = options.mode, options.pivoting
    like = linalg.qr(np.ones((1,) * a.ndim), mode=mode, pivoting=pivoting)  # for its errors
    require_determined(linalg.qr, mode, a.shape[-2] > a.shape[-1])
    if options.check_finite:
        require_finite(a, xp=xp)
    order: tuple[Any, ...] = ()
    if pivoting:
        order = (order_of_columns(a),)
        a = xp.take_along_axis(a, xp.broadcast_to(order[0][..., None, :], a.shape), -1)
    q, r = xp.linalg.qr(a)
    if mode != "r":
        return type(like)((q, r, *order))
    whole = wider(r, a.shape[-2:], xp)
    return type(like)((whole, *order)) if isinstance(like, tuple | list) else whole


@with_options(linalg.rq, "lwork mode check_finite", composed)
def rq(A: Array, *, options: Options, xp) -> Any:
    """With J turning orders around, (J A J)^H = (J Q J)^H (J R J)^H is a QR factorisation."""
    require_determined(linalg.rq, options.mode, A.shape[-2] < A.shape[-1])

    def turned(v) -> Any:
        return adjoint(xp.flip(v, (-2, -1)), xp)

    # without the size of its workspace, which SciPy 1.18 finds by itself
    found = call(linalg.qr, turned(A), mode=options.mode, check_finite=options.check_finite)
    if options.mode == "r":
        return turned(found[0] if isinstance(found, tuple | list) else found)
    q, r = found
    factors = turned(r), turned(q)
    return list(factors) if A.ndim > 2 else factors  # a list of a stack, as SciPy has it


@linearised_rule(linalg.polar)
def polar_linearised(a: Array, *, side: str = "right", xp) -> Linearised:
    """A = U P, or A = P U, which is the adjoint of the first for A^H."""
    left, (m, n) = side == "left", a.shape[-2:]
    if (m > n) if left else (m < n):
        got = f"side={side!r} and a shape of {(m, n)}, for which P is singular"
        instead = f"pass side={'right' if left else 'left'!r}"
        raise refuse(linalg.polar, "side", got, instead)
    y = call(linalg.polar, a, side=side)

    def polar_pushforward(a_dot, u, p, xp) -> tuple[Any, Any]:
        if left:
            u, a_dot = adjoint(u, xp), adjoint(a_dot, xp)
        turned = adjoint(u, xp) @ a_dot
        skew = turned - adjoint(turned, xp)
        omega = call(linalg.solve_continuous_lyapunov, p, skew)
        u_dot = u @ omega + solve_right(a_dot - u @ turned, p, xp)
        return adjoint(u_dot, xp) if left else u_dot, turned - omega @ p

    return y, by_steps(polar_pushforward, a, *y, xp=xp)


by_source(linalg.orthogonal_procrustes)


@composed(linalg.subspace_angles, one_by_one=True)
def subspace_angles(A: Array, B: Array, *, xp) -> Any:
    """Small angles from their sines, others from their cosines, which avoids both kinks.

    The value is SciPy's, which takes some angles by the other one, to half of the digits.
    """
    known = call(linalg.subspace_angles, *map(ignore_derivatives, (A, B)))
    fewer, more = sorted([xp.linalg.qr(m)[0] for m in (A, B)], key=lambda q: q.shape[-1])
    product = adjoint(more, xp) @ fewer
    if known.shape[-1] != fewer.shape[-1]:
        got = "its columns are dependent, so a small change spans a larger space"
        raise refuse(linalg.subspace_angles, "A", got, "pass independent columns")
    outside = without_roundoff(fewer - more @ product, 1.0, xp)
    sines, cosines = xp.linalg.svdvals(outside), xp.linalg.svdvals(product)[..., ::-1]
    is_small = ignore_derivatives(sines) < 0.7
    small = xp.arcsin(xp.where(is_small, sines, 0))
    angles = xp.where(is_small, small, xp.arccos(xp.where(is_small, 0, cosines)))
    return known + (angles - ignore_derivatives(angles))


@linearised_rule(linalg.matrix_balance)
def matrix_balance_linearised(
    A: Array, *, permute: bool = True, scale: bool = True, out, xp
) -> LinearMap:
    """T^-1 A T with a constant matrix T of powers of two."""

    def similar(dot, t, xp) -> tuple[Any, Any]:
        return xp.linalg.solve(t, dot @ t), ZERO

    return by_steps(similar, A, out[1], xp=xp)
