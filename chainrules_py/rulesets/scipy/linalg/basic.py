"""Determinants, inverses, pseudoinverses, least squares and norms, by the formulas of
`rulesets.linalg`.
"""

from typing import Any

from scipy import linalg

from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import adjoint, on_hermitian, passes_zero
from chainrules_py.rulesets.linalg.determinants import determinant_map
from chainrules_py.rulesets.linalg.inverses import inverse_map, pseudoinverse_map, refuse_truncated
from chainrules_py.rulesets.linalg.least_squares import (
    System,
    solution_pullback,
    solution_pushforward,
    squares_pushforward,
)
from chainrules_py.rulesets.linalg.norms import norm_map
from chainrules_py.rulesets.reductions.statistics import first_of_two
from chainrules_py.rulesets.scipy.linalg.calling import call, computed_once
from chainrules_py.rulesets.scipy.linalg.eigen import whole
from chainrules_py.rulesets.scipy.linalg.linear_systems import SHORT, projection
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractZero
from chainrules_py.values.arrays import Array, Scalar


@linearised_rule(linalg.det)
def det_linearised(a: Array, *, check_finite: bool = True, out: Any, xp: Any) -> LinearMap:
    return determinant_map(a, out, xp)


@linearised_rule(linalg.inv)
def inv_linearised(
    a: Array,
    *,
    check_finite: bool = True,
    assume_a: Any = None,
    lower: bool = False,
    out: Any,
    xp: Any,
) -> LinearMap:
    """A matrix with a structure moves in the space of these matrices."""
    inverse, read = inverse_map(out, xp), projection(SHORT.get(assume_a, assume_a), xp)
    return LinearMap(
        lambda a_dot: inverse.push(read(a_dot)), lambda y_bar: read(inverse.pull(y_bar))
    )


def pseudoinverse(function: Any, a: Any, matrix: Any, xp: Any, **options: Any) -> Linearised:
    """A pseudoinverse, perhaps with its rank beside; where singular values are cut off it is
    refused.
    """
    out = call(function, a, **options)
    y = out[0] if options["return_rank"] else out
    if options["atol"] is not None or options["rtol"] is not None:
        refuse_truncated(matrix, y, function)
    derivative = pseudoinverse_map(matrix, y, xp)
    if function is linalg.pinvh:
        derivative = on_hermitian(derivative, xp)
    return out, first_of_two(derivative) if options["return_rank"] else derivative


@linearised_rule(linalg.pinv)
def pinv_linearised(
    a: Array,
    *,
    atol: Any = None,
    rtol: Any = None,
    return_rank: bool = False,
    check_finite: bool = True,
    xp: Any,
) -> Linearised:
    options = {"atol": atol, "rtol": rtol, "return_rank": return_rank, "check_finite": check_finite}
    return pseudoinverse(linalg.pinv, a, a, xp, **options)


@linearised_rule(linalg.pinvh)
def pinvh_linearised(
    a: Array,
    *,
    atol: Any = None,
    rtol: Any = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
    xp: Any,
) -> Linearised:
    options = {
        "atol": atol,
        "rtol": rtol,
        "return_rank": return_rank,
        "check_finite": check_finite,
        "lower": lower,
    }
    return pseudoinverse(linalg.pinvh, a, whole(a, lower, xp), xp, **options)


@linearised_rule(linalg.norm)
def norm_linearised(
    a: Array | Scalar,
    *,
    ord: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    check_finite: bool = True,
    out: Any,
    xp: Any,
) -> LinearMap:
    return norm_map(a, out, ord, axis, keepdims, xp)


@linearised_rule(linalg.lstsq)
def lstsq_linearised(
    a: Array,
    b: Array,
    *,
    cond: Any = None,
    check_finite: bool = True,
    lapack_driver: Any = None,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap]:
    """Outputs x, sums of squared residuals (none where the rank is not full), the rank, and
    singular values or None.
    """
    x, squares, _, s = out
    system = System(a, b, x, cond, True, xp)
    has_squares, has_values, a_shape, b_shape = squares.size > 0, s is not None, a.shape, b.shape

    def dots(a_dot: Any, moved: Any) -> tuple[Any, ...]:
        squares_dot = system.shaped(squares_pushforward(system, moved)) if has_squares else ZERO
        moves = has_values and not isinstance(a_dot, AbstractZero)
        values_dot = system.singular_values().push(a_dot) if moves else NO_TANGENT
        return solution_pushforward(system, a_dot, moved), squares_dot, NO_TANGENT, values_dot

    @computed_once
    def bars(y_bar: Any) -> tuple[Any, Any]:
        moved_bar, a_bar = solution_pullback(system, y_bar[0])
        if has_squares and not isinstance(y_bar[1], AbstractZero):
            # SciPy 1.18 makes them complex
            weights = xp.expand_dims(system.columns(xp.real(xp.asarray(y_bar[1]))), -2)
            moved_bar = moved_bar + 2 * system.residual * weights
        return moved_bar, a_bar - moved_bar @ adjoint(system.x, xp)

    def matrix_bar(y_bar: Any) -> Any:
        a_bar = bars(y_bar)[1]
        if has_values and not isinstance(y_bar[3], AbstractZero):
            a_bar = a_bar + system.singular_values().pull(y_bar[3])
        return summed(a_bar, a_shape, xp)

    def side_bar(y_bar: Any) -> Any:
        return summed(passes_zero(system.shaped)(bars(y_bar)[0]), b_shape, xp)

    return LinearMap(lambda a_dot: dots(a_dot, -a_dot @ system.x), matrix_bar), LinearMap(
        lambda b_dot: dots(ZERO, system.columns(b_dot)), side_bar
    )


summed = passes_zero(unbroadcast)
