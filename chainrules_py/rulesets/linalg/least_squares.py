"""Least squares, by the derivative of the pseudoinverse (Golub & Pereyra 1973).

With Y = pinv(A), x = Y b and r = b - A x, where the rank of A stays the same:

    x_dot = Y (b_dot - A_dot x) + Y Y^H A_dot^H r + (I - Y A) A_dot^H Y^H x

The residuals |r|^2 move with b_dot - A_dot x alone, since r is orthogonal to the range of A. Where
singular values that are not zero were cut off (`rcond`), x_dot = Y b_dot + Y_dot b, with the
derivative of the truncated pseudoinverse; there are no residuals then.
"""

from typing import Any

import numpy as np

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    AbstractZero,
    Array,
    ProjectTo,
    frule,
    ignore_derivatives,
    rrule,
)
from chainrules_py.rulesets.formulas.matrices import adjoint, column
from chainrules_py.rulesets.linalg.inverses import truncated_map
from chainrules_py.rulesets.linalg.svd import singular_value_map
from chainrules_py.table.entry_points import Pullback
from chainrules_py.tangents import with_entries


class System:
    """A solved least-squares problem, its right-hand side and solution as columns.

    `moving` says whether the matrix moves.
    """

    def __init__(self, a, b, x, rcond, moving: bool, xp) -> None:
        self.a, self.xp, self.is_vector = a, xp, b.ndim == 1
        self.b, self.x = self.columns(b), self.columns(x)
        self.residual = self.b - a @ self.x
        self.has_tolerance = moving and rcond is not None
        self.rtol = _relative_tolerance(rcond, a.shape, self.residual.dtype, xp)

    def columns(self, v) -> Any:
        """The columns of a right-hand side or solution; ZERO passes."""
        return column(v, self.xp) if self.is_vector else v

    def shaped(self, columns) -> Any:
        """Columns in the shape of the right-hand side."""
        return columns[..., 0] if self.is_vector else columns

    def pseudoinverse(self) -> Any:
        """pinv(A), of the rank that lstsq found."""
        return self.xp.linalg.pinv(self.a, rtol=self.rtol)

    def singular_values(self) -> Any:
        """The derivative of the singular values."""
        u, s, vh = self.xp.linalg.svd(self.a, full_matrices=False)
        return singular_value_map(u, s, vh, self.xp)


def _relative_tolerance(rcond, shape: tuple[int, ...], dtype, xp) -> Any:
    eps = float(xp.finfo(dtype).eps)
    if rcond is None:
        return eps * max(shape)
    return rcond if 0 <= rcond < 1 else eps  # LAPACK reads all others as machine precision


@rrule.register(np.linalg.lstsq)
def lstsq_rrule(
    a: Array, b: Array, *, rcond: Any = None, xp, needs: tuple[bool, ...]
) -> tuple[Any, Pullback]:
    y = xp.linalg.lstsq(a, b, rcond=rcond)
    system = System(a, b, y[0], rcond, needs[0], xp)
    project_a, project_b, has_squares = ProjectTo(a), ProjectTo(b), y[1].size > 0

    def lstsq_pullback(y_bar) -> tuple[Any, Any]:
        x_bar, squares_bar, _, s_bar = y_bar
        squares_bar = squares_bar if has_squares else ZERO
        moved_bar, a_bar = solution_pullback(system, x_bar)
        moved_bar = moved_bar + 2 * system.residual * squares_bar
        a_bar = a_bar - moved_bar @ adjoint(system.x, xp)
        if not isinstance(s_bar, AbstractZero):
            a_bar = a_bar + system.singular_values().pull(s_bar)
        return project_a(a_bar), project_b(
            ZERO if isinstance(moved_bar, AbstractZero) else system.shaped(moved_bar)
        )

    return y, lstsq_pullback


def solution_pullback(system: System, x_bar) -> tuple[Any, Any]:
    """The cotangents of b_dot - A_dot x, and of A_dot in the other terms."""
    if isinstance(x_bar, AbstractZero):
        return ZERO, ZERO
    xp, y, x_bar = system.xp, system.pseudoinverse(), system.columns(x_bar)
    y_h = adjoint(y, xp)
    moved_bar = y_h @ x_bar
    if system.has_tolerance:
        y_bar = x_bar @ adjoint(system.b, xp)
        # what is taken off again for b_dot - A_dot x
        return moved_bar, truncated_map(system.a, y, xp).pull(y_bar) + moved_bar @ adjoint(
            system.x, xp
        )
    # the square of a pseudoinverse overflows where its product with the residual does not
    scale = largest_entry(y, xp)
    outside_range = (scale * system.residual) @ adjoint(y @ (moved_bar / scale), xp)
    outside_rows = (y_h @ system.x) @ adjoint(x_bar - y @ (system.a @ x_bar), xp)
    return moved_bar, outside_range + outside_rows


def largest_entry(y, xp) -> Any:
    """The largest modulus of the entries of each matrix, as a constant; 1 for a zero matrix."""
    sizes = xp.max(xp.absolute(ignore_derivatives(y)), axis=(-2, -1), keepdims=True)
    return xp.where(sizes == 0, 1.0, sizes)


@frule.register(np.linalg.lstsq)
def lstsq_frule(
    dots: tuple[Any, ...], a: Array, b: Array, *, rcond: Any = None, xp
) -> tuple[Any, Any]:
    y = xp.linalg.lstsq(a, b, rcond=rcond)
    a_dot, b_dot = dots
    system = System(a, b, y[0], rcond, not isinstance(a_dot, AbstractZero), xp)
    moved = system.columns(b_dot) - a_dot @ system.x
    parts = (
        solution_pushforward(system, a_dot, moved),
        squares_pushforward(system, moved) if y[1].size else ZERO,
        NO_TANGENT,
        ZERO if isinstance(a_dot, AbstractZero) else system.singular_values().push(a_dot),
    )
    return y, with_entries(
        tuple, {i: ProjectTo(part)(dot) for i, (part, dot) in enumerate(zip(y, parts, strict=True))}
    )


def solution_pushforward(system: System, a_dot, moved) -> Any:
    """The tangent of the solution, from those of the matrix and of b_dot - A_dot x."""
    if isinstance(moved, AbstractZero):
        return ZERO
    xp, y, a_h_dot = system.xp, system.pseudoinverse(), adjoint(a_dot, system.xp)
    if system.has_tolerance:
        y_dot = truncated_map(system.a, y, xp).push(a_dot)
        return system.shaped(y @ (moved + a_dot @ system.x) + y_dot @ system.b)
    y_h = adjoint(y, xp)
    outside_range = y @ (y_h @ (a_h_dot @ system.residual))
    turned = a_h_dot @ (y_h @ system.x)
    return system.shaped(y @ moved + outside_range + turned - y @ (system.a @ turned))


def squares_pushforward(system: System, moved) -> Any:
    """The tangents of the sums of squared residuals, one for each column."""
    if isinstance(moved, AbstractZero):
        return ZERO
    xp = system.xp
    return 2 * xp.real(xp.sum(xp.conj(system.residual) * moved, axis=-2))
