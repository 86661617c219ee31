"""The evaluation functions of `numpy.polynomial`.

Sums of c[m, n, ...] p_m(x) p_n(y) ..., at points and on grids.

The polynomials at the points of an axis are a table, made by the recurrence of the family, and the
value contracts the first axis of the coefficients with one table after the other.
"""

from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_floats, at_least_vectors
from chainrules_py.rulesets.polynomial.families import Family, basis, of_each_family
from chainrules_py.values.arrays import shape_of
from chainrules_py.values.identity import existing


def contract(c, table, apart: bool, xp) -> Any:
    """sum_n c[n] p_n(x), over the axes of c's rest and of x apart, or broadcast together."""
    if apart and table.ndim > 1:
        return xp.tensordot(c, table, ((0,), (0,)))
    return xp.einsum("n...,n...->...", c, table)


def evaluated(family: Family, points: tuple[Any, ...], c, apart: tuple[bool, ...], xp) -> Any:
    """The coefficients, contracted with the tables of all coordinates."""
    c = as_floats(c if shape_of(c) else at_least_vectors((c, *points), xp)[0])
    if c.ndim < len(points):
        count = len(points)
        where = f"the rules of numpy's {family.prefix} series in {count} dimensions"
        got = f"coefficients of shape {c.shape}"
        instead = f"give c {count} axes, of length 1 where it has none"
        raise NotDifferentiableError(where, got, instead, argument="c", value=c)
    points = tuple([as_point(x, c, xp) for x in points])
    for x, own in zip(points, apart, strict=True):
        c = contract(c, xp.stack(basis(x, c.shape[0], family, xp)), own, xp)
    return c


def at_points(family: Family, points: tuple[Any, ...], c, xp, tensor: bool = True) -> Any:
    """The functions `*val`, `*val2d`, `*val3d`: all coordinates have the same axes."""
    shapes = [shape_of(x) for x in points]
    if len(set(shapes)) > 1:
        got = f"coordinates of shapes {shapes}"
        instead = "broadcast them first, or call the function on a grid"
        where = f"the rules of numpy's {family.prefix}val{len(points)}d"
        raise NotDifferentiableError(where, got, instead, argument="x")
    if len(points) > 1:  # where NumPy makes arrays of numbers
        points = tuple([x if shape_of(x) else times_one(x, c, bool, xp) for x in points])
    return evaluated(family, points, c, (tensor, *(False,) * (len(points) - 1)), xp)


def as_point(x, c, xp) -> Any:
    """Floats as precise as the coefficients, and where these are; a Python number is weak."""
    dtype = c.real.dtype
    if shape_of(x) and x.dtype == np.result_type(x.dtype, dtype):
        return x
    return times_one(x, c, dtype, xp)


def times_one(x, c, dtype, xp) -> Any:
    """A value where other arrays are, in a dtype at least as precise as this one."""
    return x * xp.reshape(xp.ones_like(c, dtype=dtype, shape=(1,)), ())


@of_each_family
def values_of_series(family: Family) -> None:
    """Give bodies to one family's evaluation functions."""

    @composed(family.function("val"))
    def val(x: ArrayLike, c: ArrayLike, *, tensor: bool = True, xp):
        return at_points(family, (x,), c, xp, tensor)

    @composed(family.function("val2d"))
    def val2d(x: ArrayLike, y: ArrayLike, c: ArrayLike, *, xp):
        return at_points(family, (x, y), c, xp)

    @composed(family.function("val3d"))
    def val3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike, *, xp):
        return at_points(family, (x, y, z), c, xp)

    for function in existing(family.module, f"{family.prefix}valnd"):  # since NumPy 2.5

        @composed(function)
        def valnd(pts: ArrayLike, c: ArrayLike, *, xp):
            return at_points(family, tuple([pts[k] for k in range(pts.shape[0])]), c, xp)

    @composed(family.function("grid2d"))
    def grid2d(x: ArrayLike, y: ArrayLike, c: ArrayLike, *, xp):
        return evaluated(family, (x, y), c, (True, True), xp)

    @composed(family.function("grid3d"))
    def grid3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike, *, xp):
        return evaluated(family, (x, y, z), c, (True, True, True), xp)
