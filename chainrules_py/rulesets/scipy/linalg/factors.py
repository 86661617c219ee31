"""Cholesky and LU factors, and solutions by them.

A = P L U with a unit lower triangle L: with F = L^-1 P^T A_dot U^-1, L_dot = L tril(F, -1) and
U_dot = triu(F) U. Where A is not square, L and U are completed by an identity. The permutation is
constant.
"""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py import composed, ignore_derivatives
from chainrules_py.makers import LinearMap, linearised_rule, non_differentiable, primitive
from chainrules_py.rulesets.formulas.array_likes import NO_CHANGE
from chainrules_py.rulesets.formulas.linear_steps import by_steps
from chainrules_py.rulesets.formulas.matrices import (
    column,
    hermitian_part,
    solve_right,
    value_at_hand,
    zero_padded,
)
from chainrules_py.rulesets.linalg.cholesky import cholesky_map
from chainrules_py.rulesets.scipy.linalg.calling import Pair, call, library_of_values
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import ZERO
from chainrules_py.values.arrays import Array


@linearised_rule(linalg.cholesky)
def cholesky_linearised(
    a: Array, *, lower: bool = False, check_finite: bool = True, out, xp
) -> LinearMap:
    """The factor of a Hermitian matrix."""
    return cholesky_map(out, not lower, xp)


# Whether `cho_factor` has zeros in the triangle that it does not use.
MAKES_ZEROS = not linalg.cho_factor(np.array([[2.0, 1.0], [1.0, 2.0]]))[0][1, 0]


@composed(linalg.cho_factor, one_by_one=True)
def cho_factor(a: Array, *, lower: bool = False, check_finite: bool = True, xp) -> Any:
    """The factor in one triangle.

    In the other one zeros, or, before SciPy 1.18, what the matrix has there.
    """
    c = call(linalg.cholesky, a, lower=lower, check_finite=check_finite)
    if not MAKES_ZEROS:
        known = ignore_derivatives(a)  # which need not be Hermitian there; tangents are
        other = known + hermitian_part(a - known, xp)
        c = c + (xp.triu(other, 1) if lower else xp.tril(other, -1))
    # of a stack SciPy makes a list
    like = linalg.cho_factor(np.ones((*a.shape[:-2], 1, 1)), lower=lower)
    return type(like)((c, like[1]))


@composed(linalg.cho_solve)
def cho_solve(c_and_lower: Pair, b: Array, *, check_finite: bool = True) -> Any:
    """Solve A x = b for A = C C^H or C^H C, with one triangular system for each factor."""
    c, lower = c_and_lower
    lower = bool(np.all(lower))  # SciPy gives one for each matrix of a stack
    given = {"lower": lower, "check_finite": check_finite}
    for trans in (0, 2) if lower else (2, 0):
        b = call(linalg.solve_triangular, c, b, trans=trans, **given)
    return b


def completed(a, axis: int, others, xp) -> Any:
    """Each matrix with more columns (or rows) after its own."""
    first = a[..., :1] if axis == -1 else a[..., :1, :]
    if 0 not in others.shape:
        return xp.concatenate([a, xp.zeros_like(first) + others], axis=axis)
    return a


def wider(a, shape: tuple[int, ...], xp) -> Any:
    """The matrix with zeros below and to its right, of this shape."""
    missing = shape[0] - a.shape[-2], shape[1] - a.shape[-1]
    if any(missing):
        return zero_padded(a, (0, missing[0]), (0, missing[1]), xp=xp)
    return a


def rows_in_order(a, order, xp) -> Any:
    """The rows of each matrix in another order, of its own or the same for all."""
    stack = np.broadcast_shapes(order.shape[:-1], a.shape[:-2])
    if stack != a.shape[:-2]:
        a = xp.broadcast_to(a, (*stack, *a.shape[-2:]))
    shape = (*stack, order.shape[-1], a.shape[-1])
    return xp.take_along_axis(a, xp.broadcast_to(order[..., None], shape), -2)


@with_options(linalg.lu, "permute_l check_finite p_indices", linearised_rule)
def lu_linearised(a: Array, *, options: Options, out, xp) -> LinearMap:
    """Outputs (P L, U) or (P, L, U), with P a matrix or indices."""
    if 0 in a.shape:
        return NO_CHANGE
    permute_l = options.permute_l
    factors = call(linalg.lu, a, check_finite=options.check_finite) if permute_l else out
    p, lower, upper = factors
    order = value_at_hand(p)
    order = order if order.dtype.kind == "i" else np.argmax(order, -1)
    back = xp.argsort(order, axis=-1)

    def lu_pushforward(a_dot, lower, upper, xp) -> tuple[Any, ...]:
        m, k, n = lower.shape[-2], upper.shape[-2], upper.shape[-1]
        left = completed(lower, -1, xp.eye(m, dtype=lower.dtype)[:, k:], xp)
        right = completed(upper, -2, xp.eye(n, dtype=upper.dtype)[k:], xp)
        f = solve_right(xp.linalg.solve(left, rows_in_order(a_dot, back, xp)), right, xp)
        lower_dot, upper_dot = (left @ xp.tril(f, -1))[..., :k], xp.triu(f)[..., :k, :] @ right
        if permute_l:
            return rows_in_order(lower_dot, order, xp), upper_dot
        return ZERO, lower_dot, upper_dot

    return by_steps(lu_pushforward, a, lower, upper, xp=xp)


def order_of(pivots, count: int) -> Any:
    """The order of rows after exchanging row i with row pivots[i], one after the other."""
    pivots = value_at_hand(pivots)
    # a row for each matrix, with lanes where the pivots have some
    order = 0 * pivots[..., :1] + np.asarray(np.arange(count), like=pivots)
    for i in range(pivots.shape[-1]):
        there = pivots[..., i, None]
        here, other = order[..., i, None].copy(), np.take_along_axis(order, there, -1)
        np.put_along_axis(order, there, here, -1)
        order[..., i, None] = other
    return order


@primitive
def pivots_of(a) -> Any:
    """The exchanges of rows that `scipy.linalg.lu_factor` makes."""
    return call(linalg.lu_factor, a)[1]


non_differentiable(pivots_of)


@composed(linalg.lu_factor)
def lu_factor(a: Array, *, check_finite: bool = True, xp) -> Any:
    """Both triangles in one matrix, and the exchanges of rows."""
    _, lower, upper = call(linalg.lu, a, check_finite=check_finite)
    below, above = [wider(x, a.shape[-2:], xp) for x in (xp.tril(lower, -1), upper)]
    like = linalg.lu_factor(np.ones((1,) * a.ndim))  # of a stack SciPy makes a list
    return type(like)((below + above, pivots_of(a)))


@composed(linalg.lu_solve, one_by_one=True)
def lu_solve(lu_and_piv: Pair, b: Array, *, trans: int = 0, check_finite: bool = True) -> Any:
    """Solve one system for each triangle, and reorder the rows."""
    lu, pivots = lu_and_piv
    xp = library_of_values(lu, b).namespace_of_bodies
    order, x = order_of(pivots, lu.shape[-1]), column(b, xp) if b.ndim == 1 else b
    triangles: list[dict[str, Any]] = [{"lower": True, "unit_diagonal": True}, {}]
    if not trans:
        x = rows_in_order(x, order, xp)
    for each in triangles[:: -1 if trans else 1]:
        x = call(linalg.solve_triangular, lu, x, trans=trans, check_finite=check_finite, **each)
    if trans:
        x = rows_in_order(x, np.argsort(order, -1), xp)
    return x[..., 0] if b.ndim == 1 else x
