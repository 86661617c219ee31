"""The roots and the fits of `numpy.polynomial` for many examples at once."""

from functools import partial
from typing import Any

import numpy as np

from chainrules_py import batched
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import as_laned
from chainrules_py.rulesets.formulas.array_likes import array_of_list, as_floats
from chainrules_py.rulesets.polynomial.factors import of_one_degree
from chainrules_py.rulesets.polynomial.families import FAMILIES, Family
from chainrules_py.rulesets.polynomial.fits import all_degrees, of_degrees, spread_out
from chainrules_py.rulesets.polynomial.matrices import rows
from chainrules_py.rulesets.polynomial.polynomial_fit import scaled_inverse
from chainrules_py.rulesets.polynomial.roots import eigenvalues
from chainrules_py.values.arrays import call, library_of_types, shape_of
from chainrules_py.values.structure import fields, is_container


def array_in_lanes(lane, x) -> tuple[bool, Any]:
    """Whether an argument has lanes, and an array in the place of a list of which parts have some."""
    if not is_container(x):
        return lane, x
    if lane is False:
        return False, array_of_list(x, as_array)
    parts = [array_in_lanes(own, part) for own, part in zip(lane, fields(x).values(), strict=True)]
    count = next(part.shape[0] for has_lanes, part in parts if has_lanes)
    whole = [as_laned(has_lanes, part, count) for has_lanes, part in parts]
    return True, library_of_types(map(type, whole)).namespace.stack(whole, axis=1)


def as_array(x):
    """An array in the place of a number."""
    return x if hasattr(x, "ndim") else np.asarray(x)


def arrays_in_lanes(lanes: Lanes, args: tuple[Any, ...]) -> tuple[tuple[bool, ...], list[Any]]:
    """Which arguments have lanes, and all of them as arrays."""
    pairs = [array_in_lanes(lane, arg) for lane, arg in zip(lanes, args, strict=True)]
    return tuple([lane for lane, _ in pairs]), [arg for _, arg in pairs]


def rank(lane: bool, x) -> int:
    """How many axes an argument has without its lanes."""
    return len(shape_of(x)) - lane


def roots_in_lanes(family: Family) -> None:
    """Register the roots of one family: the eigenvalues of companion matrices."""
    primal = family.function("roots")

    @batched.register(primal)
    def roots_batched(lanes: Lanes, c: object):
        (lane,), (series,) = arrays_in_lanes(lanes, (c,))
        if rank(lane, series) != 1 or not series.shape[0]:
            return looped(partial(call, primal), lanes, (c,), {})
        xp = library_of_types((type(series),)).namespace
        series = of_one_degree(as_floats(series), xp)
        return series[..., :0] if series.shape[-1] == 1 else eigenvalues(series, family, xp)


def fits_in_lanes(family: Family) -> None:
    """Register the fits of one family, by the matrix of the polynomials at the points."""

    @batched.register(family.function("fit"))
    def fit_batched(lanes: Lanes, x: object, y: object, *, deg, w: Any = None):
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


for _family in FAMILIES:
    roots_in_lanes(_family)
    fits_in_lanes(_family)
