"""NumPy's older functions of polynomials, highest degree first, of many examples at once.

Products, quotients and roots are loops: they drop leading coefficients that are zero, so that
their shapes depend on values.
"""

import operator
from typing import Any

import numpy as np

from chainrules_py import Array, batched
from chainrules_py.batching.lanes import Lanes, behind_lanes, laned_values, with_lanes
from chainrules_py.batching.parts import in_one, library_of_parts
from chainrules_py.batching.words import in_a_loop
from chainrules_py.values.arrays import shape_of


@batched.register(np.vander)
def vander_batched(
    lanes: Lanes, x: Array, *, N: Any = None, increasing: bool = False, xp: Any
) -> Any:
    """Powers of the points, along a new axis."""
    if x.ndim != 2:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.shape[1] if N is None else operator.index(N)
    own = x.astype(np.promote_types(x.dtype, int))
    columns = [xp.ones_like(own)]
    for _ in range(count - 1):
        columns.append(columns[-1] * own)
    kept = columns[:count] if increasing else columns[:count][::-1]
    if not kept:
        return xp.zeros((*x.shape, 0), own.dtype)
    return xp.stack(kept, axis=-1)


@batched.register(np.polyval)
def polyval_batched(lanes: Lanes, p: object, x: object) -> Any:
    """Horner's scheme, in which a coefficient is a number in each lane."""
    if isinstance(p, np.poly1d) or isinstance(x, np.poly1d):
        return in_a_loop(np.polyval, lanes)(p, x)
    coefficients: Any = in_one(lanes[0], p) if lanes[0] else p
    places: Any = in_one(lanes[1], x) if lanes[1] else np.asarray(x) if isinstance(x, list) else x
    rank = len(shape_of(places)) - bool(lanes[1])
    xp = library_of_parts([coefficients, places])
    y = xp.zeros_like(places)
    for place in range(coefficients.shape[1] if lanes[0] else len(coefficients)):
        own = behind_lanes(coefficients[:, place], rank) if lanes[0] else coefficients[place]
        y = y * places + own
    if lanes[0] and not (coefficients.shape[1]):
        return with_lanes(y, coefficients.shape[0]) if not lanes[1] else y
    return y


def sums_in_lanes(primal: Any, of_two: Any) -> None:
    """Register the rule of a sum of polynomials, the shorter one with zeros before it."""

    @batched.register(primal)
    def sum_batched(lanes: Lanes, a1: object, a2: object) -> Any:
        if isinstance(a1, np.poly1d) or isinstance(a2, np.poly1d):
            return in_a_loop(primal, lanes)(a1, a2)
        given: Any = (a1, a2)
        count = next(laned_values(lanes, given)).shape[0]
        both = [
            behind_lanes(in_one(lane, part), 1) if lane else np.atleast_1d(part)
            for lane, part in zip(lanes, given, strict=True)
        ]
        xp = library_of_parts(both)
        length = max(part.shape[-1] for part in both)
        filled = []
        for part in both:
            zeros = xp.zeros((*part.shape[:-1], length - part.shape[-1]), part.dtype)
            is_short = part.shape[-1] < length
            filled.append(xp.concatenate([zeros, part], axis=-1) if is_short else part)
        y = of_two(*filled)
        return y if y.ndim > 1 else with_lanes(y, count)


sums_in_lanes(np.polyadd, operator.add)
sums_in_lanes(np.polysub, operator.sub)


@batched.register(np.polyder)
def polyder_batched(lanes: Lanes, p: object, *, m: Any = 1) -> Any:
    """Coefficients times their degrees, without the last one."""
    own: Any = in_one(lanes[0], p)
    order = operator.index(m)
    if order < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    for _ in range(order):
        own = own[:, :-1] * np.arange(own.shape[1] - 1, 0, -1)
    return own


@batched.register(np.polyint)
def polyint_batched(lanes: Lanes, p: Array, *, m: Any = 1, k: Any = None, xp: Any) -> Any:
    """Coefficients divided by their new degrees, before the constants of integration."""
    order = operator.index(m)
    constants = [0.0] * order if k is None else [k] * order if np.ndim(k) == 0 else list(k)
    if len(constants) == 1 and order > 1:
        constants = constants * order
    if order < 0 or len(constants) < order:
        return in_a_loop(np.polyint, lanes)(p, m=m, k=k)
    y = p
    for constant in constants[:order]:
        divided = y / np.arange(y.shape[1], 0, -1)
        last = xp.full((y.shape[0], 1), constant)
        y = xp.concatenate([divided, last], axis=1)
    return y


@batched.register(np.polyfit)
def polyfit_batched(
    lanes: Lanes, x: object, y: object, *, deg: Any, xp: Any, **options: Any
) -> Any:
    """Many samples at the same points are columns of one fit; points in lanes are a loop."""
    values: Any = y
    asks_for_more = options.get("full") or options.get("cov")
    points_of_none: Any = x
    if lanes[0] is True and points_of_none.shape[0] == 0 and not asks_for_more:
        # NumPy warns of points that are equal, as ones in the place of no lanes are
        others = np.shape(values)[2 if lanes[1] else 1 :]
        return np.zeros((0, deg + 1, *others), np.result_type(points_of_none, values, 0.0))
    if lanes[0] or lanes[1] is not True or asks_for_more or values.ndim not in (2, 3):
        return in_a_loop(np.polyfit, lanes)(x, y, deg=deg, **options)
    count, points = values.shape[:2]
    columns = xp.moveaxis(values, 0, 1).reshape((points, values.size // max(points, 1)))
    found = xp.polyfit(x, columns, deg, **options)
    return xp.moveaxis(found.reshape((found.shape[0], count, *values.shape[2:])), 1, 0)
