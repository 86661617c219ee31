"""Sums of B-splines at points, with all derivatives, beneath interpolation in `scipy.ndimage`.

An image is sum_k c[k] B(x - k), a product of B-splines along the axes. `spline_sum` evaluates it or
a derivative of it, linear in the coefficients; `spline_scatter` is the adjoint. A derivative by a
point is a sum with one more derivative along an axis, so that the two are closed under
differentiation, to any order.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import product
from math import comb, factorial
from operator import add, iadd
from typing import Any

import numpy as np

from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.values.arrays import Array, common_namespace

# which coefficients a mode continues with
SEES = {"constant": "mirror", "wrap": "mirror", "grid-mirror": "reflect"}


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


def truncated(t, power: int) -> Any:
    """The power of the positive part; of power zero one half at zero."""
    return (np.sign(t) + 1) / 2 if power == 0 else np.maximum(t, 0.0) ** power


def inside(index, n: int, mode: str) -> tuple[Any, Any]:
    """Where the coefficients at any whole position are taken from, and whether there is one."""
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
    """A coordinate brought into the range of `n` coefficients as the mode says, and whether there
    is a value.
    """
    if mode == "constant":
        return x, (x >= 0) & (x <= n - 1)
    if mode == "wrap":
        outside = (x < 0) | (x > n - 1)
        return np.where(outside, np.mod(x, max(n - 1, 1)), x), True
    return x + pad, True


def taps(x, n: int, order: int, mode: str, nu: int, pad: int) -> list[tuple[Any, Any]]:
    """The coefficients along one axis that a point sees, and their weights."""
    x, known = placed_coordinate(x, n, mode, pad)
    if order == 0:
        position, known_there = inside(np.floor(x + 0.5).astype(int), n, mode)
        return [(position, np.where(known & known_there, float(nu == 0), 0.0))]
    first = np.ceil(x - (order + 1) / 2).astype(int)
    found = []
    for k in range(order + 2):
        position, known_there = inside(first + k, n, mode)
        found.append((position, b_spline(x - (first + k), order, nu) * known * known_there))
    return found


def products(
    coordinates,
    shape: Sequence[int],
    orders: Sequence[int],
    mode: str,
    nu: Sequence[int],
    pad: int,
) -> Iterator[tuple[Any, Any]]:
    """Flat positions and weights, one after the other."""
    axes = [
        taps(*args, pad)
        for args in zip(coordinates, shape, orders, [mode] * len(shape), nu, strict=True)
    ]
    for chosen in product(*axes):
        index = tuple(position for position, _ in chosen)
        weight = reduce(np.multiply, [weight for _, weight in chosen])
        yield np.ravel_multi_index(index, shape), weight


@primitive
def spline_sum(c, coordinates, orders, mode: str, nu, pad: int) -> Any:
    """The derivative `nu` of the sum of B-splines with coefficients `c`, at points, whose
    coordinates come first.
    """
    flat, terms = np.ravel(c), products(coordinates, c.shape, orders, mode, nu, pad)
    xp = common_namespace((c, coordinates))
    return reduce(add, (weight * xp.take(flat, index) for index, weight in terms))


@primitive
def spline_scatter(y_bar, coordinates, shape, orders, mode: str, nu, pad: int) -> Any:
    """The adjoint of `spline_sum` in the coefficients."""
    if y_bar.dtype.kind == "c":
        parts = [
            spline_scatter(part, coordinates, shape, orders, mode, nu, pad)
            for part in (y_bar.real, y_bar.imag)
        ]
        return parts[0] + 1j * parts[1]
    size, terms = int(np.prod(shape)), products(coordinates, shape, orders, mode, nu, pad)
    return reduce(
        iadd,
        (np.bincount(index.ravel(), (weight * y_bar).ravel(), size) for index, weight in terms),
    ).reshape(shape)


def raised(nu: Sequence[int], axis: int) -> tuple[int, ...]:
    """The orders of a derivative that is taken once more along an axis."""
    return tuple(n + (k == axis) for k, n in enumerate(nu))


@linearised_rule(spline_sum)
def spline_sum_linearised(c: Array, coordinates: Array, *, orders, mode: str, nu, pad: int, xp):
    """Linear in the coefficients; by a coordinate the derivative along its axis."""
    y, shape = spline_sum(c, coordinates, orders, mode, nu, pad), c.shape
    of_coefficients = LinearMap(
        lambda c_dot: spline_sum(c_dot, coordinates, orders, mode, nu, pad),
        lambda y_bar: spline_scatter(y_bar, coordinates, shape, orders, mode, nu, pad),
    )
    return y, of_coefficients, along_axes(lambda: c, coordinates, orders, mode, nu, pad, xp)


def along_axes(
    coefficients: Callable[[], Any], coordinates, orders, mode: str, nu, pad: int, xp
) -> LinearMap:
    """The derivative of `spline_sum` in the coordinates, which come first."""
    axes = range(len(orders))

    def slope(axis: int) -> Any:
        return spline_sum(coefficients(), coordinates, orders, mode, raised(nu, axis), pad)

    return LinearMap(
        lambda dot: reduce(add, (slope(axis) * dot[axis] for axis in axes)),
        lambda y_bar: xp.stack([xp.real(xp.conj(slope(axis)) * y_bar) for axis in axes]),
    )


@linearised_rule(spline_scatter)
def spline_scatter_linearised(
    y_bar: Array,
    coordinates: Array,
    *,
    shape,
    orders,
    mode: str,
    nu,
    pad: int,
    xp,
):
    """Linear in the values; by a coordinate the adjoint of the derivative along its axis."""
    of_values = LinearMap(
        lambda dot: spline_scatter(dot, coordinates, shape, orders, mode, nu, pad),
        lambda c_bar: spline_sum(c_bar, coordinates, orders, mode, nu, pad),
    )

    def coordinates_pushforward(dot):
        parts = (
            spline_scatter(y_bar * dot[a], coordinates, shape, orders, mode, raised(nu, a), pad)
            for a in range(len(shape))
        )
        return reduce(add, parts)

    def coordinates_pullback(c_bar):
        # of <c_bar, scatter(y_bar)> = <sum(c_bar), y_bar>
        return along_axes(lambda: c_bar, coordinates, orders, mode, nu, pad, xp).pull(y_bar)

    value = spline_scatter(y_bar, coordinates, shape, orders, mode, nu, pad)
    return value, of_values, LinearMap(coordinates_pushforward, coordinates_pullback)
