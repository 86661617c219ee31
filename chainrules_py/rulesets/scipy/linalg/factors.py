"""Cholesky and LU factors, and solutions by them.

A = P L U with a unit lower triangle L: with F = L^-1 P^T A_dot U^-1, L_dot = L tril(F, -1) and
U_dot = triu(F) U. Where A is not square, L and U are completed by an identity. The permutation is
constant.
"""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    on_hermitian,
    passes_zero,
    solve_by_adjoint,
    solve_right,
    value_at_hand,
)
from chainrules_py.rulesets.linalg.cholesky import cholesky_map
from chainrules_py.rulesets.scipy.linalg.calling import Pair, call, library_of_values
from chainrules_py.rulesets.scipy.linalg.linear_systems import solution_maps, transposition
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractZero, with_entries
from chainrules_py.values.arrays import Array


@linearised_rule(linalg.cholesky)
def cholesky_linearised(
    a: Array, *, lower: bool = False, check_finite: bool = True, out, xp
) -> LinearMap:
    """The factor of a Hermitian matrix."""
    return cholesky_map(out, not lower, xp)


def triangle(c, lower: bool, xp, diagonal: int = 0) -> Any:
    """The lower or the upper triangle, without the first diagonals where that is asked for."""
    return xp.tril(c, -diagonal) if lower else xp.triu(c, diagonal)


# Whether `cho_factor` has zeros in the triangle that it does not use.
MAKES_ZEROS = not linalg.cho_factor(np.array([[2.0, 1.0], [1.0, 2.0]]))[0][1, 0]


@linearised_rule(linalg.cho_factor)
def cho_factor_linearised(
    a: Array, *, lower: bool = False, check_finite: bool = True, out, xp
) -> LinearMap:
    """The factor in one triangle.

    In the other one zeros, or, before SciPy 1.18, what the matrix had there.
    """
    factor = cholesky_map(triangle(out[0], lower, xp), not lower, xp)

    def other_triangle(c):
        return xp.zeros_like(c) if MAKES_ZEROS else triangle(c, not lower, xp, 1)

    left = on_hermitian(LinearMap(other_triangle, other_triangle), xp)

    def cho_factor_pullback(y_bar):
        bar = y_bar[0]
        if isinstance(bar, AbstractZero):
            return bar
        return factor.pull(triangle(bar, lower, xp)) + left.pull(bar)

    return LinearMap(
        lambda a_dot: (factor.push(a_dot) + left.push(a_dot), NO_TANGENT), cho_factor_pullback
    )


@linearised_rule(linalg.cho_solve)
def cho_solve_linearised(
    c_and_lower: Pair, b: Array, *, check_finite: bool = True
) -> tuple[Any, LinearMap, LinearMap]:
    """A = C C^H or C^H C, of which the triangle C is read."""
    (c, lower), xp = c_and_lower, library_of_values(c_and_lower, b).namespace
    out = call(linalg.cho_solve, c_and_lower, b, check_finite=check_finite)
    lower = bool(np.all(lower))  # SciPy gives one for each matrix of a stack
    factor = triangle(c, lower, xp)
    left, right = (factor, adjoint(factor, xp)) if lower else (adjoint(factor, xp), factor)

    def product(dot, x):
        c_dot = triangle(dot[0], lower, xp)
        left_dot, right_dot = (c_dot, adjoint(c_dot, xp)) if lower else (adjoint(c_dot, xp), c_dot)
        return left_dot @ (right @ x) + left @ (right_dot @ x)

    def outer(bar, x):
        crossed = bar @ adjoint(x, xp)
        both = unbroadcast(crossed + adjoint(crossed, xp), c.shape, xp)
        return with_entries(
            type(c_and_lower),
            {0: triangle(both @ left if lower else right @ both, lower, xp), 1: NO_TANGENT},
        )

    def solve(v) -> Any:
        return call(linalg.cho_solve, (c, lower), v, check_finite=check_finite)

    return out, *solution_maps(out, b, solve, solve, product, outer, xp)


