"""An integral as a sum over nodes, which is differentiated instead of SciPy's program.

    integral of f(x) over x from a to b  =  sum_i w_i (b - a) f(a + (b - a) t_i)

`Nodes.totals` is that sum, by the weights of Kronrod and by those of Gauss, whose difference tells
the error. It has the derivatives of any program, in both modes, and its nodes move with the limits.
The t_i and w_i are chosen by plain numbers (`Search`): at first one panel is all. Where its derivative
is not exact enough, panels are halved until the integrand, and its difference once the arguments are
changed a little, are summed as exactly as is asked for; then each is divided into some more. Panels
are divided at a kink, if the integrand shows one (`kinks`). Of a derivative that is differentiated
itself, the second one by plain numbers decides.

Integrals in integrals are one sum. The panels of an inner variable are halved for all points of the
outer ones together. An integrand that takes arrays is called once for all nodes. Nobody says whether
it does: it does if the sum of what it gives for them is the integral that SciPy found by numbers. Else
it is called node by node, at fewer of them. Where no sum does, or the integrand jumps between limits
that move, the adaptive integral gives the answer (`quadrature`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import HasReverseMode, RuleConfig, frule_via_ad, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates, pair
from chainrules_py.rulesets.scipy.integrate.jumps import (
    NODES,
    changed_arguments,
    has_jumps,
    is_smooth_between,
)
from chainrules_py.rulesets.scipy.integrate.kinks import kink_of, kinks_of
from chainrules_py.rulesets.scipy.integrate.nodes import (
    Point,
    are_numpys,
    between,
    points_of,
    together,
    unit_rule,
    values_at,
)
from chainrules_py.tangents import ZERO, is_zero, with_entries
from chainrules_py.values.structure import mapped

OPTIONS = frozenset(
    {"epsabs", "epsrel", "limit", "points"}
)  # those that leave the integrand as it is
MOST_PANELS = 400  # of one integral
NARROWEST = 2.0**-46  # of the interval, beyond which a panel is not halved
BELIEVED = 128.0  # by how much the error may shrink where a panel is halved
SHARPER = 0.1  # the tolerance of an inner integral in that of the outer one, which sees its noise
SHIFT = 1e-6  # by how much arguments are changed for a difference, as a part of them
DIFFERENCE = np.array([[1.0, -1.0], [0.0, 1.0]])  # the first of two values, and their difference
SIZES = np.array([1.0, SHIFT])  # of these where value and derivative are 1
ROUNDOFF = 1e-14  # of the integral, which its difference has
PARTS = (
    0,
    1,
    2,
    4,
    8,
)  # of each panel that is searched for, in one try after the other; at first one panel is all
AGREES = 100  # times the tolerance that a sum over nodes may be from the integral
SHARES = (0.2113, 0.7377)  # of other variables' ranges, where it is looked for jumps
FIRST, SECOND = np.eye(2)  # the cotangents of both sums

Call = tuple[Any, Any, Any]  # an integrand, its ranges, the innermost first, and further arguments


class NotConverged(Exception):
    """Raised when panels have become too many or too narrow."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of an integral: for each variable, outermost first, shares of its range and the
    outer point of each; and the weights of both rules.
    """

    variables: tuple[tuple[Any, Any], ...]
    weights: Any
    takes_arrays: bool

    def totals(self, function, ranges, args) -> Any:
        """The sums over all nodes by Kronrod's weights and by Gauss's."""
        points: Point = ()
        sizes: Any = np.ones(1)
        for ends, (shares, owners) in zip(reversed(ranges), self.variables, strict=True):
            x, size = inside(ends, points, args, shares, owners, self.takes_arrays)
            sizes = sizes[owners] * size
            points = (x, *[v[owners] for v in points])
        return self.weights @ (sizes * values_at(function, points, args, self.takes_arrays))


def inside(ends, outer: Point, args, shares, owners, takes_arrays: bool) -> tuple[Any, Any]:
    """The points at given shares of a variable's ranges, and the sizes of these ranges."""
    if not callable(ends) or takes_arrays:
        low, high = limits(ends, outer, args)
    else:
        each = [limits(ends, point, args) for point in points_of(outer)]
        low, high = [together(list(end)) for end in zip(*each, strict=True)]
    low, high = [end[owners] if np.ndim(end) else end for end in (low, high)]
    return between(low, high, shares)


