"""The derivative of an integral by panels that are halved where its integrand bends.

An integrand with a kink, such as ``abs`` or ``max``, has a derivative that jumps. No fixed nodes sum
that exactly enough (`fixed_nodes`), and integrals of traced integrals take minutes. Here each panel
is summed on a small tape of its own, with nodes that stay where they are, and what comes back is a
plain vector, the derivative along the seed. Only panels whose two sums, Kronrod's and Gauss's,
disagree are divided: at a kink, which is looked for among plain values of the integrand (`kinks`), else
in the middle. Of integrals in integrals, the outer one adds up such vectors of the inner one.

Limits that move add the integrand there, as fast as they do (Leibniz).
"""

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import RuleConfig, frule_via_ad, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates, namespace_of
from chainrules_py.rulesets.scipy.integrate.fixed_nodes import (
    OPTIONS,
    Integral,
    limits,
    together,
)
from chainrules_py.rulesets.scipy.integrate.jumps import is_vectorized, step_inside
from chainrules_py.rulesets.scipy.integrate.kinks import kink_of
from chainrules_py.rulesets.scipy.integrate.nodes import between, unit_rule
from chainrules_py.tangents import ZERO, entries, is_zero, materialize, with_entries

GAUSS = 10  # nodes of Gauss's rule in a panel, of Kronrod's 21: as SciPy has them
MOST_PANELS = 400  # of one integral; a jump is enclosed by 2 for each of about 27 halvings
NARROWEST = 2.0**-46  # of the interval, beyond which a panel is not halved
BELIEVED = 64.0  # by how much the error may shrink where a panel is halved
SHARPER = 0.1  # the tolerance of an inner integral in that of the outer one, which sees its noise

KNOWN = OPTIONS | {"points"}

Point = tuple[float, ...]
Sums = Callable[..., tuple[Any, ...]]  # of the arguments of the call, some numbers
Differentiate = Callable[[Sums], tuple[Any, Any]]  # the numbers, and a row of derivatives for each


class NotConverged(Exception):
    """Panels were halved until they were too many or too narrow."""


def pulled_back_by_panels(config: RuleConfig, integral: Integral, y_bar) -> tuple[Any, ...] | None:
    """The cotangents of the arguments of the call; None where panels do not converge."""
    if not integral.has_fixed_nodes(config, y_bar, KNOWN):
        return None
    space = Coordinates(integral.given)

    def differentiate(sums: Sums) -> tuple[Any, Any]:
        values, pull = rrule_via_ad(config, sums, *integral.given)
        rows = []
        for k in range(len(values)):
            seeds = {each: y_bar if each == k else ZERO for each in range(len(values))}
            bars = pull(with_entries(tuple, seeds))
            rows.append(space.vector(with_entries(tuple, dict(enumerate(bars)))))
        return np.array(values), np.array(rows)

    found = summed(integral, differentiate, float(np.linalg.norm(y_bar)))
    return None if found is None else tuple(space.tangent(found))


def pushed_forward_by_panels(config: RuleConfig, integral: Integral, dots: tuple[Any, ...]):
    """The tangent of the integral along those of the arguments of the call, or None."""
    if not integral.has_fixed_nodes(config, integral.moving(), KNOWN):
        return None

    def differentiate(sums: Sums) -> tuple[Any, Any]:
        values, moved = frule_via_ad(config, dots, sums, *integral.given)
        parts = {} if is_zero(moved) else entries(moved)
        rows = [
            materialize(parts.get(k, ZERO), like=float(value)) for k, value in enumerate(values)
        ]
        return np.array(values), np.array(rows)[:, None]

    found = summed(integral, differentiate, 1.0)
    return None if found is None else found[0]


def summed(integral: Integral, differentiate: Differentiate, seed: float) -> Any:
    """The derivative along a seed of this size; None where its sum is not SciPy's integral."""
    integral.jumps()  # refuses those that move
    panels = Panels(integral, differentiate, seed)
    try:
        with np.errstate(all="ignore"):
            total = panels.over(len(panels.ranges) - 1, (), 1.0)
    except NotConverged:
        return None
    is_right = integral.is_near(total[0]) and np.isfinite(total).all()
    return total[1:] if is_right else None


@dataclass(eq=False, slots=True)
class Panel:
    """A part of an interval, in shares of that, with its sum and how wrong that may be."""

    start: float
    width: float
    exact: Any
    error: float

    def __lt__(self, other: "Panel") -> bool:
        """Whether it is halved before another one."""
        return self.error > other.error


SumOfPanel = Callable[[float, float], tuple[Any, Any]]  # by both rules, from a start and a width


def panel_of(sums: SumOfPanel, start: float, width: float) -> Panel:
    """The panel from a start, of a width, with its sums and the estimate of their error."""
    exact, rough = sums(start, width)
    return Panel(start, width, exact, error_of(exact[1:], rough[1:]))


def parts_of(sums: SumOfPanel, whole: Panel, kink: float | None) -> tuple[Panel, Panel]:
    """Both parts of a panel, divided at a kink, if there is one, or in the middle."""
    if kink is None:
        return halves_of(sums, whole)
    width = kink * whole.width
    return (
        panel_of(sums, whole.start, width),
        panel_of(sums, whole.start + width, whole.width - width),
    )


def halves_of(sums: SumOfPanel, whole: Panel) -> tuple[Panel, Panel]:
    """Both halves of a panel.

    Where a derivative jumps, the rules may agree by accident. But one of the halves has half of the
    error then, so that much less in both is not believed at once.
    """
    width = whole.width / 2
    halves = panel_of(sums, whole.start, width), panel_of(sums, whole.start + width, width)
    if sum(half.error for half in halves) < whole.error / BELIEVED:
        for half in halves:
            half.error = whole.error / (2 * BELIEVED)
    return halves