def lu_map(lower, upper, permuted, restored, xp) -> LinearMap:
    """The derivative of both triangles, given how rows are permuted and put back."""
    m, k, n = lower.shape[-2], upper.shape[-2], upper.shape[-1]
    left = completed(lower, -1, xp.eye(m, dtype=lower.dtype)[:, k:], xp)
    right = completed(upper, -2, xp.eye(n, dtype=upper.dtype)[k:], xp)

    def lu_pushforward(a_dot) -> tuple[Any, Any]:
        f = solve_right(xp.linalg.solve(left, permuted(a_dot)), right, xp)
        return (left @ xp.tril(f, -1))[..., :k], xp.triu(f)[..., :k, :] @ right

    def lu_pullback(y_bar):
        lower_bar, upper_bar = y_bar
        below = wider(adjoint(left, xp) @ lower_bar, m, n, xp)
        above = wider(upper_bar @ adjoint(right, xp), m, n, xp)
        f_bar = lower_part(below, xp) + upper_part(above, xp)
        if isinstance(f_bar, AbstractZero):
            return ZERO
        return restored(solve_by_adjoint(left, solve_right(f_bar, adjoint(right, xp), xp), xp))

    return LinearMap(lu_pushforward, lu_pullback)


def completed(a, axis: int, others, xp) -> Any:
    """Each matrix with more columns (or rows) after its own."""
    first = a[..., :1] if axis == -1 else a[..., :1, :]
    if 0 not in others.shape:
        return xp.concatenate([a, xp.zeros_like(first) + others], axis=axis)
    return a


@passes_zero
def wider(a, m: int, n: int, xp) -> Any:
    """The matrix with zeros below and to its right, of shape m x n."""
    missing = m - a.shape[-2], n - a.shape[-1]
    if any(missing):
        return xp.pad(a, [(0, 0)] * (a.ndim - 2) + [(0, missing[0]), (0, missing[1])])
    return a


lower_part = passes_zero(lambda a, xp: xp.tril(a, -1))
upper_part = passes_zero(lambda a, xp: xp.triu(a))


def rows_of(a, order, xp) -> Any:
    """The rows of each matrix in another order, of its own or the same for all."""
    stack = np.broadcast_shapes(order.shape[:-1], a.shape[:-2])
    if stack != a.shape[:-2]:
        a = xp.broadcast_to(a, (*stack, *a.shape[-2:]))
    shape = (*stack, order.shape[-1], a.shape[-1])
    return xp.take_along_axis(a, xp.broadcast_to(order[..., None], shape), -2)


@linearised_rule(linalg.lu)
@with_options(linalg.lu, "permute_l check_finite p_indices")
def lu_linearised(a: Array, *, options: Options, out, xp) -> LinearMap:
    """Outputs (P L, U) or (P, L, U), with P a matrix or indices."""
    permute_l = options.permute_l
    factors = call(linalg.lu, a, check_finite=options.check_finite) if permute_l else out
    p, lower, upper = factors
    order = value_at_hand(p)
    order = order if order.dtype.kind == "i" else np.argmax(order, -1)
    back = np.argsort(order, -1)
    derivative = lu_map(
        lower, upper, lambda a: rows_of(a, back, xp), lambda a: rows_of(a, order, xp), xp
    )

    def lu_pushforward(a_dot) -> tuple[Any, ...]:
        lower_dot, upper_dot = derivative.push(a_dot)
        if permute_l:
            return rows_of(lower_dot, order, xp), upper_dot
        return ZERO, lower_dot, upper_dot

    def lu_pullback(y_bar):
        lower_bar, upper_bar = y_bar[len(out) - 2], y_bar[len(out) - 1]
        moved = permute_l and not isinstance(lower_bar, AbstractZero)
        return derivative.pull((rows_of(lower_bar, back, xp) if moved else lower_bar, upper_bar))

    return LinearMap(lu_pushforward, lu_pullback)


