"""Determinants, inverses, pseudoinverses, least squares and norms, by the formulas of
`rulesets.linalg`.
"""

from typing import Any

from scipy import linalg

from chainrules_py import composed
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import adjoint, on_hermitian, passes_zero
from chainrules_py.rulesets.linalg.determinants import determinant_map
from chainrules_py.rulesets.linalg.inverses import (
    inverse_map,
    pseudoinverse_map,
    truncated_map,
)
from chainrules_py.rulesets.linalg.least_squares import (
    System,
    solution_pullback,
    solution_pushforward,
    squares_pushforward,
)
from chainrules_py.rulesets.reductions.statistics import first_of_two
from chainrules_py.rulesets.scipy.linalg.calling import call, computed_once, require_finite
from chainrules_py.rulesets.scipy.linalg.eigen import whole
from chainrules_py.rulesets.scipy.linalg.linear_systems import SHORT, projection
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractZero
from chainrules_py.values.arrays import Array, Scalar


@linearised_rule(linalg.det)
def det_linearised(a: Array, *, check_finite: bool = True, out, xp) -> LinearMap:
    return determinant_map(a, out, xp)


@linearised_rule(linalg.inv)
@with_options(linalg.inv, "check_finite assume_a lower")
def inv_linearised(a: Array, *, options: Options, out, xp) -> LinearMap:
    """A matrix with a structure moves in the space of these matrices."""
    inverse = inverse_map(out, xp)
    read = projection(SHORT.get(options.assume_a, options.assume_a), xp)
    return LinearMap(
        lambda a_dot: inverse.push(read(a_dot)), lambda y_bar: read(inverse.pull(y_bar))
    )


def pseudoinverse(function, a, matrix, options: Options, xp) -> Linearised:
    """A pseudoinverse and its derivative, also where singular values were cut off."""
    out = call(function, a, **options)
    y = out[0] if options.return_rank else out
    has_tolerance = options.atol is not None or options.rtol is not None
    derivative = (truncated_map if has_tolerance else pseudoinverse_map)(matrix, y, xp)
    if function is linalg.pinvh:
        derivative = on_hermitian(derivative, xp)
    return out, first_of_two(derivative) if options.return_rank else derivative


@linearised_rule(linalg.pinv)
@with_options(linalg.pinv, "atol rtol return_rank check_finite")
def pinv_linearised(a: Array, *, options: Options, xp) -> Linearised:
    return pseudoinverse(linalg.pinv, a, a, options, xp)


@linearised_rule(linalg.pinvh)
@with_options(linalg.pinvh, "atol rtol lower return_rank check_finite")
def pinvh_linearised(a: Array, *, options: Options, xp) -> Linearised:
    return pseudoinverse(linalg.pinvh, a, whole(a, options.lower, xp), options, xp)


@composed(linalg.norm)
def norm(
    a: Array | Scalar,
    *,
    ord: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    check_finite: bool = True,
    xp,
):
    if check_finite:
        require_finite(a, xp=xp)
    return xp.linalg.norm(a, ord=ord, axis=axis, keepdims=keepdims)


class LeastSquares:
    """The derivative of `lstsq`: of solutions, squares of residuals, rank and singular values.

    There are no squares where the rank is not full, and no singular values with some drivers.
    """

    def __init__(self, a, b, out, cond, xp) -> None:
        x, squares, _, s = out
        self.xp, self.system = xp, System(a, b, x, cond, True, xp)
        self.has_squares = squares.size > 0
        self.has_values = s is not None and s.dtype != object  # a stack has an array of None
        self.bars = computed_once(self.bars_by_solution)

    def push(self, a_dot, moved) -> tuple[Any, ...]:
        """The tangents of the four results, where the right-hand side less A_dot x is `moved`."""
        system, squares_dot, values_dot = self.system, ZERO, NO_TANGENT
        if self.has_squares:
            squares_dot = system.shaped(squares_pushforward(system, moved))
        if self.has_values and not isinstance(a_dot, AbstractZero):
            values_dot = system.singular_values().push(a_dot)
        return solution_pushforward(system, a_dot, moved), squares_dot, NO_TANGENT, values_dot

    def bars_by_solution(self, y_bar) -> tuple[Any, Any]:
        """The cotangents of the right-hand side and, but for singular values, of the matrix."""
        system, xp = self.system, self.xp
        moved_bar, a_bar = solution_pullback(system, y_bar[0])
        if self.has_squares and not isinstance(y_bar[1], AbstractZero):
            squares_bar = xp.real(xp.asarray(y_bar[1]))  # SciPy 1.18 makes them complex
            weights = xp.expand_dims(system.columns(squares_bar), -2)
            moved_bar = moved_bar + 2 * system.residual * weights
        return moved_bar, a_bar - moved_bar @ adjoint(system.x, xp)

    def matrix_bar(self, y_bar) -> Any:
        """The cotangent of the matrix."""
        a_bar = self.bars(y_bar)[1]
        if self.has_values and not isinstance(y_bar[3], AbstractZero):
            a_bar = a_bar + self.system.singular_values().pull(y_bar[3])
        return a_bar

    def side_bar(self, y_bar) -> Any:
        """The cotangent of the right-hand side."""
        return passes_zero(self.system.shaped)(self.bars(y_bar)[0])


@linearised_rule(linalg.lstsq)
@with_options(linalg.lstsq, "cond check_finite lapack_driver")
def lstsq_linearised(
    a: Array, b: Array, *, options: Options, out, xp
) -> tuple[LinearMap, LinearMap]:
    squares = LeastSquares(a, b, out, options.cond, xp)
    summed = passes_zero(unbroadcast)
    a_shape, b_shape = a.shape, b.shape
    by_matrix = LinearMap(
        lambda a_dot: squares.push(a_dot, -a_dot @ squares.system.x),
        lambda y_bar: summed(squares.matrix_bar(y_bar), a_shape, xp),
    )
    by_side = LinearMap(
        lambda b_dot: squares.push(ZERO, squares.system.columns(b_dot)),
        lambda y_bar: summed(squares.side_bar(y_bar), b_shape, xp),
    )
    return by_matrix, by_side
