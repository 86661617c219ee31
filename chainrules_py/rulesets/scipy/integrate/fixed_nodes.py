"""The derivative of an integral as that of a sum over fixed nodes, if that is exact enough.

    integral of f(x) over x from a to b  =  sum_i w_i (b - a) f(a + (b - a) t_i)

The nodes move with the limits, so that the derivative by them needs no terms of its own; integrals
in integrals are one sum. Where the integrand takes arrays, all nodes are evaluated at once: one
trace and one sweep, where an adaptive integral of the pullback traces the integrand at each of its
points. Nobody says whether it takes arrays: it does if the sum of what it gives for them is the
integral that SciPy found by numbers. Else it is called node by node, on one tape.

The rules are those of Gauss (10 nodes in a panel) and Kronrod (21, among which are those of Gauss),
whose difference tells the error of a derivative. Where it is too large, and where nodes cannot be
fixed, there is no answer here, and the adaptive integral gives it (`quadrature`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from chainrules_py.rules.config import RuleConfig, frule_via_ad, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates, namespace_of
from chainrules_py.tangents import is_zero, with_entries
from chainrules_py.values.structure import fields, is_container

# The nodes of the rule of 21 in [-1, 1] that are not negative, and their weights; every second one
# is a node of Gauss's rule.
KRONROD_NODES = (
    *(
        0.9956571630258081,
        0.9739065285171717,
        0.9301574913557082,
        0.8650633666889845,
        0.7808177265864169,
        0.6794095682990244,
    ),
    *(0.5627571346686047, 0.4333953941292472, 0.2943928627014602, 0.1488743389816312, 0.0),
)
KRONROD_WEIGHTS = (
    *(
        0.01169463886737187,
        0.03255816230796473,
        0.05475589657435200,
        0.07503967481091995,
        0.09312545458369761,
    ),
    *(
        0.1093871588022976,
        0.1234919762620659,
        0.1347092173114733,
        0.1427759385770601,
        0.1477391049013385,
        0.1494455540029169,
    ),
)
PANELS = {
    1: (1, 4, 16),
    2: (1, 3, 8),
    3: (1, 2),
}  # into how many an interval is divided at one try after the other, by dimension
MOST_CALLS = 1500  # of an integrand that takes no arrays
OPTIONS = frozenset({"epsabs", "epsrel", "limit"})  # those that say nothing of where the nodes are
AGREES = 100  # times the tolerance that a sum over nodes of arrays may be from the integral


@cache
def unit_rule(panels: int) -> tuple[Any, Any]:
    """Nodes in [0, 1], and the weights of Kronrod's rule and of Gauss's, a row of each."""
    half, weights = np.array(KRONROD_NODES), np.array(KRONROD_WEIGHTS)
    nodes = np.concatenate([-half, half[-2::-1]])
    by_gauss = np.zeros(nodes.size)
    by_gauss[1::2] = special.roots_legendre(10)[1]
    rows = np.stack([np.concatenate([weights, weights[-2::-1]]), by_gauss]) / 2
    starts = np.arange(panels)[:, None]
    return ((starts + (1 + nodes) / 2) / panels).reshape(-1), np.tile(rows, panels) / panels


@dataclass(frozen=True, eq=False)
class Nodes:
    """Points of a box whose limits may depend on each other: their coordinates, the outermost
    first, and their weights.
    """

    points: tuple[Any, ...]
    sizes: Any  # of the boxes, by which weights are multiplied
    weights: Any  # a row for each of the two rules

    def within(self, low: Any, high: Any, panels: int) -> "Nodes":
        """The points with one more coordinate, between limits that are numbers or one number for
        each point.
        """
        share, rows = unit_rule(panels)
        x, size = between(low, high, share)
        count = self.weights.shape[1]
        weights = (self.weights[:, :, None] * rows[:, None, :]).reshape(2, -1)
        points = tuple([repeated(v, share.size) for v in self.points])
        return Nodes(
            (*points, spread(x, count)),
            repeated(self.sizes, share.size) * spread(size, count),
            weights,
        )


START = Nodes((), np.ones(1), np.ones((2, 1)))


def between(low: Any, high: Any, share: Any) -> tuple[Any, Any]:
    """Points at shares of intervals, a row for each, and what the weights are multiplied by.

    An end may be infinite.
    """
    if is_infinite(low) and is_infinite(high):
        u = 2 * share - 1
        return u / (1 - u * u), 2 * (1 + u * u) / (1 - u * u) ** 2
    if is_infinite(high):
        return at_each(low) + share / (1 - share), 1 / (1 - share) ** 2
    if is_infinite(low):
        return at_each(high) - (1 - share) / share, 1 / share**2
    width = at_each(high - low)
    return at_each(low) + width * share, width + np.zeros(share.shape)


def is_infinite(end: Any) -> bool:
    """Whether a limit is an infinite number."""
    return isinstance(end, float | int) and bool(np.isinf(end))


def at_each(v: Any) -> Any:
    """Numbers in a column; a single one as it is."""
    return v[:, None] if getattr(v, "ndim", 0) else v


def spread(x: Any, count: int) -> Any:
    """Points in a row, or a row of them for each of others, for all of these."""
    xp = namespace_of([x])
    return xp.reshape(x if x.ndim == 2 else xp.broadcast_to(x, (count, x.shape[0])), (-1,))


def repeated(v: Any, count: int) -> Any:
    """Each of some numbers so many times."""
    xp = namespace_of([v])
    return xp.reshape(xp.broadcast_to(v[:, None], (v.shape[0], count)), (-1,))


@dataclass(frozen=True, eq=False)
class Sum:
    """How an integral is summed.

    It has panels per interval, and says whether the functions among its arguments take arrays.
    """

    panels: int
    takes_arrays: bool

    def __call__(self, function: Any, ranges: Any, args: Any) -> Any:
        """The two sums, by Kronrod's weights and by Gauss's.

        Of ranges the first is the innermost one.
        """
        nodes = START
        for position in reversed(range(len(ranges))):
            ends = ranges[position]
            low, high = self.limits(ends, nodes.points[::-1], args) if callable(ends) else ends
            nodes = nodes.within(low, high, self.panels)
        values = self.values(function, nodes, args)
        xp = namespace_of([values, nodes.sizes])
        weights = nodes.weights * nodes.sizes
        return xp.tensordot(weights, values, 1)

    def limits(self, ends: Any, outer: tuple[Any, ...], args: Any) -> tuple[Any, Any]:
        """The limits of an inner variable at all points of the outer ones."""
        if self.takes_arrays:
            low, high = ends(*outer, *args)
            return low, high
        found = [ends(*point, *args) for point in each_of(outer)]
        low, high = ([one[k] for one in found] for k in (0, 1))
        return together(low), together(high)

    def values(self, function: Any, nodes: Nodes, args: Any) -> Any:
        """The integrand at all nodes."""
        points = nodes.points[::-1]
        count = nodes.weights.shape[1]
        if not self.takes_arrays:
            return together([function(*point, *args) for point in each_of(points)])
        values = function(*points, *args)
        return namespace_of([values]).broadcast_to(values, (count,))


def each_of(points: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Points one by one, from their coordinates."""
    columns = [
        v.tolist() if type(v) is np.ndarray else [v[k] for k in range(v.shape[0])] for v in points
    ]
    return zip(*columns, strict=True)


