"""The derivative of an integral as that of a sum over fixed nodes, if that is exact enough.

    integral of f(x) over x from a to b  =  sum_i w_i (b - a) f(a + (b - a) t_i)

Integrals in integrals are one sum. The nodes move with the limits, so that the derivative by them
needs no terms of its own. Where the integrand takes arrays, all nodes are evaluated at once: one
trace and one sweep, where an adaptive integral of the pullback traces the integrand at each of its
points. Nobody says whether it takes arrays: it does if the sum of what it gives for them is the
integral that SciPy found by numbers. Else it is called node by node, on one tape, at as few nodes
as will do, which stay where they are: moving nodes would be half of the tape.

The rules are those of Gauss (10 nodes in a panel) and Kronrod (21, among which are those of Gauss),
whose difference tells the error of a derivative; for numbers, 6 and 13 are tried first. Where it is
too large, or where the sum is not the integral, panels are halved (`adaptive_panels`). Where nodes
cannot be fixed, the adaptive integral gives the answer (`quadrature`). A derivative that is itself
differentiated, once, is a sum over nodes, too, which are chosen by plain values.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import HasReverseMode, RuleConfig, frule_via_ad, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates, namespace_of, pair
from chainrules_py.rulesets.scipy.integrate.jumps import (
    NODES,
    has_jumps,
    is_smooth_between,
    step_inside,
)
from chainrules_py.rulesets.scipy.integrate.kinks import kink_of
from chainrules_py.rulesets.scipy.integrate.nodes import between, unit_rule
from chainrules_py.tangents import ZERO, entries, is_zero, with_entries
from chainrules_py.values.structure import fields, is_container, rebuild

PANELS = {
    1: (1, 4, 16),
    2: (1, 3, 8),
    3: (1, 2),
}  # into how many an interval is divided at one try after the other, by dimension
MOST_CALLS = 2500  # of an integrand that takes no arrays
OPTIONS = frozenset({"epsabs", "epsrel", "limit"})  # those that say nothing of where the nodes are
SHARES = (0.2113, 0.7377)  # of other variables' ranges, where it is looked for jumps
AGREES = 100  # times the tolerance that a sum over nodes may be from the integral


@dataclass(frozen=True, eq=False)
class Nodes:
    """Points of a box whose limits may depend on each other: their coordinates, the outermost
    first, and their weights.
    """

    points: tuple[Any, ...]
    sizes: Any  # of the boxes, by which weights are multiplied
    weights: Any  # a row for each of the two rules

    def within(self, low, high, rule: tuple[Any, Any]) -> "Nodes":
        """The points with one more coordinate, between limits that are numbers or one number for
        each point.
        """
        share, rows = rule
        x, size = between(low, high, share)
        if not self.points:
            return Nodes((x,), size, rows)
        count = self.weights.shape[1]
        weights = (self.weights[:, :, None] * rows[:, None, :]).reshape(2, -1)
        points = tuple([repeated(v, share.size) for v in self.points])
        return Nodes(
            (*points, spread(x, count)),
            repeated(self.sizes, share.size) * spread(size, count),
            weights,
        )


START = Nodes((), np.ones(1), np.ones((2, 1)))


def spread(x, count: int) -> Any:
    """Points in a row, or a row of them for each of others, for all of these."""
    xp = namespace_of([x])
    return xp.reshape(x if x.ndim == 2 else xp.broadcast_to(x, (count, x.shape[0])), (-1,))


def repeated(v, count: int) -> Any:
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
    gauss: int = 10  # nodes of Gauss's rule in a panel

    def __call__(self, function, ranges, args) -> tuple[Any, ...]:
        """The two sums, by Kronrod's weights and by Gauss's; and of one panel the plain values, else
        nothing.

        Of ranges the first is the innermost one.
        """
        rule = unit_rule(self.panels, self.gauss)
        if not self.takes_arrays:
            return (*sums_by_numbers(function, ranges, args, rule), ())
        nodes = START
        for position in reversed(range(len(ranges))):
            low, high = limits(ranges[position], nodes.points[::-1], args)
            nodes = nodes.within(low, high, rule)
        values = nodes.sizes * function(*nodes.points[::-1], *args)
        is_one_panel = self.panels == len(ranges) == 1
        plain = ignore_derivatives(values) if is_one_panel else ()
        return (*[row @ values for row in nodes.weights], plain)


# --- Node by node ---


@dataclass(frozen=True, eq=False)
class Edge:
    """A limit that moves: what stands there is added as fast as it does (Leibniz), where the nodes
    stay where they are.
    """

    end: Any
    at: float  # the end as a plain number
    other: float  # the other end
    position: int  # of the variable among the ranges
    point: tuple[float, ...]  # the outer variables
    weights: Any  # of both rules, negative at a lower limit


def sums_by_numbers(function, ranges, args, rule: tuple[Any, Any]) -> tuple[Any, Any]:
    """The two sums of a function that takes numbers."""
    nodes, edges = points_and_edges(ranges, args, rule)
    weights = np.array([w for _, w in nodes]).T
    inner = weights[1] != 0
    # apart, so that a cotangent of the second sum is not taken to all nodes
    first, others = [
        together(
            [
                function(*point, *args)
                for (point, _), chosen in zip(nodes, mask, strict=True)
                if chosen
            ]
        )
        for mask in (inner.tolist(), (~inner).tolist())
    ]
    xp = namespace_of([first, others])
    exact = xp.tensordot(weights[0, inner], first, 1) + xp.tensordot(weights[0, ~inner], others, 1)
    rough = xp.tensordot(weights[1, inner], first, 1)
    if not edges:
        return exact, rough
    at_edges = np.array([value_at(edge, function, ranges, args, rule) for edge in edges]).T
    moves = together([edge.end - edge.at for edge in edges])
    xp = namespace_of([moves])
    return exact + xp.tensordot(at_edges[0], moves, 1), rough + xp.tensordot(at_edges[1], moves, 1)


def points_and_edges(ranges, args, rule: tuple[Any, Any]) -> tuple[list[Any], list[Edge]]:
    """Points of a box, the innermost coordinate first, with their weights by both rules; and the
    limits that are differentiated.
    """
    share, rows = rule
    nodes: list[tuple[tuple[float, ...], Any]] = [((), np.ones(2))]
    edges = []
    for position in reversed(range(len(ranges))):
        inside = []
        for point, weights in nodes:
            both = limits(ranges[position], point, args)
            low, high = map(constant, both)
            for end, at, other, sign in zip(both, (low, high), (high, low), (-1, 1), strict=True):
                if end is not at:
                    ends = float(at), float(other)
                    edges.append(Edge(end, *ends, position, point, sign * weights))
            x, size = between(low, high, share)
            inside += [
                ((v, *point), w)
                for v, w in zip(x.tolist(), (rows * size * weights[:, None]).T, strict=True)
            ]
        nodes = inside
    return nodes, edges


def value_at(edge: Edge, function, ranges, args, rule: tuple[Any, Any]) -> Any:
    """By how much both sums grow with a limit: the integrand there, summed over the variables
    further inside.
    """

    def sums_at(end: float) -> Any:
        at = (end, *edge.point)
        if not edge.position:
            return np.array(ignore_derivatives(function(*at, *args)))
        inner = [fixed_beside(ends, at, args) for ends in ranges[: edge.position]]
        found = sums_by_numbers(lambda *x: function(*x, *at, *args), inner, (), rule)
        return np.array([ignore_derivatives(total) for total in found])

    return edge.weights * sums_at(edge.at + step_inside(sums_at, edge.at, edge.other))


def constant(end) -> Any:
    """A limit that is not differentiated; itself, where it is a plain number."""
    return end if type(end) is float else ignore_derivatives(end)


def limits(ends, outer, args) -> Any:
    """The two limits of a variable, which may depend on outer ones."""
    return ends(*outer, *args) if callable(ends) else ends


def fixed_beside(ends, outer: tuple[float, ...], args) -> Any:
    """Limits of an inner variable, given some of the outer ones."""
    if callable(ends):
        return lambda *x: [ignore_derivatives(end) for end in limits(ends, (*x, *outer), args)]
    return [ignore_derivatives(end) for end in ends]


def together(values: list[Any]) -> Any:
    """Values of one shape in an array."""
    return namespace_of(values).stack(values)


# --- Tries, until one is exact enough ---

Point = tuple[Any, ...]
Traced = Callable[[Sum], tuple[Any, Any]]  # what a sum gives, and what is beside that


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
    dots: Any = None  # along which it is differentiated; None where it is by all that is given

    def summed(self, made: Sum) -> Callable[..., Any]:
        """The two sums as a function of the arguments of the call."""
        return lambda *given: made(*self.nested(*given))

    def tolerance(self, size: float, seed: float = 1.0) -> float:
        """The error that is allowed in a derivative of this size, along or against a seed of that
        size.
        """
        return max(float(self.options["epsabs"]) * seed, float(self.options["epsrel"]) * size)

    def near_sums(self, config: RuleConfig, seed, traced: Traced) -> Iterator[tuple[Sum, Any, Any]]:
        """The sums that are the integral and worth a try for a derivative along a seed, one after the
        other, each with what `traced` gives beside its value, and the values that were summed.
        """
        if not self.has_fixed_nodes(config, seed):
            return
        dimensions = len(self.nested(*self.given)[1])
        for panels in PANELS.get(dimensions, ()):
            made = Sum(panels, takes_arrays=True)
            try:
                with np.errstate(all="ignore"):
                    (found, _, values), beside = traced(made)
            except Exception:  # whatever an integrand raises that was not written for arrays
                found, beside, values = np.nan, None, ()
            if self.is_near(found):
                yield made, beside, values
                continue
            for made in tries_by_numbers(panels, dimensions):
                (found, *_), beside = traced(made)
                if self.is_near(found):
                    yield made, beside, ()

    def tries(self, config: RuleConfig, seed, traced: Traced) -> Iterator[tuple[Sum, Any]]:
        """The sums that are worth a try, of an integrand that does not jump.

        Over a jump in the middle of a panel a sum is exact by accident; its derivative is not.
        """
        is_smooth = False
        for made, beside, values in self.near_sums(config, seed, traced):
            is_smooth = is_smooth or (np.size(values) > 0 and is_smooth_between(values))
            is_smooth = is_smooth or not self.jumps(made.takes_arrays)
            if not is_smooth:
                return
            yield made, beside

    def jumps(self, takes_arrays: bool | None = None) -> bool:
        """Whether the integrand jumps on some lines; a jump that moves is refused."""
        found = [has_jumps(*line, self.given, self.moving, takes_arrays) for line in self.lines()]
        return any(found)

    def has_kinks(self) -> bool:
        """Whether plain values, of an integrand that takes arrays, have a kink on some line."""
        for integrand, low, high in self.lines():

            def values(shares, integrand=integrand, low=low, high=high) -> Any:
                x, size = between(low, high, shares)
                return size * integrand(x, *self.given)

            with np.errstate(all="ignore"):
                # the roundoff of straight lines looks like a kink
                if not is_smooth_between(values(NODES)) and kink_of(values) is not None:
                    return True
        return False

    def moving(self) -> Any:
        """The coordinates of the direction along which the integral is differentiated."""
        space = Coordinates(self.given)
        if self.dots is None:
            return np.ones(space.size)
        return space.vector(with_entries(tuple, dict(enumerate(self.dots))))

    def lines(self) -> Iterator[tuple[Callable[..., Any], Any, Any]]:
        """Functions of one variable and of the arguments of the call, with its limits.

        The other variables are at a share of their ranges.
        """
        _, ranges, args = self.nested(*self.given)

        def point_of(share: float, outer: Point, down_to: int) -> Point:
            while len(outer) < len(ranges) - down_to:
                ends = ranges[len(ranges) - 1 - len(outer)]
                low, high = limits(ends, outer, args)
                x, _ = between(low, high, np.array([share]))
                outer = (x[..., 0][()], *outer)
            return outer

        for share in SHARES[: 1 if len(ranges) == 1 else None]:
            for position, ends in enumerate(ranges):
                outer = point_of(share, (), position + 1)

                def on_line(x, *given, share=share, outer=outer) -> Any:
                    function, _, args = self.nested(*given)
                    return function(*point_of(share, (x, *outer), 0), *args)

                yield on_line, *limits(ends, outer, args)

    def has_fixed_nodes(self, config: RuleConfig, seed, known: frozenset[str] = OPTIONS) -> bool:
        """Whether nodes can be chosen by what the errors of a derivative along a seed are."""
        is_known = known.issuperset(self.options) and not np.ndim(self.value)
        return is_known and not config.is_active(seed) and self.is_plain(config)

    def is_plain(self, config: RuleConfig) -> bool:
        """Whether all is NumPy's and nobody else traces it, so that errors can be looked at."""
        return not config.is_active(self.given) and all(
            type(x).__module__ in OWN or callable(x) for x in leaves(self.given)
        )

    def is_near(self, found) -> bool:
        """Whether a sum is the integral that SciPy found."""
        allowed = AGREES * self.tolerance(float(np.abs(self.value)))
        return np.ndim(found) == 0 and bool(np.abs(found - self.value) <= allowed)

    def is_exact(self, found, other, seed: float) -> bool:
        """Whether a derivative is near enough to the integral, given what both rules say of it."""
        size, apart = float(np.linalg.norm(found)), float(np.linalg.norm(found - other))
        estimate = min(apart, size * (200 * apart / size) ** 1.5) if size else apart
        return estimate <= self.tolerance(size, seed)


