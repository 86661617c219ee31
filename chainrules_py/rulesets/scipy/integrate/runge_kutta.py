"""The adjoint of Runge-Kutta methods along the steps that the solver took.

    k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y(t + s h) = y + h sum_i w_i(s) k_i,   the next value has the weights b = w(1)

All but f is linear. So the pullbacks of f at the points of a step, last one first, take a cotangent
back over the step and over all values that are read between its ends: each point's cotangent goes,
by the weights, to the slopes before it. The same pullbacks, begun with the weights e_i of the
solver's estimate of its error, say what the step adds to the error of the gradient. The solver
chose its steps by the values alone; at a point of rest, say, they are longer than the derivative
allows, and then a step is divided. That estimate costs as much as the pullback itself, so that
after one which leaves `ROOM` at most `UNSEEN` steps go without, three times as many after one that
is next to nothing, as long as none is longer than it allows.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.accumulation import accumulate, accumulated
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import RuleConfig, repeated_rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates, namespace_of
from chainrules_py.rulesets.formulas.implicit_functions import unconverged
from chainrules_py.rulesets.formulas.known_values import largest_known
from chainrules_py.rulesets.scipy.integrate.explicit_methods import (
    Method,
    backward_table,
    forward_table,
)
from chainrules_py.rulesets.scipy.integrate.initial_values import slope
from chainrules_py.tangents import ZERO, Tangent, entries, is_zero

# how many times the solver's tolerance a step may add to the error before it is divided
SLACK = 3.0
MOST_PARTS = 10
# the share of the tolerance that may be expected of a step without an estimate, and how many go
# without
ROOM, UNSEEN = 0.3, 3
MOST = 32  # unknowns whose slopes are kept


@cache
def stepping(solver) -> Any:
    """A solver's class as one that notes in a list `steps` the times and values at which its steps
    begin and end, and the slopes between.
    """

    class Stepping(solver):  # type: ignore[misc]
        """A solver that notes its steps, and the slopes of few unknowns."""

        def __init__(self, *args, steps: list[tuple[Any, ...]], **options) -> None:
            super().__init__(*args, **options)
            self.steps = steps
            steps.append((self.t, self.y, None))

        def step(self) -> Any:
            message = super().step()
            if self.status != "failed" and self.t != self.steps[-1][0]:
                slopes: Any = self.K[: self.n_stages + 1].copy() if self.n <= MOST else None
                self.steps.append((self.t, self.y, slopes))
            return message

    return Stepping


def slope_at(y, t: float, fun, args) -> Any:
    """The slope at a value."""
    return slope(t, y, fun, args)


def shaped_slope(y, t: float, fun, args) -> Any:
    """The slope at a value, of its shape and dtype."""
    value = slope(t, y, fun, args)
    return namespace_of([value]).broadcast_to(value, y.shape).astype(y.dtype)


def weighted(weights, vectors) -> Any:
    """The weighted sum of vectors: of the rows of a matrix, or of those in a list."""
    if isinstance(vectors, list):
        return sum([float(w) * v for w, v in zip(weights, vectors, strict=True) if w], start=ZERO)
    return weights @ vectors


def joined_parts(one: list[Any], other: list[Any]) -> list[Any]:
    """Accumulators of the parts of a cotangent, to which other parts are added."""
    return [accumulate(acc, part) for acc, part in zip(one, other, strict=True)] if one else other


@dataclass(frozen=True, eq=False)
class Stages:
    """The stages of a step of length h: the value and the slopes, and for each the pullback of the
    function at its point.
    """

    h: float
    rows: Any
    pulls: list[Any]


class StepsBack:
    """Takes a cotangent back over the steps of a Runge-Kutta method.

    On it, `q` gathers the parts of the cotangents of the function and its arguments.
    """

    def __init__(
        self,
        config: RuleConfig,
        method: Method,
        fun,
        args,
        tolerances: tuple[float, float],
    ) -> None:
        self.config = config
        self.method = method
        self.fun = fun
        self.args = args
        self.rtol, self.atol = tolerances
        self.slope = repeated_rrule_via_ad(config, slope_at, fun, args)
        self.count = Coordinates((fun, args)).size
        self.is_traced = False  # whether values are traced by others
        # of the step after this one: the time at which it begins, and its first slope and pullback
        self.after: Any = None
        # the last two, each with the length of its step
        self.estimates, self.unseen = ((np.inf, 1.0), (np.inf, 1.0)), 0
        self.q: list[Any] = []
        self.rooms: dict[str, Any] = {}

    def tangents(self) -> tuple[Any, Any]:
        """The cotangents of the function and its arguments, from their parts in `q`."""
        fun_bar, args_bar = self.slope.tangents(self.q) if self.q else (ZERO, ZERO)
        return fun_bar, args_bar

    def over(self, t: float, h: float, y, a, shares, bars) -> Any:
        """The cotangent of y at t, given that of the value at t + h and columns for values at
        shares of the step.
        """
        everything, read = a, None
        if shares.size:
            a, inner = a + total(bars[:, shares >= 1.0]), shares < 1.0
            shares, bars = shares[inner], bars[:, inner]
            everything = a + total(bars)
            read = (bars, self.method.weights(shares)) if shares.size else None
        if not (self.is_traced or everything.any()):
            return a
        # What is estimated needs the slope at the end, what is read between the ends maybe more.
        estimated = self.is_to_be_estimated(h)
        count = len(self.method.errors[0]) if estimated else self.method.end
        stages = self.stages(t, h, y, len(self.method.nodes) if read else count)
        y_bar, gathered = self.pulled(stages, None, a, read)
        before = everything + y_bar
        if estimated and (parts := self.parts_needed(stages, everything, before, gathered)) > 1:
            return self.in_parts(parts, t, h, y, a, shares, bars)
        self.after = t, stages.rows[1] if self.is_traced else stages.rows[1].copy(), stages.pulls[0]
        self.q = list(map(accumulated, joined_parts(self.q, gathered)))
        return before

    def vectors(self, name: str, count: int, y) -> Any:
        """Room for vectors like y.

        These are the rows of a matrix that is made once for each name, or a list of traced ones.
        """
        if self.is_traced:
            return [ZERO] * count
        if name not in self.rooms:
            self.rooms[name] = np.empty((len(self.method.nodes) + 1, y.size), y.dtype)
        return self.rooms[name][:count]

    def stages(self, t: float, h: float, y, count: int, pulls: bool = True) -> Stages:
        """The first stages of a step from t, with pullbacks or without.

        The one at its end may be known from the next step.
        """
        weights, made, method = h * forward_table(self.method), list[Any](), self.method
        rows = self.vectors("slopes", count + 1, y)
        weights[:, 0], rows[0] = 1.0, y
        for k in range(count):
            if (
                k == method.end
                and self.after is not None
                and abs(self.after[0] - t - h) <= 1e-9 * abs(h)
            ):
                rows[k + 1], pull = self.after[1:]
            else:
                point = weighted(weights[k, : k + 1], rows[: k + 1])
                rows[k + 1], pull = self.slope_at(point, t + method.nodes[k] * h, pulls)
            made.append(pull)
        return Stages(h, rows, made)

    def slope_at(self, y, t: float, pull: bool) -> tuple[Any, Any]:
        """The slope at a point, and the pullback where it is asked for."""
        if not pull:
            return shaped_slope(y, t, self.fun, self.args), None
        value, pullback = self.slope(y, t)
        if getattr(value, "shape", ()) == y.shape and value.dtype == y.dtype:
            return value, pullback
        self.slope = repeated_rrule_via_ad(self.config, shaped_slope, self.fun, self.args)
        found: tuple[Any, Any] = self.slope(y, t)
        return found

    def pulled(
        self, stages: Stages, estimate: int | None, a, read: Any = None
    ) -> tuple[Any, list[Any]]:
        """Pull a cotangent of the value at the end of a step back through its slopes.

        Or one of the estimate of the error with this number; `read` are cotangents of values inside
        of the step. Returns the cotangent of y, and the parts of those of the function and its
        arguments.
        """
        count, q = len(stages.pulls), list[Any]()
        table, active = backward_table(self.method, estimate, count)
        weights = stages.h * table
        rows = self.vectors("cotangents", count + 1, stages.rows[0])
        rows[count] = a
        for k in reversed(range(count)):
            seed = weighted(weights[k, k + 1 :], rows[k + 1 :]) if active[k] or read else ZERO
            if read:
                seed = seed + stages.h * (read[0] @ read[1][k])
            point, parts = stages.pulls[k](seed) if seed is not ZERO else (ZERO, [])
            rows[k] = point if self.is_traced or point is not ZERO else 0.0
            q = joined_parts(q, parts) if parts else q
        return weighted(np.ones(count), rows[:count]), list(map(accumulated, q))

    def is_to_be_estimated(self, h: float) -> bool:
        """Whether the error of a step may be near to what is allowed, or enough steps have gone
        without an estimate.
        """
        self.unseen += 1
        expected = max(
            error * abs(h / length) ** (2 + self.method.order) for error, length in self.estimates
        )
        return not expected <= ROOM or self.unseen > UNSEEN * (1 if expected > 0.01 * ROOM else 3)

    def parts_needed(self, stages: Stages, everything, before, gathered: list[Any]) -> int:
        """Into how many parts a step is to be divided, by its error in units of the tolerance."""
        sizes = max(map(norm, (everything, before))), max(map(norm, (self.q, gathered)))
        counts, power = (before.size, self.count), 1 / (1 + self.method.order)

        def estimate(which: int) -> list[float]:
            return list(map(norm, self.pulled(stages, which, everything)))

        errors = estimate(0)
        if len(self.method.errors) > 1:
            errors = [
                e**2 / np.hypot(e, 0.1 * other) if e else e
                for e, other in zip(errors, estimate(1), strict=True)
            ]
        # The estimate is that of a formula of lower order: by how much this one is better, its
        # ratio to the size tells.
        shares = [
            min(e, e * (e / size) ** power if size else e)
            / (self.atol * max(1, n) ** 0.5 + self.rtol * size)
            for e, size, n in zip(errors, sizes, counts, strict=True)
        ]
        error = max(shares)
        self.estimates, self.unseen = (*self.estimates[1:], (error, stages.h)), 0
        if not SLACK < error < np.inf:
            return 1
        self.estimates = (self.estimates[-1],) * 2  # which tells best what to expect of the parts
        return int(np.clip(np.ceil((error / SLACK) ** power), 2, MOST_PARTS))

    def in_parts(self, parts: int, t: float, h: float, y, a, shares, bars) -> Any:
        """Compute `over` in several steps instead of one."""
        step, method, values = h / parts, self.method, [y]
        if t + 0.1 * step == t:
            got = f"the derivative of the solution at t = {t}, for which no step is short enough"
            raise unconverged(integrate.solve_ivp, got)
        for k in range(parts - 1):
            made = self.stages(t + k * step, step, values[-1], method.end, pulls=False)
            values.append(values[-1] + step * weighted(method.last, made.rows[1:]))
        for k in reversed(range(parts)):
            here = (shares * parts > k) & (shares * parts <= k + 1)
            a = self.over(t + k * step, step, values[k], a, shares[here] * parts - k, bars[:, here])
        return a


def total(bars) -> Any:
    """The sum of columns."""
    return namespace_of([bars]).sum(bars, axis=1) if bars.shape[1] else ZERO


def norm(t) -> float:
    """The norm of a cotangent of any structure, or of a list of some, as a constant."""
    return float(sum(map(squared, t if isinstance(t, list) else [t])) ** 0.5)


def squared(t) -> float:
    """The square of the norm of a cotangent."""
    if is_zero(t):
        return 0.0
    if isinstance(t, Tangent):
        return sum(map(squared, entries(t).values()))
    v = t if type(t) is np.ndarray else ignore_derivatives(t)
    found = np.vdot(v, v).real
    return float(found) if type(found) is np.float64 else largest_known(found)


def back_over_steps(back: StepsBack, nodes, values, times, bars) -> Any:
    """The cotangent of the first value, given the values at the nodes and columns of cotangents at
    the times.
    """
    steps = np.diff(nodes)
    forward = 1.0 if nodes[-1] >= nodes[0] else -1.0
    # the step at whose end, or in which, a time is
    owner = np.searchsorted(forward * nodes, forward * times) - 1
    a = np.zeros(bars.shape[0], bars.dtype)
    for k in reversed(range(steps.size)):
        here = np.flatnonzero(owner == k)
        shares = (times[here] - nodes[k]) / steps[k] if here.size else np.zeros(0)
        a = back.over(nodes[k], steps[k], values[k], a, shares, bars[:, here])
    return a + total(bars[:, np.flatnonzero(owner < 0)])
