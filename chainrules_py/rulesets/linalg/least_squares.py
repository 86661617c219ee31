"""Least squares, by the derivative of the pseudoinverse (Golub & Pereyra 1973).

With Y = pinv(A), x = Y b and r = b - A x, where the rank of A stays the same:

    x_dot = Y (b_dot - A_dot x) + Y Y^H A_dot^H r + (I - Y A) A_dot^H Y^H x

The residuals |r|^2 move with b_dot - A_dot x alone, since r is orthogonal to the range of A. Where
singular values that are not zero were cut off (`rcond`), x_dot = Y b_dot + Y_dot b, with the
derivative of the truncated pseudoinverse; there are no residuals then.
"""

from functools import cached_property
from typing import Any

import numpy as np

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    Array,
    LinearMap,
    ignore_derivatives,
    is_zero,
    linearised_rule,
)
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import adjoint, column, computed_once, passes_zero
from chainrules_py.rulesets.linalg.inverses import has_whole_rank, truncated_map
from chainrules_py.rulesets.linalg.svd import singular_value_map


class LeastSquares:
    """The derivative of a solution, of squares of residuals and of singular values.

    There are no squares where the rank is not full, and no singular values with some of LAPACK's
    drivers. Right-hand side and solution are columns here.
    """

    def __init__(self, a, b, out, rcond, xp) -> None:
        x, self.squares, _, s = out
        self.a, self.xp, self.is_vector, self.shapes = a, xp, b.ndim == 1, (a.shape, b.shape)
        self.b, self.x = self.columns(b), self.columns(x)
        self.residual = self.b - a @ self.x
        self.has_tolerance = rcond is not None
        eps = float(xp.finfo(self.residual.dtype).eps)
        if rcond is None:
            self.rtol = eps * max(a.shape)
        else:  # LAPACK reads all others as machine precision
            self.rtol = rcond if 0 <= rcond < 1 else eps
        self.has_values = s is not None and s.dtype != object  # a stack has an array of None
        self.moved_bar = computed_once(self.moved_bar_of)

    def columns(self, v) -> Any:
        """The columns of a right-hand side or solution; ZERO passes."""
        return column(v, self.xp) if self.is_vector else v

    def shaped(self, columns) -> Any:
        """Columns in the shape of the right-hand side; ZERO passes."""
        return columns[..., 0] if self.is_vector and not is_zero(columns) else columns

    @cached_property
    def pseudoinverse(self) -> Any:
        """pinv(A), of the rank that lstsq found."""
        return self.xp.linalg.pinv(self.a, rtol=self.rtol)

    @cached_property
    def is_whole(self) -> bool:
        """Whether it is known that A has its whole rank.

        Then Y A is I, or r is 0. Computed they are off by roundoff, which a large Y multiplies.
        """
        return has_whole_rank(self.a, self.pseudoinverse)

    @property
    def has_all_columns(self) -> bool:
        """Whether it is known that the columns of A are independent."""
        return self.is_whole and self.a.shape[-2] >= self.a.shape[-1]

    @property
    def has_all_rows(self) -> bool:
        """Whether it is known that the rows of A are independent."""
        return self.is_whole and self.a.shape[-2] <= self.a.shape[-1]

    def singular_values(self) -> LinearMap:
        """The derivative of the singular values."""
        u, s, vh = self.xp.linalg.svd(self.a, full_matrices=False)
        return singular_value_map(u, s, vh, self.xp)

    def maps(self) -> tuple[LinearMap, LinearMap]:
        """The derivatives by the matrix and by the right-hand side."""
        a_shape, b_shape = self.shapes
        summed = passes_zero(unbroadcast)
        by_matrix = LinearMap(
            lambda a_dot: self.push(a_dot, -a_dot @ self.x),
            lambda y_bar: summed(self.matrix_bar(y_bar), a_shape, self.xp),
        )
        by_side = LinearMap(
            lambda b_dot: self.push(ZERO, self.columns(b_dot)),
            lambda y_bar: summed(self.shaped(self.moved_bar(y_bar)), b_shape, self.xp),
        )
        return by_matrix, by_side

    def push(self, a_dot, moved) -> tuple[Any, ...]:
        """The tangents of the four results, where b_dot - A_dot x is `moved`."""
        xp, squares_dot, values_dot = self.xp, ZERO, ZERO
        if self.squares.size:
            sums = xp.sum(xp.conj(self.residual) * moved, axis=-2)
            squares_dot = xp.reshape(2 * xp.real(sums), self.squares.shape)
        if self.has_values and not is_zero(a_dot):
            values_dot = self.singular_values().push(a_dot)
        return self.solution_dot(a_dot, moved), squares_dot, NO_TANGENT, values_dot

    def solution_dot(self, a_dot, moved) -> Any:
        """The tangent of the solution."""
        xp, y, a_h_dot = self.xp, self.pseudoinverse, adjoint(a_dot, self.xp)
        if self.has_tolerance and not is_zero(a_dot) and not self.is_whole:
            y_dot = truncated_map(self.a, y, xp).push(a_dot)
            return self.shaped(y @ (moved + a_dot @ self.x) + y_dot @ self.b)
        y_h = adjoint(y, xp)
        x_dot = y @ moved
        if not self.has_all_rows:
            x_dot = x_dot + y @ (y_h @ (a_h_dot @ self.residual))
        if not self.has_all_columns:
            turned = a_h_dot @ (y_h @ self.x)
            x_dot = x_dot + turned - y @ (self.a @ turned)
        return self.shaped(x_dot)

    def moved_bar_of(self, y_bar) -> Any:
        """The cotangent of b_dot - A_dot x."""
        xp, moved_bar = self.xp, ZERO
        if not is_zero(y_bar[0]):
            moved_bar = adjoint(self.pseudoinverse, xp) @ self.columns(y_bar[0])
        if self.squares.size and not is_zero(y_bar[1]):
            # SciPy 1.18 makes them complex
            squares_bar = xp.real(xp.asarray(y_bar[1]))
            shape = (*self.residual.shape[:-2], 1, self.residual.shape[-1])
            moved_bar = moved_bar + 2 * self.residual * xp.reshape(squares_bar, shape)
        return moved_bar

    def matrix_bar(self, y_bar) -> Any:
        """The cotangent of the matrix."""
        a_bar = -self.moved_bar(y_bar) @ adjoint(self.x, self.xp)
        if not is_zero(y_bar[0]):
            a_bar = a_bar + self.other_terms_bar(self.columns(y_bar[0]))
        if self.has_values and not is_zero(y_bar[3]):
            a_bar = a_bar + self.singular_values().pull(y_bar[3])
        return a_bar

    def other_terms_bar(self, x_bar) -> Any:
        """The cotangent of the matrix, in the terms beside b_dot - A_dot x."""
        xp, y = self.xp, self.pseudoinverse
        y_h = adjoint(y, xp)
        moved_bar = y_h @ x_bar
        if self.has_tolerance and not self.is_whole:
            whole = truncated_map(self.a, y, xp).pull(x_bar @ adjoint(self.b, xp))
            return whole + moved_bar @ adjoint(self.x, xp)
        a_bar: Any = ZERO
        if not self.has_all_rows:
            # the square of a pseudoinverse overflows where its product with the residual does not
            scale = largest_entry(y, xp)
            a_bar = (scale * self.residual) @ adjoint(y @ (moved_bar / scale), xp)
        if not self.has_all_columns:
            a_bar = a_bar + (y_h @ self.x) @ adjoint(x_bar - y @ (self.a @ x_bar), xp)
        return a_bar


def largest_entry(y, xp) -> Any:
    """The largest modulus of the entries of each matrix, as a constant; 1 for a zero matrix."""
    sizes = xp.max(xp.absolute(ignore_derivatives(y)), axis=(-2, -1), keepdims=True)
    return xp.where(sizes == 0, 1.0, sizes)


@linearised_rule(np.linalg.lstsq)
def lstsq_linearised(
    a: Array, b: Array, *, rcond: Any = None, out, xp
) -> tuple[LinearMap, LinearMap]:
    return LeastSquares(a, b, out, rcond, xp).maps()