def tries_by_numbers(panels: int, dimensions: int) -> Iterator[Sum]:
    """The sums over nodes one by one, from the fewest nodes on, that are not too long."""
    for gauss in (6, 10) if panels == 1 else (10,):
        if ((2 * gauss + 1) * panels) ** dimensions <= MOST_CALLS:
            yield Sum(panels, takes_arrays=False, gauss=gauss)


OWN = frozenset({"builtins", "numpy"})


def leaves(x) -> Iterator[Any]:
    """The values in containers of any nesting, one by one."""
    if is_container(x):
        for part in fields(x).values():
            yield from leaves(part)
    else:
        yield x


def pulled_back(config: RuleConfig, integral: Integral, y_bar) -> tuple[Any, ...] | None:
    """The cotangents of the arguments of the call; None where no sum is exact enough."""
    if config.is_active((integral.given, y_bar)):
        made = sum_of_traced(config, integral, y_bar)
        if made is None:
            return None
        _, pull = rrule_via_ad(config, integral.summed(made), *integral.given)
        return tuple(pull(for_first(y_bar)))

    def traced(made: Sum) -> tuple[Any, Any]:
        return rrule_via_ad(config, integral.summed(made), *integral.given)

    space = Coordinates(integral.given)
    for _, pull in integral.tries(config, y_bar, traced):
        exact, rough = pull(for_first(y_bar)), pull(for_second(y_bar))
        found, other = [
            space.vector(with_entries(tuple, dict(enumerate(bars)))) for bars in (exact, rough)
        ]
        if integral.is_exact(found, other, float(np.linalg.norm(y_bar))):
            return tuple(exact)
    return None