@dataclass(eq=False)
class Panels:
    """The panels of an integral, of which `over` gives the sum and its derivatives in one vector."""

    integral: Integral
    differentiate: Differentiate
    seed: float

    def __post_init__(self) -> None:
        self.function, self.ranges, self.args = self.integral.nested(*self.integral.given)
        self.takes_arrays: bool | None = None

    def over(self, position: int, outer: Point, share: float) -> Any:
        """The integral over a variable and those inside it, at a point of the outer ones.

        Its error may be this share of the tolerance.
        """
        low, high = limits(self.ranges[position], outer, self.args)

        def sums(start: float, width: float) -> tuple[Any, Any]:
            nodes, rows = unit_rule(1, GAUSS)
            x, size = between(low, high, start + width * nodes)
            weights = width * rows * size
            if not position:
                return self.of_numbers(x, outer, weights)
            inside = [self.over(position - 1, (v, *outer), SHARPER * share) for v in x.tolist()]
            exact, rough = weights @ np.array(inside)
            return exact, rough

        def find_kink(panel: Panel) -> float | None:
            if position:  # the integrand is an integral itself: its values take too long
                return None

            def values(shares) -> Any:
                x, size = between(low, high, panel.start + panel.width * shares)
                return size * self.values(self.function, x, (*outer, *self.args))

            return kink_of(values)

        first = [panel_of(sums, *each) for each in self.first_panels(low, high)]
        total = self.adapted(first, sums, find_kink, share)
        if np.isfinite(low) or np.isfinite(high):
            total[1:] += self.by_ends(position, outer)
        return total

    def first_panels(self, low: float, high: float) -> list[tuple[float, float]]:
        """The starts and widths of the panels to begin with, divided at the points of the call."""
        points = ignore_derivatives(self.integral.options.get("points"))
        if points is None or not np.isfinite(high - low):
            return [(0.0, 1.0)]
        inside = [
            float((x - low) / (high - low)) for x in points if low < x < high or high < x < low
        ]
        starts = [0.0, *sorted(set(inside)), 1.0]
        return [(start, end - start) for start, end in pairwise(starts)]

    def adapted(
        self,
        waiting: list[Panel],
        sums: SumOfPanel,
        find_kink: Callable[[Panel], float | None],
        share: float,
    ) -> Any:
        """The sum over panels, the one with the largest error divided until all is exact enough."""
        heapify(waiting)
        total = np.sum([each.exact for each in waiting], axis=0)
        while self.is_inexact(waiting, total, share):
            divided = heappop(waiting)
            if len(waiting) > MOST_PANELS or divided.width < NARROWEST:
                raise NotConverged
            for part in parts_of(sums, divided, find_kink(divided)):
                heappush(waiting, part)
            # anew, because differences would leave the roundoff of what was subtracted
            total = np.sum([each.exact for each in waiting], axis=0)
        return total

    def is_inexact(self, panels: list["Panel"], total, share: float) -> bool:
        """Whether the error of the panels is more than a share of the tolerance."""
        error = sum(each.error for each in panels)
        if not np.isfinite(error):
            raise NotConverged
        size = float(np.linalg.norm(total[1:]))
        return error > share * self.integral.tolerance(size, self.seed)

    def of_numbers(self, x, outer: Point, weights) -> tuple[Any, Any]:
        """Both sums of the integrand at points of the innermost variable, and their derivatives."""
        if self.takes_arrays is None:
            self.takes_arrays = is_vectorized(self.function, x, (*outer, *self.args))

        def sums(*given) -> tuple[Any, Any]:
            function, _, args = self.integral.nested(*given)
            values = self.values(function, x, (*outer, *args))
            xp = namespace_of([values])
            return xp.sum(weights[0] * values), xp.sum(weights[1] * values)

        values, rows = self.differentiate(sums)
        exact, rough = np.concatenate([values[:, None], rows], axis=1)
        return exact, rough

    def values(self, function, x, behind: tuple[Any, ...]) -> Any:
        """The integrand at points."""
        if not self.takes_arrays:
            return together([function(v, *behind) for v in x.tolist()])
        values = function(x, *behind)
        return namespace_of([values]).broadcast_to(values, x.shape)

    def by_ends(self, position: int, outer: Point) -> Any:
        """The part of the derivative that comes of limits that move."""

        def inside(end: float) -> Any:
            return self.inside(position, (end, *outer))

        def moved(*given) -> tuple[Any]:
            _, ranges, args = self.integral.nested(*given)
            total = 0.0
            ends = limits(ranges[position], outer, args)
            at = [ignore_derivatives(end) for end in ends]
            for end, here, there, sign in zip(ends, at, at[::-1], (-1, 1), strict=True):
                if end is not here and np.isfinite(here):  # elsewhere the integrand may be infinite
                    step = step_inside(inside, float(here), float(there))
                    total = total + sign * inside(float(here) + step) * end
            return (total,)

        return self.differentiate(moved)[1][0]

    def inside(self, position: int, at: Point) -> Any:
        """The integral over the variables inside one, at a point of it and the outer ones."""
        function, args = self.function, self.args
        if not position:
            return function(*at, *args)
        inner = [
            lambda *x, ends=ends: limits(ends, (*x, *at), args) for ends in self.ranges[:position]
        ]
        return integrate.nquad(lambda *x: function(*x, *at, *args), inner)[0]


def error_of(exact, other) -> float:
    """The error of a panel's vector, as QUADPACK estimates it from the sums of both rules."""
    size, apart = float(np.linalg.norm(exact)), float(np.linalg.norm(exact - other))
    return min(apart, size * (200 * apart / size) ** 1.5) if size else apart
