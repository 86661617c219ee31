"""The functions of `numpy.polynomial` for many examples at once.

Arithmetic, factors and roots are computed as their rules compute them, which count coefficients
from the end. Values and Vandermonde matrices are NumPy's own, of arrays whose axes are put where
NumPy broadcasts them. Series of many examples have as many coefficients as the longest of them.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.polynomial import polynomial, polyutils

from chainrules_py import batched
from chainrules_py.batching.lanes import Lanes, Same, behind_lanes, has_no_lane
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import as_laned
from chainrules_py.errors import BatchingError
from chainrules_py.rulesets.formulas.array_likes import array_of_list, as_floats
from chainrules_py.rulesets.polynomial.arithmetic import (
    added,
    converted,
    cut,
    length_of,
    multiplied,
    multiplied_by_x,
    power,
)
from chainrules_py.rulesets.polynomial.factors import coefficients_of_line, divided, of_roots
from chainrules_py.rulesets.polynomial.families import FAMILIES, Family, of_each_family
from chainrules_py.rulesets.polynomial.fits import all_degrees, of_degrees, spread_out
from chainrules_py.rulesets.polynomial.matrices import rows
from chainrules_py.rulesets.polynomial.polynomial_fit import scaled_inverse
from chainrules_py.rulesets.polynomial.roots import companion, eigenvalues
from chainrules_py.values.arrays import call, library_of_types, shape_of
from chainrules_py.values.identity import existing
from chainrules_py.values.structure import fields, is_container


def array_in_lanes(lane: Any, x: Any) -> tuple[bool, Any]:
    """Whether an argument has lanes, and an array in the place of a list of which parts have some."""
    if not is_container(x):
        return lane, x
    if lane is False:
        return False, array_of_list(x, as_array)
    parts = [array_in_lanes(own, part) for own, part in zip(lane, fields(x).values(), strict=True)]
    count = next(part.shape[0] for has_lanes, part in parts if has_lanes)
    whole = [as_laned(has_lanes, part, count) for has_lanes, part in parts]
    return True, library_of_types(map(type, whole)).namespace.stack(whole, axis=1)


def as_array(x: Any) -> Any:
    """An array in the place of a number."""
    return x if hasattr(x, "ndim") else np.asarray(x)


def arrays_in_lanes(lanes: Lanes, args: tuple[Any, ...]) -> tuple[tuple[bool, ...], list[Any]]:
    """Which arguments have lanes, and all of them as arrays."""
    pairs = [array_in_lanes(lane, arg) for lane, arg in zip(lanes, args, strict=True)]
    return tuple([lane for lane, _ in pairs]), [arg for _, arg in pairs]


def rank(lane: bool, x: Any) -> int:
    """How many axes an argument has without its lanes."""
    return len(shape_of(x)) - lane


def at_least_a_vector(lane: bool, x: Any) -> Any:
    """An argument with an axis, which NumPy gives to a number."""
    return x.reshape((*x.shape, 1)) if rank(lane, x) == 0 else x


def with_marks(y: Any) -> Any:
    """The result of a function of series, marked where it does not depend on what has lanes."""
    if type(y) is tuple:
        return tuple(map(with_marks, y))
    return Same(y) if y.ndim == 1 else y


# --- Series ---


def on_series_in_lanes(primal: Any, value: Callable[..., Any]) -> None:
    """Register a function of series, vectors of coefficients, computed by what its rule is made of."""

    @batched.register(primal)
    def series_batched(lanes: Lanes, *series: object, **options: Any) -> Any:
        has_lanes, arrays = arrays_in_lanes(lanes, series)
        arrays = [
            at_least_a_vector(lane, as_array(c)) for lane, c in zip(has_lanes, arrays, strict=True)
        ]
        ranks = {rank(lane, c) for lane, c in zip(has_lanes, arrays, strict=True)}
        if ranks != {1} or has_no_lane(has_lanes, arrays):
            return looped(partial(call, primal), lanes, series, options)
        xp = library_of_types(map(type, arrays)).namespace
        vectors = [as_floats(c) for c in arrays]
        dtype = xp.result_type(*[c.dtype for c in vectors])
        return with_marks(value(*[c.astype(dtype) for c in vectors], xp=xp, **options))


def of_one_degree(c: Any, xp: Any) -> Any:
    """Series without the zeros at their ends, which have to be as many in all lanes."""
    kept = max(length_of(c != 0, xp), 1)
    is_zero = 1 * (c[..., kept - 1] == 0)
    if kept > 1 and c.shape[0] and length_of(xp.reshape(is_zero, (1, -1)), xp):
        raise BatchingError(
            "the functions of numpy.polynomial",
            "series of which some end in zeros, and so are shorter than others",
            "divide, or find roots, of series of one degree",
        )
    return c[..., :kept]


def quotient(family: Family, c1: Any, c2: Any, xp: Any) -> Any:
    """The quotient and the remainder of series."""
    return divided(of_one_degree(c1, xp), of_one_degree(c2, xp), family, xp)[0]


def roots(family: Family, c: Any, xp: Any) -> Any:
    """The roots of series; a constant has none."""
    c = of_one_degree(c, xp)
    return c[..., :0] if c.shape[-1] == 1 else eigenvalues(c, family, xp)


@of_each_family
def arithmetic_in_lanes(family: Family) -> None:
    """Register one family's arithmetic, products over roots, quotients and roots."""

    def register(name: str, value: Callable[..., Any]) -> None:
        on_series_in_lanes(family.function(name), value)

    def power_of(c: Any, *, pow: Any, maxpower: Any = None, xp: Any) -> Any:
        family.function("pow")([1.0], pow, maxpower)  # for NumPy's own errors
        return power(c, family, pow, xp)[0]

    register("add", lambda c1, c2, xp: added(c1, c2, 1, xp)[0])
    register("sub", lambda c1, c2, xp: added(c1, c2, -1, xp)[0])
    register("mul", lambda c1, c2, xp: multiplied(c1, c2, family, xp)[0])
    register("mulx", lambda c, xp: multiplied_by_x(c, family, xp)[0])
    register("pow", power_of)
    register("div", partial(quotient, family))
    register("fromroots", lambda roots, xp: of_roots(roots, family, xp)[0])
    register("roots", partial(roots, family))
    register("companion", lambda c, xp: companion(of_one_degree(c, xp), family, xp)[0])


