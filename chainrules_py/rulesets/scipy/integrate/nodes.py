"""Nodes of Gauss's and Kronrod's rules, their places in an interval, and values there."""

from collections.abc import Iterator
from functools import cache
from itertools import repeat
from typing import Any

import numpy as np
from scipy import special

from chainrules_py.values.arrays import common_namespace
from chainrules_py.values.structure import leaves_of

# the coordinates, the innermost first; each a number, or one for each point
Point = tuple[Any, ...]
OWN = frozenset({"builtins", "numpy"})

# By the number of nodes of Gauss's rule: the nodes of Kronrod's in [-1, 1] that are not negative, and
# their weights; every second one is a node of Gauss's rule.
KRONROD: dict[int, tuple[tuple[float, ...], tuple[float, ...]]] = {
    6: (
        (
            *(0.9887032026126789, 0.932469514203152, 0.8213733408650279, 0.6612093864662645),
            *(0.4631182124753046, 0.2386191860831969, 0.0),
        ),
        (
            *(0.03039615411981977, 0.08369444044690663, 0.13732060463444692, 0.18107199432313761),
            *(0.21320965227196229, 0.2337708641169944, 0.24107258017346475),
        ),
    ),
    10: (
        (
            *(0.9956571630258081, 0.9739065285171717, 0.9301574913557082),
            *(0.8650633666889845, 0.7808177265864169, 0.6794095682990244),
            *(0.5627571346686047, 0.4333953941292472, 0.2943928627014602),
            *(0.1488743389816312, 0.0),
        ),
        (
            *(0.01169463886737187, 0.03255816230796473, 0.05475589657435200),
            *(0.07503967481091995, 0.09312545458369761, 0.1093871588022976),
            *(0.1234919762620659, 0.1347092173114733, 0.1427759385770601),
            *(0.1477391049013385, 0.1494455540029169),
        ),
    ),
}


@cache
def unit_rule(gauss: int) -> tuple[Any, Any]:
    """Nodes in [0, 1], and the weights of Kronrod's rule and of Gauss's, a row of each."""
    half, weights = map(np.array, KRONROD[gauss])
    by_gauss = np.zeros(2 * half.size - 1)
    by_gauss[1::2] = special.roots_legendre(gauss)[1]
    nodes = np.concatenate([-half, half[-2::-1]])
    return (1 + nodes) / 2, np.stack([np.concatenate([weights, weights[-2::-1]]), by_gauss]) / 2


def between(low, high, share) -> tuple[Any, Any]:
    """The points at shares of intervals, and the factors of the weights.

    An end is a number, which may be infinite, or one for each share.
    """
    if is_infinite(low) and is_infinite(high):
        u = 2 * share - 1
        return u / (1 - u * u), 2 * (1 + u * u) / (1 - u * u) ** 2
    if is_infinite(high):
        return low + share / (1 - share), 1 / (1 - share) ** 2
    if is_infinite(low):
        return high - (1 - share) / share, 1 / share**2
    width = high - low
    return low + width * share, width + np.zeros(share.shape)


def is_infinite(end) -> bool:
    """Whether a limit is an infinite number."""
    return isinstance(end, float | int) and bool(np.isinf(end))


def values_at(function, points: Point, args, takes_arrays: bool | None) -> Any:
    """The values of a function at some points."""
    if not takes_arrays:
        return together([function(*point, *args) for point in points_of(points)])
    values = function(*points, *args)
    return common_namespace([values]).broadcast_to(values, points[0].shape)


def points_of(points: Point) -> Iterator[Point]:
    """The points one by one, as numbers; without coordinates there is one point."""
    columns = [x.tolist() if type(x) is np.ndarray else list(x) for x in points]
    return zip(*columns, strict=True) if columns else repeat((), 1)


def together(values: list[Any]) -> Any:
    """Values of one shape in an array."""
    return common_namespace(values).stack(values)


def are_numpys(values) -> bool:
    """Whether numbers and arrays are Python's or NumPy's, so that we can read them."""
    return all(type(x).__module__ in OWN or callable(x) for x in leaves_of(values))
