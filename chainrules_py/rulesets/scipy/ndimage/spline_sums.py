"""Sums of B-splines at points, beneath interpolation in `scipy.ndimage`.

An image is sum_k c[k] B(x - k), a product of B-splines along the axes. `spline_slope` is its
derivative along one of them, `spline_scatter` the adjoint of the sum in the coefficients. Both are
programs of B-splines, of which each has the next derivative.
"""

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product
from math import comb, factorial
from operator import add, mul
from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import primitive, scalar_rule
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.arrays import Array, common_namespace
from chainrules_py.values.indices import read

# which coefficients a mode continues with
SEES = {"constant": "mirror", "wrap": "mirror", "grid-mirror": "reflect"}


@primitive
def b_spline(t, order: int, nu: int) -> Any:
    """The derivative `nu` of the centred B-spline: differences of truncated powers.

    Jumps count half on each side.
    """
    if nu > order:
        return np.zeros_like(t)
    # symmetric: from the left side, where fewer terms cancel
    sign = np.where(t < 0, 1.0, (-1.0) ** nu)
    left = -np.abs(t) + (order + 1) / 2
    power = order - nu
    terms = ((-1) ** j * comb(order + 1, j) * truncated(left - j, power) for j in range(order + 2))
    return np.where(t == 0, 0.0 if nu % 2 else 1.0, sign) * reduce(add, terms) / factorial(power)


scalar_rule(
    b_spline,
    "t, order, nu",
    "b_spline(t, order, nu + 1)",
    NO_TANGENT,
    NO_TANGENT,
    names={"b_spline": b_spline},
)


def truncated(t, power: int) -> Any:
    """The power of the positive part; of power zero one half at zero."""
    return (np.sign(t) + 1) / 2 if power == 0 else np.maximum(t, 0.0) ** power


def inside(index, n: int, mode: str) -> tuple[Any, Any]:
    """The position of the coefficient for any whole position, and whether there is one."""
    mode = SEES.get(mode, mode)
    if mode == "grid-constant":
        return np.clip(index, 0, n - 1), (index >= 0) & (index < n)
    if mode == "nearest":
        return np.clip(index, 0, n - 1), True
    if mode == "grid-wrap":
        return index % n, True
    period = max(2 * n if mode == "reflect" else 2 * (n - 1), 1)
    index = index % period
    return np.minimum(index, period - index - (mode == "reflect")), True


def placed_coordinate(x, n: int, mode: str, pad: int) -> tuple[Any, Any]:
    """Bring a coordinate into the range of `n` coefficients by the mode; also whether there is a
    value.
    """
    if mode == "constant":
        return x, (x >= 0) & (x <= n - 1)
    if mode == "wrap":
        outside = (x < 0) | (x > n - 1)
        return np.where(outside, np.mod(x, max(n - 1, 1)), x), True
    return x + pad, True


def taps(x, n: int, order: int, mode: str, pad: int = 0, nu: int = 0) -> list[tuple[Any, Any]]:
    """The coefficients along one axis that a point reads, and their weights."""
    x, known = placed_coordinate(x, n, mode, pad)
    plain = ignore_derivatives(x)
    if order == 0:
        position, known_there = inside(np.floor(plain + 0.5).astype(int), n, mode)
        return [(position, np.where(known & known_there, float(nu == 0), 0.0))]
    first = np.ceil(plain - (order + 1) / 2).astype(int)
    found = []
    for k in range(order + 2):
        position, known_there = inside(first + k, n, mode)
        found.append((position, b_spline(x - (first + k), order, nu) * known * known_there))
    return found


def products(
    coordinates, shape: Sequence[int], order: int, mode: str, pad: int, along: int | None = None
) -> Iterator[tuple[Any, Any]]:
    """Flat positions and weights, or the derivatives of these along an axis, one after the other."""
    axes = [
        taps(x, n, order, mode, pad, int(axis == along))
        for axis, (x, n) in enumerate(zip(coordinates, shape, strict=True))
    ]
    for chosen in product(*axes):
        place: Any = 0
        for n, (position, _) in zip(shape, chosen, strict=True):
            place = place * n + position
        yield place, reduce(mul, [weight for _, weight in chosen])


@primitive
def spline_slope(c, coordinates, **how) -> Any:
    """The derivative along an axis of the sum of B-splines with coefficients `c`, at points, whose
    coordinates come first.
    """
    return summed(c, coordinates, **how, xp=common_namespace((c, coordinates)))


@primitive
def spline_scatter(y_bar, coordinates, **how) -> Any:
    """The adjoint of the sum of B-splines in its coefficients."""
    return scattered(y_bar, coordinates, **how)


@composed(spline_slope)
def summed(c: Array, coordinates: Array, *, along: int, order: int, mode: str, pad: int, xp) -> Any:
    flat = xp.reshape(c, -1)
    terms = products(coordinates, c.shape, order, mode, pad, along)
    return reduce(add, [weight * read(flat, index) for index, weight in terms])


@composed(spline_scatter)
def scattered(
    y_bar: Array, coordinates: Array, *, shape: Sequence[int], order: int, mode: str, pad: int
) -> Any:
    size, dtype = math.prod(shape), np.result_type(y_bar.dtype, np.float64)
    terms = products(coordinates, shape, order, mode, pad)
    parts = [scatter_add(weight * y_bar, index, (size,), dtype) for index, weight in terms]
    return np.reshape(reduce(add, parts), shape)
