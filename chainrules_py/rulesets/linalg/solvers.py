"""Linear systems with a square matrix."""

from typing import Any

import numpy as np

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    AbstractZero,
    Array,
    ProjectTo,
    composed,
    frule,
    rrule,
)
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import adjoint, column, solve_by_adjoint
from chainrules_py.table.entry_points import Pullback


@rrule.register(np.linalg.solve)
def solve_rrule(a: Array, b: Array, *, needs: tuple[bool, ...], xp) -> tuple[Any, Pullback]:
    """B_bar = A^-H X_bar, A_bar = -B_bar X^H (Giles 2008, 2.3.1).

    A one-dimensional `b` is one column.
    """
    x = xp.linalg.solve(a, b)
    is_vector = b.ndim == 1
    a_space, b_space = ProjectTo(a), ProjectTo(b)

    def one_vector_pullback(x_bar) -> tuple[Any, Any]:
        b_bar = solve_by_adjoint(a, x_bar, xp)
        a_bar = a_space(xp.expand_dims(-b_bar, -1) * xp.conj(x)) if needs[0] else NO_TANGENT
        return a_bar, b_space(b_bar) if needs[1] else NO_TANGENT

    def solve_pullback(x_bar) -> tuple[Any, Any]:
        columns_bar = solve_by_adjoint(a, column(x_bar, xp) if is_vector else x_bar, xp)
        a_bar = b_bar = NO_TANGENT
        if needs[0]:
            columns = column(x, xp) if is_vector else x
            a_bar = a_space(unbroadcast(-columns_bar @ adjoint(columns, xp), a_space.shape, xp))
        if needs[1]:
            own_bar = columns_bar[..., 0] if is_vector else columns_bar
            b_bar = b_space(unbroadcast(own_bar, b_space.shape, xp))
        return a_bar, b_bar

    return x, one_vector_pullback if is_vector and a.ndim == 2 else solve_pullback


@frule.register(np.linalg.solve)
def solve_frule(dots: tuple[Any, ...], a: Array, b: Array, *, xp) -> tuple[Any, Any]:
    """X_dot = A^-1 (B_dot - A_dot X)."""
    x = xp.linalg.solve(a, b)
    is_vector = b.ndim == 1
    a_dot, b_dot = dots
    columns = x
    if is_vector:
        columns, b_dot = column(x, xp), column(b_dot, xp)
    moved = b_dot - a_dot @ columns
    if isinstance(moved, AbstractZero):
        return x, ZERO
    x_dot = xp.linalg.solve(a, moved)
    return x, ProjectTo(x)(x_dot[..., 0] if is_vector else x_dot)


@composed(np.linalg.tensorsolve)
def tensorsolve(a: Array, b: Array, *, axes: Any = None, xp):
    """A system of equations: `axes` at the end, and then a square matrix."""
    moved = tuple(axes or ())
    a = xp.transpose(a, (*(axis for axis in range(a.ndim) if axis not in moved), *moved))
    if a.size != b.size**2:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) =="
            " prod(a.shape[:b.ndim])"
        )
    x = xp.linalg.solve(xp.reshape(a, (b.size, b.size)), xp.reshape(b, -1))
    # of as many axes NumPy takes all of those of `a`
    return xp.reshape(x, a.shape[b.ndim :] if a.ndim > b.ndim else a.shape)