def order_of(pivots, count: int) -> Any:
    """The order of rows that exchanges of row i with row pivots[i], one after the other, lead to."""
    pivots = value_at_hand(pivots)
    # a row for each matrix, with lanes where the pivots have some
    order = 0 * pivots[..., :1] + np.asarray(np.arange(count), like=pivots)
    for i in range(pivots.shape[-1]):
        there = pivots[..., i, None]
        here, other = order[..., i, None].copy(), np.take_along_axis(order, there, -1)
        np.put_along_axis(order, there, here, -1)
        order[..., i, None] = other
    return order


def unpacked(lu, xp) -> tuple[Any, Any]:
    """The two triangles that are kept in one matrix."""
    k = min(lu.shape[-2:])
    return (
        xp.tril(lu, -1)[..., :k] + xp.eye(lu.shape[-2], k, dtype=lu.dtype),
        xp.triu(lu)[..., :k, :],
    )


@linearised_rule(linalg.lu_factor)
def lu_factor_linearised(a: Array, *, check_finite: bool = True, out, xp) -> LinearMap:
    """Both triangles in one matrix, and the exchanges of rows."""
    lu, pivots = out
    m, n = lu.shape[-2:]
    order = order_of(pivots, m)
    back = np.argsort(order, -1)
    derivative = lu_map(
        *unpacked(lu, xp), lambda a: rows_of(a, order, xp), lambda a: rows_of(a, back, xp), xp
    )

    def lu_factor_pushforward(a_dot) -> tuple[Any, Any]:
        lower_dot, upper_dot = derivative.push(a_dot)
        return wider(lower_dot, m, n, xp) + wider(upper_dot, m, n, xp), NO_TANGENT

    def lu_factor_pullback(y_bar):
        bar, k = y_bar[0], min(m, n)
        if isinstance(bar, AbstractZero):
            return bar
        return derivative.pull((xp.tril(bar, -1)[..., :k], xp.triu(bar)[..., :k, :]))

    return LinearMap(lu_factor_pushforward, lu_factor_pullback)


@linearised_rule(linalg.lu_solve)
def lu_solve_linearised(
    lu_and_piv: Pair, b: Array, *, trans: int = 0, check_finite: bool = True
) -> tuple[Any, LinearMap, LinearMap]:
    """The system of the factors, transposed or adjoint as `trans` says."""
    (lu, pivots), xp = lu_and_piv, library_of_values(lu_and_piv, b).namespace
    out = call(linalg.lu_solve, lu_and_piv, b, trans=trans, check_finite=check_finite)
    order, turned = order_of(pivots, lu.shape[-1]), transposition(trans, xp)
    back = np.argsort(order, -1)
    lower, upper = unpacked(lu, xp)
    opposite = ((xp.conj(lu), pivots), 0) if trans == 1 else (lu_and_piv, 2 - trans)

    def product(dot, x):
        return turned(rows_of(xp.tril(dot[0], -1) @ upper + lower @ xp.triu(dot[0]), back, xp)) @ x

    def outer(bar, x):
        matrix_bar = rows_of(turned(unbroadcast(bar @ adjoint(x, xp), lu.shape, xp)), order, xp)
        both = xp.tril(matrix_bar @ adjoint(upper, xp), -1) + xp.triu(
            adjoint(lower, xp) @ matrix_bar
        )
        return with_entries(type(lu_and_piv), {0: both, 1: NO_TANGENT})

    def solve(v) -> Any:
        return call(linalg.lu_solve, lu_and_piv, v, trans=trans, check_finite=check_finite)

    def solve_adjoint(v):
        return call(linalg.lu_solve, opposite[0], v, trans=opposite[1], check_finite=check_finite)

    return out, *solution_maps(out, b, solve, solve_adjoint, product, outer, xp)