def together(values: list[Any]) -> Any:
    """Values of one shape in an array."""
    return namespace_of(values).stack(values)


# --- Tries, until one is exact enough ---


@dataclass(frozen=True, eq=False)
class Integral:
    """An integral that SciPy has computed.

    `nested` makes of the arguments of the call the integrand, its ranges, the innermost first, and
    further arguments.
    """

    nested: Callable[..., tuple[Any, Any, Any]]
    given: tuple[Any, ...]
    value: Any
    options: dict[str, Any]

    def summed(self, made: Sum) -> Callable[..., Any]:
        """The two sums as a function of the arguments of the call."""
        return lambda *given: made(*self.nested(*given))

    def tolerance(self, size: float, seed: float = 1.0) -> float:
        """The error that is allowed in a derivative of this size, along or against a seed of that
        size.
        """
        return max(float(self.options["epsabs"]) * seed, float(self.options["epsrel"]) * size)

    def tries(self, config: RuleConfig, seed: Any) -> Iterator[Sum]:
        """The sums that are worth a try for a derivative along a seed, one after the other."""
        if (
            not OPTIONS.issuperset(self.options)
            or config.is_active(seed)
            or not self.is_plain(config)
        ):
            return
        dimensions = len(self.nested(*self.given)[1])
        for panels in PANELS.get(dimensions, ()):
            made = Sum(panels, takes_arrays=True)
            if self.agrees(made):
                yield made
            elif (21 * panels) ** dimensions <= MOST_CALLS:
                yield Sum(panels, takes_arrays=False)

    def is_plain(self, config: RuleConfig) -> bool:
        """Whether all is NumPy's and nobody else traces it, so that errors can be looked at."""
        return not config.is_active(self.given) and all(
            type(x).__module__ in OWN or callable(x) for x in leaves(self.given)
        )

    def agrees(self, made: Sum) -> bool:
        """Whether a sum over arrays of nodes is the integral that numbers gave."""
        if np.ndim(self.value):
            return False
        try:
            with np.errstate(all="ignore"):
                found = self.summed(made)(*self.given)[0]
        except Exception:  # whatever an integrand raises that was not written for arrays
            return False
        return bool(
            np.abs(found - self.value) <= AGREES * self.tolerance(float(np.abs(self.value)))
        )

    def is_exact(self, found: Any, other: Any, seed: float) -> bool:
        """Whether a derivative is near enough to the integral, given what both rules say of it."""
        size, apart = float(np.linalg.norm(found)), float(np.linalg.norm(found - other))
        estimate = min(apart, size * (200 * apart / size) ** 1.5) if size else apart
        return estimate <= self.tolerance(size, seed)