def limits(ends, outer: Point, args) -> Any:
    """The two limits of a variable, which may depend on outer ones."""
    return ends(*outer, *args) if callable(ends) else ends


# --- Where the nodes are ---


@dataclass(frozen=True, eq=False)
class Panels:
    """Parts of the ranges of one variable: begin and width as shares of the range, the outer point
    of each, and its sum with an error.
    """

    starts: Any
    widths: Any
    owners: Any
    sums: Any = None
    errors: Any = None

    def parts(self) -> tuple[Any, ...]:
        """What is known of the panels, a row for each."""
        return self.starts, self.widths, self.owners, self.sums, self.errors

    def divided(self, count: int) -> "Panels":
        """Panels, without their sums, each divided into some."""
        widths = np.repeat(self.widths / count, count)
        starts = (
            np.repeat(self.starts, count) + np.tile(np.arange(count), self.starts.size) * widths
        )
        return Panels(starts, widths, np.repeat(self.owners, count))

    def at(self, shares) -> tuple[Any, Any]:
        """The shares of the ranges at shares of each panel, and to which point they belong."""
        of_range = self.starts[:, None] + self.widths[:, None] * shares
        return of_range.reshape(-1), np.repeat(self.owners, of_range.shape[1])


@dataclass(frozen=True, eq=False)
class Search:
    """The search for nodes of an integral of plain numbers, for its arguments and for slightly
    changed ones.
    """

    calls: list[Call]
    options: dict[str, Any]
    takes_arrays: bool

    @np.errstate(all="ignore")
    def nodes(self, parts: int) -> Nodes | None:
        """The nodes, with each needed panel divided into so many parts; None if there are too many."""
        try:
            return self.found(parts)
        except Exception:  # whatever an integrand raises that was not written for arrays
            return None

    def found(self, parts: int) -> Nodes:
        """The nodes, those of the outermost variable first."""
        share, rows = self.rule()
        outer: tuple[Point, ...] = ((),) * len(self.calls)
        variables: list[tuple[Any, Any]] = []
        weights = np.ones((2, 1))
        for position in reversed(range(len(self.calls[0][1]))):
            panels = self.first_panels(position, weights.shape[1])
            if parts:
                panels = self.panels(position, outer, SHARPER ** len(variables))[0].divided(parts)
            shares, owners = panels.at(share)
            of_panels = panels.widths[:, None] * rows[:, None, :]
            weights = weights[:, owners] * of_panels.reshape(2, -1)
            variables.append((shares, owners))
            outer, _ = self.points(position, outer, shares, owners)
        return Nodes(tuple(variables), weights, self.takes_arrays)

    def rule(self) -> tuple[Any, Any]:
        """The nodes of a panel, fewer where each is a call, and their weights by both rules."""
        return unit_rule(10 if self.takes_arrays else 6)

    def panels(self, position: int, outer: tuple[Point, ...], share: float) -> tuple[Panels, Any]:
        """The panels of a variable for each outer point, and the sums over these.

        Their error may be this share of the tolerance.
        """
        count = len(outer[0][0]) if outer[0] else 1
        panels = self.summed(position, outer, self.first_panels(position, count), share)
        while True:
            totals, errors, allowed = self.of_owners(panels, count, share)
            if not np.isfinite(errors).all():
                raise NotConverged
            each = allowed / np.bincount(panels.owners)[:, None] / 2
            is_divided = (errors > allowed)[panels.owners] & (panels.errors > each[panels.owners])
            which = is_divided.any(axis=1)
            if not which.any():
                return panels, totals
            divided = Panels(*[part[which] for part in panels.parts()])
            if which.size > MOST_PANELS * count or divided.widths.min() < NARROWEST:
                raise NotConverged
            halves = self.halves(position, outer, divided, share)
            kept = [part[~which] for part in panels.parts()]
            panels = Panels(*map(np.concatenate, zip(kept, halves.parts(), strict=True)))

    def of_owners(self, panels: Panels, count: int, share: float) -> tuple[Any, Any, Any]:
        """The sum over the panels of each outer point, its error, and the error that is allowed."""
        totals, errors = np.zeros((2, count, 2))
        np.add.at(totals, panels.owners, panels.sums)
        np.add.at(errors, panels.owners, panels.errors)
        sizes = np.abs(totals @ DIFFERENCE).max(axis=0)
        allowed = np.maximum(self.options["epsabs"] * SIZES, self.options["epsrel"] * sizes)
        noise = ROUNDOFF * np.abs(panels.sums).max()
        return totals, errors, share * np.maximum(allowed, noise)

    def first_panels(self, position: int, count: int) -> Panels:
        """The panels to begin with, divided at the points of the call."""
        edges = np.array([0.0, 1.0])
        if self.options.get("points") is not None:
            low, high = self.calls[0][1][position]
            places = (np.array(ignore_derivatives(self.options["points"])) - low) / (high - low)
            edges = np.unique([*edges, *places[(places > 0) & (places < 1)]])
        owners = np.repeat(np.arange(count), edges.size - 1)
        return Panels(np.tile(edges[:-1], count), np.tile(np.diff(edges), count), owners)

    def halves(self, position: int, outer, divided: Panels, share: float) -> Panels:
        """Both parts of panels, which are divided at a kink, if there is one, or in the middle.

        Where a derivative jumps, the rules may agree by accident. But one of the halves has half of
        the error then, so that much less is not believed at once.
        """
        places = self.kinks(position, outer, divided)
        has_kink = ~np.isnan(places)
        left = divided.widths * np.where(has_kink, places, 0.5)
        parts = Panels(
            np.concatenate([divided.starts, divided.starts + left]),
            np.concatenate([left, divided.widths - left]),
            np.tile(divided.owners, 2),
        )
        found = self.summed(position, outer, parts, share)
        least = np.where(has_kink, 0.0, divided.errors.T / BELIEVED).T
        return replace(found, errors=np.maximum(found.errors, np.tile(least, (2, 1))))

    def kinks(self, position: int, outer, panels: Panels) -> Any:
        """Where in each panel the integrand has a kink; nowhere, if its values are integrals."""
        if position:
            return np.full(panels.starts.shape, np.nan)

        def values(shares) -> Any:
            found = self.values(position, outer[:1], *panels.at(shares), 1.0)
            return found.reshape(shares.shape)

        return kinks_of(values, panels.starts.size)

    def summed(self, position: int, outer, panels: Panels, share: float) -> Panels:
        """Panels with their sums and the errors of these, as QUADPACK estimates them."""
        nodes, rows = self.rule()
        values = self.values(position, outer, *panels.at(nodes), share)
        values = values.reshape(-1, nodes.size, len(outer))
        exact, rough = [panels.widths[:, None] * (row @ values) for row in rows]
        size, apart = [np.abs(v @ DIFFERENCE) for v in (exact, exact - rough)]
        return replace(panels, sums=exact, errors=error_of(size, apart))

    def values(self, position: int, outer, shares, owners, share: float) -> Any:
        """The integrand of a variable, or the integral over inner variables, a column for each
        call.
        """
        points, sizes = self.points(position, outer, shares, owners)
        if position:
            return sizes * self.panels(position - 1, points, SHARPER * share)[1]
        found = [
            values_at(function, beside, args, self.takes_arrays)
            for (function, _, args), beside in zip(self.calls, points, strict=False)
        ]
        return sizes * np.stack(found, axis=-1)

    def points(self, position: int, outer, shares, owners) -> tuple[tuple[Point, ...], Any]:
        """For each call, the points at shares of a variable's ranges, beside the outer points, and
        the sizes of the ranges.
        """
        points, sizes = [], []
        for (_, ranges, args), beside in zip(self.calls, outer, strict=False):
            x, size = inside(ranges[position], beside, args, shares, owners, self.takes_arrays)
            points.append((x, *[v[owners] for v in beside]))
            sizes.append(size)
        return tuple(points), np.stack(sizes, axis=-1)


