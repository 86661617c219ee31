"""The Vandermonde matrices of `numpy.polynomial`: each polynomial at each point, degrees last.

In several dimensions a row has all products of entries of the coordinates' rows.
"""

from functools import reduce
from operator import index
from typing import Any

from chainrules_py import composed
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_floats, at_least_vectors
from chainrules_py.rulesets.polynomial.families import Family, basis, of_each_family


def rows(x, degree, family: Family, xp) -> Any:
    """The polynomials up to a degree at each entry of `x`, along a new last axis."""
    return xp.stack(basis(x, index(degree) + 1, family, xp), axis=-1)


def products(one, other, xp) -> Any:
    """All products of an entry of one row with an entry of the other."""
    pairs = xp.expand_dims(one, -1) * xp.expand_dims(other, -2)
    return xp.reshape(pairs, (*pairs.shape[:-2], pairs.shape[-2] * pairs.shape[-1]))


def vandermonde(family: Family, points: tuple[Any, ...], degrees, xp) -> Any:
    """The Vandermonde matrix at coordinates.

    They are stacked first, and so have one shape and precision, as in NumPy.
    """
    stacked = as_floats(xp.stack(at_least_vectors(points, xp)))
    tables = [rows(stacked[k], degree, family, xp) for k, degree in enumerate(degrees)]
    return reduce(lambda one, other: products(one, other, xp), tables)


@of_each_family
def matrix_bodies(family: Family) -> None:
    """Give bodies to one family's matrices."""

    @composed(family.function("vander"))
    def vander(x: ArrayLike, *, deg: int, xp):
        return vandermonde(family, (x,), (deg,), xp)

    @composed(family.function("vander2d"))
    def vander2d(x: ArrayLike, y: ArrayLike, *, deg, xp):
        return vandermonde(family, (x, y), deg, xp)

    @composed(family.function("vander3d"))
    def vander3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, *, deg, xp):
        return vandermonde(family, (x, y, z), deg, xp)