def for_first(y_bar) -> Any:
    """The cotangent of both sums and the values that is one of the first sum."""
    return with_entries(tuple, {0: y_bar, 1: ZERO, 2: ZERO})


def for_second(y_bar) -> Any:
    """The cotangent of both sums and the values that is one of the second sum."""
    return with_entries(tuple, {0: ZERO, 1: y_bar, 2: ZERO})


# --- Derivatives that are differentiated again ---


def sum_of_traced(config: RuleConfig, integral: Integral, seed) -> Sum | None:
    """The sum over nodes for a derivative that is differentiated; None where none is known to do.

    It is chosen by plain values: the second derivatives by both rules agree along a direction. Of
    third ones nothing is known. Nodes that stay where they are, as those of an integrand that takes
    no arrays, have first derivatives only.
    """
    if not isinstance(config, HasReverseMode) or config.is_active_twice((integral.given, seed)):
        return None
    given, value = plain_leaves(integral.given), ignore_derivatives(integral.value)
    plain = Integral(integral.nested, given, value, integral.options)
    for made, _ in plain.tries(config, 1.0, lambda made: (plain.summed(made)(*given), None)):
        if not made.takes_arrays or not is_exact_to_second_order(config, plain, made):
            continue
        return None if plain.has_kinks() else made
    return None