def error_of(size, apart) -> Any:
    """The error of a sum of some size, as QUADPACK estimates it from how far both rules are apart."""
    estimate = size * (200 * apart / np.where(size == 0, 1.0, size)) ** 1.5
    return np.where(size == 0, apart, np.minimum(apart, estimate))


# --- The derivative of an integral ---


@dataclass(frozen=True, eq=False)
class Integral:
    """An integral that SciPy has computed.

    `nested` makes of the arguments of the call the integrand, its ranges, the innermost first, and
    further arguments.
    """

    nested: Callable[..., Call]
    given: tuple[Any, ...]
    value: Any
    options: dict[str, Any]
    dots: Any = None  # along which it is differentiated; None where it is by all that is given

    def pulled_back(self, config: RuleConfig, y_bar) -> tuple[Any, ...] | None:
        """The cotangents of the arguments of the call; None where no sum is exact enough."""
        for sums in self.tries(config, y_bar):
            _, pull = rrule_via_ad(config, sums, *self.given)
            bars = pull(FIRST * y_bar)
            if config.is_active((self.given, y_bar)):
                return tuple(bars)
            exact, rough = [vector_of(self.given, each) for each in (bars, pull(SECOND * y_bar))]
            if self.is_exact(exact, rough, float(np.abs(y_bar))):
                return tuple(bars)
        return None

    def pushed_forward(self, config: RuleConfig) -> Any:
        """The tangent of the integral along `dots`; None where no sum is exact enough."""
        moving = self.moving()
        for sums in self.tries(config, moving):
            _, y_dot = frule_via_ad(config, self.dots, sums, *self.given)
            if is_zero(y_dot):
                return y_dot
            if config.is_active((self.given, moving)) or self.is_exact(*y_dot):
                return y_dot[0]
        return None

    def tries(self, config: RuleConfig, seed) -> Iterator[Function]:
        """Yield sums by both rules, to try for a derivative along a seed.

        A derivative that is differentiated cannot be looked at: of plain numbers, the second one is.
        """
        is_active = config.is_active((self.given, seed))
        if not OPTIONS.issuperset(self.options) or np.ndim(self.value):
            return
        if is_active and (
            not isinstance(config, HasReverseMode) or config.is_active_twice((self.given, seed))
        ):
            return
        given, value = plain_leaves(self.given), ignore_derivatives(self.value)
        # of a derivative that is differentiated all that is given moves
        plain = replace(self, given=given, value=value, dots=None if is_active else self.dots)
        if not are_numpys(plain.given):
            return
        for nodes in plain.nodes(is_active):
            if not is_active or plain.is_exact_to_second_order(config, nodes):
                yield self.by(nodes)

    def by(self, nodes: Nodes) -> Function:
        """The integral as a program of its arguments."""
        return lambda *given: nodes.totals(*self.nested(*given))

    def nodes(self, is_active: bool) -> Iterator[Nodes]:
        """The nodes of an integral of plain numbers, fewest first."""
        for takes_arrays in (True, False):
            is_looked_at = False
            for parts in PARTS:
                calls = [self.given, self.changed] if parts else [self.given]
                nodes = Search(
                    [self.nested(*given) for given in calls], self.options, takes_arrays
                ).nodes(parts)
                is_near = self.is_near(nodes)
                # where numbers take time, before it is searched
                if not is_looked_at and (is_near or not takes_arrays):
                    is_looked_at = True
                    if self.jumps_between_limits(takes_arrays) or (
                        is_active and self.has_kinks(takes_arrays)
                    ):
                        return
                if is_near and nodes is not None:
                    yield nodes
                elif parts:
                    break
            if is_looked_at:
                return

    @cached_property
    def changed(self) -> tuple[Any, ...]:
        """The arguments of the call, changed a little where they have a tangent."""
        return changed_arguments(self.given, self.moving(), SHIFT)

    @np.errstate(all="ignore")
    def is_near(self, nodes: Nodes | None) -> bool:
        """Whether a sum is the integral that SciPy found."""
        try:
            found = np.inf if nodes is None else self.by(nodes)(*self.given)[0]
        except Exception:  # as above
            return False
        return bool(
            np.abs(found - self.value) <= AGREES * self.tolerance(float(np.abs(self.value)))
        )

    def jumps_between_limits(self, takes_arrays: bool) -> bool:
        """Whether the integrand jumps on some line, and nodes move over the jump with the limits; a
        jump that moves itself is refused.
        """
        found = [has_jumps(*line, self.given, self.moving, takes_arrays) for line in self.lines()]
        if not any(found):
            return False
        others = replace(self, given=self.changed).lines()
        return any(line[1:] != other[1:] for line, other in zip(self.lines(), others, strict=True))

    @np.errstate(all="ignore")
    def has_kinks(self, takes_arrays: bool) -> bool:
        """Whether the integrand has a kink on some line."""
        for integrand, low, high in self.lines():

            def values(shares, integrand=integrand, low=low, high=high) -> Any:
                x, size = between(low, high, shares)
                return size * values_at(integrand, (x,), self.given, takes_arrays)

            # the roundoff of straight lines looks like a kink
            if not is_smooth_between(values(NODES)) and kink_of(values) is not None:
                return True
        return False

    def is_exact_to_second_order(self, config: RuleConfig, nodes: Nodes) -> bool:
        """Whether both rules give the same first and second derivatives, to the tolerance."""

        def vectors(*given) -> Any:
            _, pull = rrule_via_ad(config, self.by(nodes), *given)
            exact, rough = [vector_of(self.given, pull(unit)) for unit in (FIRST, SECOND)]
            return exact, rough

        first, pull = rrule_via_ad(config, vectors, *self.given)
        direction = np.cos(np.arange(first[0].size))
        seeds = pair(direction, ZERO), pair(ZERO, direction)
        second = [vector_of(self.given, pull(each)) for each in seeds]
        return self.is_exact(*first) and self.is_exact(*second)

    def is_exact(self, found, other, seed: float = 1.0) -> bool:
        """Whether both rules give the same derivative, to the tolerance."""
        size = float(np.linalg.norm(found))
        error = error_of(size, float(np.linalg.norm(found - other)))
        return bool(error <= self.tolerance(size, seed))

    def tolerance(self, size: float, seed: float = 1.0) -> float:
        """The error that is allowed in an integral of this size, or against a seed of that size."""
        return max(float(self.options["epsabs"]) * seed, float(self.options["epsrel"]) * size)

    def moving(self) -> Any:
        """The coordinates of the direction along which the integral is differentiated."""
        if self.dots is None:
            return np.ones(Coordinates(self.given).size)
        return vector_of(self.given, self.dots)

    def lines(self) -> Iterator[tuple[Function, Any, Any]]:
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


def vector_of(given: tuple[Any, ...], tangents) -> Any:
    """The coordinates of the tangents of the arguments of a call."""
    return Coordinates(given).vector(with_entries(tuple, dict(enumerate(tangents))))


def plain_leaves(x) -> Any:
    """A container with plain numbers and arrays; functions keep what they capture, so that this can
    be differentiated.
    """
    return mapped(lambda leaf: leaf if callable(leaf) else ignore_derivatives(leaf), x)