OWN = frozenset({"builtins", "numpy"})


def leaves(x: Any) -> Iterator[Any]:
    """The values in containers of any nesting, one by one."""
    if is_container(x):
        for part in fields(x).values():
            yield from leaves(part)
    else:
        yield x


def pulled_back(config: RuleConfig, integral: Integral, y_bar: Any) -> tuple[Any, ...] | None:
    """The cotangents of the arguments of the call; None where no sum is exact enough."""
    space = Coordinates(integral.given)
    for made in integral.tries(config, y_bar):
        value, pull = rrule_via_ad(config, integral.summed(made), *integral.given)
        exact, rough = [pull(seeded(value, k, y_bar)) for k in (0, 1)]
        found, other = [
            space.vector(with_entries(tuple, dict(enumerate(bars)))) for bars in (exact, rough)
        ]
        if integral.is_exact(found, other, float(np.linalg.norm(y_bar))):
            return tuple(exact)
    return None


def seeded(value: Any, k: int, y_bar: Any) -> Any:
    """The cotangent of the two sums that belongs to one of them."""
    seed = np.zeros(value.shape, value.dtype)
    seed[k] = y_bar
    return seed


def pushed_forward(config: RuleConfig, integral: Integral, dots: tuple[Any, ...]) -> Any:
    """The tangent of the integral along those of the arguments of the call.

    It is None where no sum is exact enough.
    """
    for made in integral.tries(config, dots):
        _, y_dot = frule_via_ad(config, dots, integral.summed(made), *integral.given)
        if is_zero(y_dot) or integral.is_exact(y_dot[0], y_dot[1], 1.0):
            return y_dot if is_zero(y_dot) else y_dot[0]
    return None
