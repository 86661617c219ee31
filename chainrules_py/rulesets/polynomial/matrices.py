"""The Vandermonde matrices of `numpy.polynomial`: each polynomial at each point, degrees last.

In several dimensions a row has all products of entries of the coordinates' rows. The derivative in
one coordinate is the same with the row of that coordinate differentiated.
"""

from functools import reduce
from operator import index
from typing import Any

from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_floats, on_arrays
from chainrules_py.rulesets.polynomial.families import Family, basis, derivatives, of_each_family


def rows(x: Any, degree: Any, family: Family, xp: Any) -> Any:
    """The polynomials up to a degree at each entry of `x`, along a new last axis."""
    return xp.stack(basis(x, index(degree) + 1, family, xp), axis=-1)


def differentiated(table: Any, family: Family, xp: Any) -> Any:
    """The derivatives of the polynomials in a table, as combinations of those of lower degree."""
    return xp.matmul(table[..., :-1], derivatives(table.shape[-1], family, table.dtype, xp))


def products(one: Any, other: Any, xp: Any) -> Any:
    """All products of an entry of one row with an entry of the other."""
    pairs = xp.expand_dims(one, -1) * xp.expand_dims(other, -2)
    return xp.reshape(pairs, (*pairs.shape[:-2], pairs.shape[-2] * pairs.shape[-1]))


def vandermonde(family: Family, points: list[Any], degrees: Any, xp: Any) -> Linearised:
    """The Vandermonde matrix, with the map of each coordinate."""
    tables = [rows(x, degree, family, xp) for x, degree in zip(points, degrees, strict=True)]

    def matrix(factors: list[Any]) -> Any:
        return reduce(lambda one, other: products(one, other, xp), factors)

    def slope(axis: int) -> Any:
        own = differentiated(tables[axis], family, xp)
        return matrix([*tables[:axis], own, *tables[axis + 1 :]])

    def in_coordinate(axis: int) -> LinearMap:
        return LinearMap(
            lambda x_dot: slope(axis) * xp.expand_dims(x_dot, -1),
            lambda y_bar: xp.sum(xp.conj(slope(axis)) * y_bar, axis=-1),
        )

    return matrix(tables), *map(in_coordinate, range(len(points)))


def at_arrays(family: Family, args: tuple[Any, ...], degrees: Any, xp: Any) -> Linearised:
    """The Vandermonde matrix at coordinates that may be lists or numbers.

    They are stacked first, and so have one shape and precision, as in NumPy.
    """

    def of_arrays(*arrays: Any, xp: Any) -> Linearised:
        points = as_floats(xp.stack(arrays))
        return vandermonde(family, [points[axis] for axis in range(len(arrays))], degrees, xp)

    return on_arrays(of_arrays, args, xp, vectors=range(len(args)))


@of_each_family
def matrix_rules(family: Family) -> None:
    """Register the rules of one family's matrices."""

    @linearised_rule(family.function("vander"))
    def vander_linearised(x: ArrayLike, *, deg: int, xp: Any) -> Linearised:
        return at_arrays(family, (x,), (deg,), xp)

    @linearised_rule(family.function("vander2d"))
    def vander2d_linearised(x: ArrayLike, y: ArrayLike, *, deg: Any, xp: Any) -> Linearised:
        return at_arrays(family, (x, y), deg, xp)

    @linearised_rule(family.function("vander3d"))
    def vander3d_linearised(
        x: ArrayLike, y: ArrayLike, z: ArrayLike, *, deg: Any, xp: Any
    ) -> Linearised:
        return at_arrays(family, (x, y, z), deg, xp)
