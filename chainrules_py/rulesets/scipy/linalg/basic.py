"""Determinants, inverses, pseudoinverses, least squares and norms, by the formulas of
`rulesets.linalg`.
"""

from typing import Any

from scipy import linalg

from chainrules_py import composed
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.matrices import on_hermitian
from chainrules_py.rulesets.linalg.determinants import determinant_map
from chainrules_py.rulesets.linalg.inverses import derivative_of_pseudoinverse, inverse_map
from chainrules_py.rulesets.linalg.least_squares import LeastSquares
from chainrules_py.rulesets.reductions.statistics import first_of_two
from chainrules_py.rulesets.scipy.linalg.calling import call, require_finite
from chainrules_py.rulesets.scipy.linalg.eigen import whole
from chainrules_py.rulesets.scipy.linalg.linear_systems import SHORT, projection
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, Scalar


@linearised_rule(linalg.det)
def det_linearised(a: Array, *, check_finite: bool = True, out, xp) -> LinearMap:
    return determinant_map(a, out, xp)


@with_options(linalg.inv, "check_finite assume_a lower", linearised_rule)
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
    derivative = derivative_of_pseudoinverse(matrix, y, has_tolerance, xp)
    if function is linalg.pinvh:
        derivative = on_hermitian(derivative, xp)
    return out, first_of_two(derivative) if options.return_rank else derivative


@with_options(linalg.pinv, "atol rtol return_rank check_finite", linearised_rule)
def pinv_linearised(a: Array, *, options: Options, xp) -> Linearised:
    return pseudoinverse(linalg.pinv, a, a, options, xp)


@with_options(linalg.pinvh, "atol rtol lower return_rank check_finite", linearised_rule)
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


@with_options(linalg.lstsq, "cond check_finite lapack_driver", linearised_rule)
def lstsq_linearised(
    a: Array, b: Array, *, options: Options, out, xp
) -> tuple[LinearMap, LinearMap]:
    return LeastSquares(a, b, out, options.cond, xp).maps()
