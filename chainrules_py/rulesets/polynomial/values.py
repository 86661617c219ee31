"""The evaluation functions of `numpy.polynomial`.

Sums of c[m, n, ...] p_m(x) p_n(y) ..., at points and on grids.

The polynomials at the points of an axis are a table, made by the recurrence of the family, and the
value contracts the first axis of the coefficients with one table after the other. The derivative in
a coordinate is the same sum with the series differentiated when its turn comes, one polynomial
shorter: what was contracted before is there already. NumPy turns what it gets into plain arrays
first, so engines cannot intercept most of these functions by themselves.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.array_likes import (
    ArrayLike,
    as_floats,
    dense,
    on_arrays,
    placing,
)
from chainrules_py.rulesets.polynomial.families import Family, basis, derivatives, of_each_family
from chainrules_py.values.arrays import shape_of
from chainrules_py.values.identity import existing

Shape = tuple[int, ...]


# --- One table ---


def contract(c: Any, table: Any, apart: bool, xp: Any) -> Any:
    """sum_n c[n] p_n(x), over the axes of c's rest and of x apart, or broadcast together."""
    if apart and table.ndim > 1:
        return xp.tensordot(c, table, ((0,), (0,)))
    return xp.einsum("n...,n...->...", c, table)


def contract_adjoint(bar: Any, table: Any, shape: Shape, apart: bool, xp: Any) -> Any:
    """The adjoint of `contract` in coefficients of this shape."""
    table, ndim = xp.conj(table), bar.ndim
    if apart and table.ndim > 1:
        return xp.tensordot(
            table, bar, (tuple(range(1, table.ndim)), tuple(range(ndim - table.ndim + 1, ndim)))
        )
    terms = xp.reshape(table, _behind_first(table.shape, ndim)) * bar
    return xp.reshape(unbroadcast(terms, _behind_first(shape, ndim), xp), shape)


def _behind_first(shape: Shape, ndim: int) -> Shape:
    """The shape with axes of length one behind the first, until `ndim` follow it."""
    return (shape[0], *(1,) * (ndim + 1 - len(shape)), *shape[1:])


# --- One after the other ---


class Tables(NamedTuple):
    """The polynomials at the points of each coordinate, and whether its axes stand apart from those
    before.
    """

    tables: tuple[Any, ...]
    apart: tuple[bool, ...]
    xp: Any

    def sums(self, c: Any) -> Iterator[Any]:
        """The coefficients, contracted with more and more tables."""
        yield c
        for table, apart in zip(self.tables, self.apart, strict=True):
            c = contract(c, table, apart, self.xp)
            yield c

    def total(self, c: Any) -> Any:
        """The coefficients, contracted with all tables."""
        *_, y = self.sums(c)
        return y

    def adjoint(self, y_bar: Any, shapes: list[Shape]) -> Any:
        """The adjoint of `total`, in coefficients with sums of these shapes."""
        for table, apart, shape in zip(
            self.tables[::-1], self.apart[::-1], shapes[::-1], strict=True
        ):
            y_bar = contract_adjoint(y_bar, table, shape, apart, self.xp)
        return y_bar

    def slope(self, c: Any, family: Family) -> Any:
        """The derivative of `total` in the first coordinate."""
        first, *others = self.tables
        dtype = np.result_type(c.dtype, first.dtype)
        series = self.xp.tensordot(derivatives(first.shape[0], family, dtype, self.xp), c, 1)
        return self._replace(tables=(first[:-1], *others)).total(series)

    def behind(self, position: int) -> "Tables":
        """The tables of a coordinate and of all after it."""
        return self._replace(tables=self.tables[position:], apart=self.apart[position:])


def in_coefficients(tables: Tables, shapes: list[Shape]) -> LinearMap:
    """The value's linear dependence on coefficients whose sums have these shapes."""
    return LinearMap(tables.total, lambda y_bar: tables.adjoint(dense(y_bar, tables.xp), shapes))


def in_point(tables: Tables, c: Any, shape: Shape, family: Family) -> LinearMap:
    """The derivative in the first coordinate, whose points have this shape.

    The axes of later ones may follow.
    """
    xp = tables.xp
    following = sum(
        table.ndim - 1
        for table, apart in zip(tables.tables[1:], tables.apart[1:], strict=True)
        if apart
    )
    wide = (*shape, *(1,) * following)

    def point_pushforward(x_dot: Any) -> Any:
        return tables.slope(c, family) * (xp.reshape(x_dot, wide) if following else x_dot)

    def point_pullback(y_bar: Any) -> Any:
        x_bar = unbroadcast(xp.conj(tables.slope(c, family)) * y_bar, wide, xp)
        return xp.reshape(x_bar, shape) if following else x_bar

    return LinearMap(point_pushforward, point_pullback)


# --- The functions ---