@of_each_family
def lines_in_lanes(family: Family) -> None:
    """Register one family's lines."""

    @batched.register(family.function("line"))
    def line_batched(lanes: Lanes, off: object, scl: object) -> Any:
        """Two coefficients."""
        numbers: tuple[Any, ...] = (off, scl)
        xp = library_of_types(map(type, numbers)).namespace
        shape = next(x.shape for x, lane in zip(numbers, lanes, strict=True) if lane)
        off, scl = [xp.broadcast_to(x, shape) for x in numbers]
        y = coefficients_of_line(off, scl, family, xp)
        if y.ndim > 2:
            return xp.moveaxis(y, -1, 1)
        return y[:, : max(length_of(y != 0, xp), 1)]


for _family in FAMILIES[1:]:
    on_series_in_lanes(
        getattr(_family.module, f"{_family.prefix}2poly"),
        lambda c, xp, family=_family: converted(c, family, FAMILIES[0], xp)[0],
    )
    # NumPy starts from the integer 0, next to which single precision becomes double
    on_series_in_lanes(
        getattr(_family.module, f"poly2{_family.prefix}"),
        lambda c, xp, family=_family: converted(c + xp.zeros(1), FAMILIES[0], family, xp)[0],
    )
on_series_in_lanes(polyutils.trimcoef, lambda c, xp, tol=0: cut(c, tol, xp)[0])


# --- Values ---


def first_axis_first(lane: bool, c: Any) -> Any:
    """Coefficients with lanes behind their first axis, or with an axis of length one there."""
    c = c.reshape((*c.shape, 1)) if rank(lane, c) == 0 else c
    if not lane:
        return c.reshape((c.shape[0], 1, *c.shape[1:]))
    return library_of_types((type(c),)).namespace.moveaxis(c, 0, 1)


def at_points(primal: Any, lanes: tuple[bool, ...], x: Any, c: Any, tensor: bool) -> Any:
    """The values of series at points: the axes of the series come first, or broadcast with theirs."""
    c = first_axis_first(lanes[1], c)
    axes_of_x, axes_of_c = rank(lanes[0], x), c.ndim - 2
    if tensor:
        c = c.reshape((*c.shape, *(1,) * axes_of_x))
        axes = axes_of_c + axes_of_x
    else:
        axes = max(axes_of_c, axes_of_x)
        c = c.reshape((*c.shape[:2], *(1,) * (axes - axes_of_c), *c.shape[2:]))
    if lanes[0]:
        x = behind_lanes(x, axes)
    return call(primal, x, c, tensor=False)


def values_in_lanes(primal: Any) -> None:
    """Register a function of points and coefficients."""

    @batched.register(primal)
    def values_batched(lanes: Lanes, x: object, c: object, *, tensor: bool = True) -> Any:
        has_lanes, (points, series) = arrays_in_lanes(lanes, (x, c))
        return at_points(primal, has_lanes, points, as_array(series), tensor)


def one_after_the_other(primal: Any, val: Any, apart: bool) -> Any:
    """Register a function of several coordinates, which takes the coefficients' axes in turn."""

    @batched.register(primal)
    def coordinates_batched(lanes: Lanes, *args: object) -> Any:
        has_lanes, (*points, c) = arrays_in_lanes(lanes, args)
        shapes = {shape_of(x)[lane:] for lane, x in zip(has_lanes, points, strict=False)}
        if len(shapes) > 1 and not apart:
            return looped(partial(call, primal), lanes, args, {})
        lane_of_c = has_lanes[-1]
        for position, (lane, x) in enumerate(zip(has_lanes, points, strict=False)):
            c = at_points(val, (lane, lane_of_c), as_array(x), c, tensor=apart or position == 0)
            if not (lane or lane_of_c):
                c = c[0]
            lane_of_c = lane or lane_of_c
        return c

    return coordinates_batched