def plain_leaves(x) -> Any:
    """A value of any nesting with plain numbers and arrays; a function beside what it captures stays
    one, so that it may be differentiated by that.
    """
    if is_container(x):
        return rebuild(x, {key: plain_leaves(part) for key, part in fields(x).items()})
    return x if callable(x) else ignore_derivatives(x)


def is_exact_to_second_order(config: RuleConfig, integral: Integral, made: Sum) -> bool:
    """Whether both rules give the same first and second derivatives, as exactly as is asked."""
    space = Coordinates(integral.given)
    direction = np.cos(np.arange(space.size))

    def bars(*given):
        _, pull = rrule_via_ad(config, integral.summed(made), *given)
        first, second = [
            space.vector(with_entries(tuple, dict(enumerate(pull(seeds)))))
            for seeds in (for_first(1.0), for_second(1.0))
        ]
        return first, second

    (exact, rough), pull = rrule_via_ad(config, bars, *integral.given)
    if not integral.is_exact(exact, rough, 1.0):
        return False
    found, other = [
        space.vector(with_entries(tuple, dict(enumerate(pull(seeds)))))
        for seeds in (pair(direction, ZERO), pair(ZERO, direction))
    ]
    return integral.is_exact(found, other, 1.0)


def pushed_forward(config: RuleConfig, integral: Integral, dots: tuple[Any, ...]):
    """The tangent of the integral along those of the arguments of the call.

    It is None where no sum is exact enough.
    """
    moving = integral.moving()
    if config.is_active((integral.given, moving)):
        made = sum_of_traced(config, integral, moving)
        if made is None:
            return None
        _, y_dot = frule_via_ad(config, dots, integral.summed(made), *integral.given)
        return y_dot if is_zero(y_dot) else entries(y_dot).get(0, ZERO)

    def traced(made: Sum) -> tuple[Any, Any]:
        return frule_via_ad(config, dots, integral.summed(made), *integral.given)

    for _, y_dot in integral.tries(config, moving, traced):
        if is_zero(y_dot):
            return y_dot
        exact, rough = [entries(y_dot).get(k, ZERO) for k in (0, 1)]
        if is_zero(exact) or integral.is_exact(exact, rough, 1.0):
            return exact
    return None
