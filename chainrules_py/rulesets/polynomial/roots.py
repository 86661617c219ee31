"""Roots of series, and the companion matrices whose eigenvalues they are; and `polyvalfromroots`.

c(r) = 0 moves a root by -c_dot(r) / c'(r), infinitely where roots coincide: a rule, because as
eigenvalues they would lose digits. A companion matrix depends on the coefficients in one column,
which is that of c / c[-1] with a fixed weight for each.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import polynomial

from chainrules_py import composed
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.projection.structured import adjoint
from chainrules_py.rulesets.formulas.array_likes import (
    ArrayLike,
    as_floats,
    at_least_vectors,
    on_arrays,
)
from chainrules_py.rulesets.formulas.known_values import length_of
from chainrules_py.rulesets.polynomial.arithmetic import padded_coefficients, vectors
from chainrules_py.rulesets.polynomial.factors import of_one_degree
from chainrules_py.rulesets.polynomial.families import Family, basis, derivatives, of_each_family
from chainrules_py.values.arrays import shape_of


def companion_of(c, family: Family, xp) -> Any:
    """The companion matrix; its last column is linear in the coefficients over the last one."""
    count = c.shape[-1] - 1
    constant = family.function("companion")(np.eye(count + 1)[count])
    weights = (family.function("companion")(np.ones(count + 1)) - constant)[:, -1].astype(c.dtype)
    column = weights * (c[..., :-1] / c[..., -1:])
    others = xp.zeros_like(column, shape=(*column.shape, count - 1))
    moving = xp.concatenate([others, xp.expand_dims(column, -1)], axis=-1)
    return constant.astype(c.dtype) + moving


def roots_of(c, family: Family, xp) -> Linearised:
    """The roots, sorted, with their map; a constant has none."""
    (c,), count = vectors(c, xp=xp), c.shape[0]
    c = of_one_degree(c, xp)
    kept = c.shape[0]
    if kept == 1:
        zeros = LinearMap(
            lambda c_dot: c_dot[:0], lambda y_bar: padded_coefficients(0 * c, count, xp)
        )
        return 0 * c[:0], zeros
    y = family.function("roots")(c) if type(c) is np.ndarray else eigenvalues(c, family, xp)
    table = xp.stack(basis(y, kept, family, xp), axis=-1)
    slope = xp.matmul(table[:, :-1], xp.matmul(derivatives(kept, family, c.dtype, xp), c))
    return y, LinearMap(
        lambda c_dot: -xp.matmul(table, c_dot[:kept]) / slope,
        lambda y_bar: padded_coefficients(
            -xp.matmul(adjoint(table, xp), y_bar / xp.conj(slope)), count, xp
        ),
    )


def eigenvalues(c, family: Family, xp) -> Any:
    """The roots as NumPy computes them, in operations that have rules.

    NumPy reverses the rows and columns of the matrix, for smaller errors. Eigenvalues are always
    complex since NumPy 2.5, and its families differ in whether several real ones become real.
    """
    roots = xp.sort(xp.linalg.eigvals(companion_of(c, family, xp)[..., ::-1, ::-1]))
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

    @composed(family.function("companion"))
    def companion(c: ArrayLike, *, xp):
        (c,) = vectors(c, xp=xp)
        return companion_of(of_one_degree(c, xp), family, xp)

    @linearised_rule(family.function("roots"))
    def roots_linearised(c: ArrayLike, *, xp) -> Linearised:
        return on_arrays(lambda c, xp: roots_of(c, family, xp), (c,), xp, vectors=(0,))


# --- Values ---


@composed(polynomial.polyvalfromroots)
def polyvalfromroots(x: ArrayLike, r: ArrayLike, *, tensor: bool = True, xp):
    """The product of x - r over the first axis of r."""
    axes = len(shape_of(x))
    r = as_floats(r if shape_of(r) else at_least_vectors((r, x), xp)[0])
    if axes and not tensor and axes >= r.ndim:
        where = "the rules of numpy.polynomial.polynomial.polyvalfromroots"
        got = f"tensor=False, x {shape_of(x)} and r {r.shape}"
        instead = "give r one axis more than x, the first"
        raise NotDifferentiableError(where, got, instead, argument="r", value=r)
    apart = (*r.shape, *(1,) * axes) if tensor else r.shape
    return xp.prod(x - xp.reshape(r, apart), axis=0)