def listed_points(primal: Any, coordinates_batched: Any) -> None:
    """Register `*valnd`: the coordinates are in a list, or the rows of an array."""

    @batched.register(primal)
    def listed_points_batched(lanes: Lanes, pts: Any, c: object) -> Any:
        lane, points = array_in_lanes(lanes[0], pts)
        rows = [points[:, k] for k in range(points.shape[1])] if lane else [*points]
        return coordinates_batched((*[lane] * len(rows), lanes[1]), *rows, c)


def matrices_in_lanes(primal: Any) -> None:
    """Register a function that makes Vandermonde matrices of coordinates, degrees last."""

    @batched.register(primal)
    def matrix_batched(lanes: Lanes, *points: object, deg: Any) -> Any:
        has_lanes, arrays = arrays_in_lanes(lanes, points)
        shapes = {shape_of(x)[lane:] for lane, x in zip(has_lanes, arrays, strict=True)}
        if len(shapes) > 1 or any(0 in shape_of(x) for x in arrays):
            return looped(partial(call, primal), lanes, points, {"deg": deg})
        arrays = [at_least_a_vector(lane, x) for lane, x in zip(has_lanes, arrays, strict=True)]
        xp = library_of_types(map(type, arrays)).namespace
        whole = arrays if len(arrays) == 1 else xp.broadcast_arrays(*arrays)
        return call(primal, *whole, deg=deg)


# --- Derivatives, integrals, fits ---


def along_axis(primal: Any, may_look_at_values: bool) -> None:
    """Register a function of coefficients along `axis`.

    One that looks at values does so where there is one coefficient, which may be zero.
    """

    @batched.register(primal)
    def along_axis_batched(lanes: Lanes, c: object, *, axis: int = 0, **options: Any) -> Any:
        has_lanes, (array,) = arrays_in_lanes(lanes, (c,))
        axes = rank(has_lanes[0], array)
        own = axis if axis < 0 else axis - axes
        if not -axes <= own < 0 or (may_look_at_values and array.shape[own] == 1):
            return looped(partial(call, primal), lanes, (c,), {"axis": axis, **options})
        # the axis in front, since NumPy's `hermeder` leaves another one there, sometimes
        xp = library_of_types((type(array),)).namespace
        y = call(primal, xp.moveaxis(array, own, 0), axis=0, **options)
        return xp.moveaxis(y, 0, own)


def fits_in_lanes(family: Family) -> None:
    """Register the fits of one family, by the matrix of the polynomials at the points."""

    @batched.register(family.function("fit"))
    def fit_batched(lanes: Lanes, x: object, y: object, *, deg: Any, w: Any = None) -> Any:
        (_, lane_of_y), (points, values) = arrays_in_lanes(lanes, (x, y))
        xp = library_of_types((type(points), type(values))).namespace
        points, values = as_floats(points), as_floats(values)
        is_vector = rank(lane_of_y, values) == 1
        if is_vector:
            values = xp.expand_dims(values, -1)
        degrees = all_degrees(deg)
        matrix = of_degrees(rows(points, max(degrees), family, xp), degrees, xp)
        if w is not None:
            weights = xp.expand_dims(as_floats(xp.asarray(w)), -1)
            matrix, values = weights * matrix, weights * values
        c = xp.matmul(scaled_inverse(matrix, xp), values)
        if len(degrees) <= degrees[-1]:
            c = xp.moveaxis(spread_out(degrees, xp.moveaxis(c, -2, 0), xp), 0, -2)
        return c[..., 0] if is_vector else c


@of_each_family
def values_of_family(family: Family) -> None:
    """Register the values of one family, its matrices, derivatives and integrals."""
    val = family.function("val")
    values_in_lanes(val)
    one_after_the_other(family.function("val2d"), val, apart=False)
    of_coordinates = one_after_the_other(family.function("val3d"), val, apart=False)
    for valnd in existing(family.module, f"{family.prefix}valnd"):  # since NumPy 2.5
        listed_points(valnd, of_coordinates)
    one_after_the_other(family.function("grid2d"), val, apart=True)
    one_after_the_other(family.function("grid3d"), val, apart=True)
    matrices_in_lanes(family.function("vander"))
    matrices_in_lanes(family.function("vander2d"))
    matrices_in_lanes(family.function("vander3d"))
    along_axis(family.function("der"), may_look_at_values=False)
    along_axis(family.function("int"), may_look_at_values=True)
    fits_in_lanes(family)


values_in_lanes(polynomial.polyvalfromroots)
