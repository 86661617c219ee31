"""Roots of series, and the companion matrices whose eigenvalues they are; and `polyvalfromroots`.

c(r) = 0 moves a root by -c_dot(r) / c'(r), infinitely where roots coincide. A companion matrix
depends on the coefficients in one column, which is that of c / c[-1] with a fixed weight for each.
The value of a polynomial by its roots r is the product of x - r, whose partial in each of them is
the product of the others.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import polynomial

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.projection.structured import adjoint
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_floats, on_arrays
from chainrules_py.rulesets.polynomial.arithmetic import length_of
from chainrules_py.rulesets.polynomial.factors import on_trimmed, own_value
from chainrules_py.rulesets.polynomial.families import Family, basis, derivatives, of_each_family
from chainrules_py.rulesets.reductions.reductions import products_of_others
from chainrules_py.values.arrays import shape_of


def companion(c: Any, family: Family, xp: Any) -> Linearised:
    """The companion matrix; its last column is linear in the coefficients over the last one."""
    count = c.shape[-1] - 1
    constant = family.function("companion")(np.eye(count + 1)[count])
    weights = (family.function("companion")(np.ones(count + 1)) - constant)[:, -1].astype(c.dtype)
    quotients = c[..., :-1] / c[..., -1:]

    def matrix(column: Any) -> Any:
        others = xp.zeros_like(column, shape=(*column.shape, count - 1))
        return xp.concatenate([others, xp.expand_dims(column, -1)], axis=-1)

    def companion_pullback(y_bar: Any) -> Any:
        column_bar = xp.conj(weights / c[-1]) * y_bar[:, -1]
        last_bar = -xp.sum(xp.conj(quotients) * column_bar)
        return xp.concatenate([column_bar, xp.reshape(last_bar, (1,))])

    linear = LinearMap(
        lambda c_dot: matrix(weights * (c_dot[:-1] - quotients * c_dot[-1]) / c[-1]),
        companion_pullback,
    )
    computed = constant.astype(c.dtype) + matrix(weights * quotients)
    return own_value(family, "companion", c, instead=computed), linear


def roots_of(c: Any, family: Family, xp: Any) -> Linearised:
    """The roots, sorted, with their map; a constant has none."""
    if c.shape[0] == 1:
        return 0 * c[:0], LinearMap(lambda c_dot: c_dot[:0], lambda y_bar: xp.zeros_like(c))
    y = family.function("roots")(c) if type(c) is np.ndarray else eigenvalues(c, family, xp)
    table = xp.stack(basis(y, c.shape[0], family, xp), axis=-1)
    slope = xp.matmul(table[:, :-1], xp.matmul(derivatives(c.shape[0], family, c.dtype, xp), c))
    return y, LinearMap(
        lambda c_dot: -xp.matmul(table, c_dot) / slope,
        lambda y_bar: -xp.matmul(adjoint(table, xp), y_bar / xp.conj(slope)),
    )


def eigenvalues(c: Any, family: Family, xp: Any) -> Any:
    """The roots as NumPy computes them, in operations that have rules.

    NumPy reverses the rows and columns of the matrix, for smaller errors. Eigenvalues are always
    complex since NumPy 2.5, and its families differ in whether several real ones become real.
    """
    roots = xp.sort(xp.linalg.eigvals(companion(c, family, xp)[0][..., ::-1, ::-1]))
    may_be_real = c.dtype.kind != "c" and (c.shape[-1] == 2 or real_roots_are_real(family))
    are_real = may_be_real and not length_of(xp.imag(roots) != 0, xp)
    return xp.real(roots) if are_real else roots


@cache
def real_roots_are_real(family: Family) -> bool:
    """Whether NumPy's function for the roots returns real ones where all of them are."""
    series = family.function("fromroots")([-1.0, 0.0, 1.0])
    return bool(family.function("roots")(series).dtype.kind == "f")


@of_each_family
def roots_rules(family: Family) -> None:
    """Register the rules of one family's roots and companion matrices."""

    @linearised_rule(family.function("companion"))
    def companion_linearised(c: ArrayLike, *, xp: Any) -> Linearised:
        return on_trimmed(lambda c, xp: companion(c, family, xp), (c,), xp)

    @linearised_rule(family.function("roots"))
    def roots_linearised(c: ArrayLike, *, xp: Any) -> Linearised:
        return on_trimmed(lambda c, xp: roots_of(c, family, xp), (c,), xp)


# --- Values ---


def from_roots(x: Any, r: Any, tensor: bool, xp: Any) -> Linearised:
    """The product of x - r over the first axis of r, with the maps of the points and the roots."""
    shape, axes = shape_of(x), len(shape_of(x))
    if shape and not tensor and axes >= r.ndim:
        where = "the rules of numpy.polynomial.polynomial.polyvalfromroots"
        got = f"tensor=False, x {x.shape} and r {r.shape}"
        raise NotDifferentiableError(
            where, got, "give r one axis more than x, the first", argument="r", value=r
        )
    r = as_floats(r)
    apart = (*r.shape, *(1,) * axes) if tensor else r.shape
    factors = x - xp.reshape(r, apart)

    def slopes() -> Any:
        return products_of_others(factors, 0, xp)

    def x_pullback(y_bar: Any) -> Any:
        return unbroadcast(xp.conj(xp.sum(slopes(), axis=0)) * y_bar, shape, xp)

    def r_pushforward(r_dot: Any) -> Any:
        return -xp.sum(slopes() * xp.reshape(r_dot, apart), axis=0)

    def r_pullback(y_bar: Any) -> Any:
        return xp.reshape(unbroadcast(-xp.conj(slopes()) * y_bar, apart, xp), r.shape)

    in_points = LinearMap(lambda x_dot: xp.sum(slopes(), axis=0) * x_dot, x_pullback)
    return xp.prod(factors, axis=0), in_points, LinearMap(r_pushforward, r_pullback)


@linearised_rule(polynomial.polyvalfromroots)
def polyvalfromroots_linearised(
    x: ArrayLike, r: ArrayLike, *, tensor: bool = True, xp: Any
) -> Linearised:
    return on_arrays(lambda x, r, xp: from_roots(x, r, tensor, xp), (x, r), xp, vectors=(1,))