def evaluated(
    family: Family, points: tuple[Any, ...], c: Any, apart: tuple[bool, ...], xp: Any
) -> Linearised:
    """The value, with the maps of each coordinate and of the coefficients."""
    if c.ndim < len(points):
        count = len(points)
        where = f"the rules of numpy's {family.prefix} series in {count} dimensions"
        got = f"coefficients of shape {c.shape}"
        raise NotDifferentiableError(
            where, got, f"give c {count} axes, of length 1 where it has none", argument="c", value=c
        )
    c, shapes = as_floats(c), [shape_of(x) for x in points]
    made = (
        xp.stack(basis(as_point(x, c, xp), n, family, xp))
        for x, n in zip(points, c.shape, strict=False)
    )
    tables = Tables(tuple(made), apart, xp)
    *sums, y = tables.sums(c)
    coordinates = (
        in_point(tables.behind(i), sums[i], shape, family) for i, shape in enumerate(shapes)
    )
    return y, *coordinates, in_coefficients(tables, [total.shape for total in sums])


def at_points(family: Family, args: tuple[Any, ...], xp: Any, tensor: bool = True) -> Linearised:
    """The functions `*val`, `*val2d`, `*val3d`: all coordinates have the same axes."""

    def at_arrays(*arrays: Any, xp: Any) -> Linearised:
        *points, c = arrays
        if len(points) > 1:  # where NumPy makes arrays of numbers, too
            beside = placing(arrays, xp)
            points = [x if shape_of(x) else beside(x) for x in points]
            _check_shapes(family, points)
        return evaluated(family, tuple(points), c, (tensor, *(False,) * (len(points) - 1)), xp)

    return on_arrays(at_arrays, args, xp, vectors=(len(args) - 1,))


def at_listed_points(family: Family, pts: Any, c: Any, xp: Any) -> Linearised:
    """The function `*valnd`: any number of coordinates, in a list or as the rows of an array."""

    def at_rows(pts: Any, c: Any, xp: Any) -> Linearised:
        y, *in_points, in_c = at_points(family, (*(pts[row] for row in range(pts.shape[0])), c), xp)

        def rows_pushforward(pts_dot: Any) -> Any:
            return sum(point.push(pts_dot[row]) for row, point in enumerate(in_points))

        def rows_pullback(y_bar: Any) -> Any:
            return xp.stack([point.pull(y_bar) for point in in_points])

        return y, LinearMap(rows_pushforward, rows_pullback), in_c

    return on_arrays(at_rows, (pts, c), xp)


def on_grid(family: Family, args: tuple[Any, ...], xp: Any) -> Linearised:
    """The functions `*grid2d`, `*grid3d`: each coordinate has axes of its own."""

    def on_arrays_of_grid(*arrays: Any, xp: Any) -> Linearised:
        *points, c = arrays
        return evaluated(family, tuple(points), c, (True,) * len(points), xp)

    return on_arrays(on_arrays_of_grid, args, xp, vectors=(len(args) - 1,))


def as_point(x: Any, c: Any, xp: Any) -> Any:
    """Floats as precise as the coefficients; a number as an array, weak next to them."""
    if not hasattr(x, "dtype"):
        x = xp.asarray(x, dtype=np.result_type(c.dtype, x))
    if not x.shape:
        x = placing((c,), xp)(x)
    wanted = np.result_type(x.dtype, np.finfo(c.dtype).dtype)
    return x if x.dtype == wanted else x.astype(wanted)


def _check_shapes(family: Family, points: list[Any]) -> None:
    shapes = [x.shape for x in points]
    if len(set(shapes)) > 1:
        got = f"coordinates of shapes {shapes}"
        instead = "broadcast them first, or call the function on a grid"
        raise NotDifferentiableError(
            f"the rules of numpy's {family.prefix}val{len(points)}d", got, instead, argument="x"
        )


@of_each_family
def series_rules(family: Family) -> None:
    """Register the rules of one family's evaluation functions."""

    @linearised_rule(family.function("val"))
    def val_linearised(x: ArrayLike, c: ArrayLike, *, tensor: bool = True, xp: Any) -> Linearised:
        return at_points(family, (x, c), xp, tensor)

    @linearised_rule(family.function("val2d"))
    def val2d_linearised(x: ArrayLike, y: ArrayLike, c: ArrayLike, *, xp: Any) -> Linearised:
        return at_points(family, (x, y, c), xp)

    @linearised_rule(family.function("val3d"))
    def val3d_linearised(
        x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike, *, xp: Any
    ) -> Linearised:
        return at_points(family, (x, y, z, c), xp)

    for valnd in existing(family.module, f"{family.prefix}valnd"):  # since NumPy 2.5

        @linearised_rule(valnd)
        def valnd_linearised(pts: ArrayLike, c: ArrayLike, *, xp: Any) -> Linearised:
            return at_listed_points(family, pts, c, xp)

    @linearised_rule(family.function("grid2d"))
    def grid2d_linearised(x: ArrayLike, y: ArrayLike, c: ArrayLike, *, xp: Any) -> Linearised:
        return on_grid(family, (x, y, c), xp)

    @linearised_rule(family.function("grid3d"))
    def grid3d_linearised(
        x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike, *, xp: Any
    ) -> Linearised:
        return on_grid(family, (x, y, z, c), xp)
