"""The adjoint of Runge-Kutta methods along the steps that the solver took.

    k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y(t + s h) = y + h sum_i w_i(s) k_i,   the next value has the weights b = w(1)

All but f is linear, so one pullback of (y, fun, args) -> (k_1, k_2, ...) takes a cotangent back over a step and over all
values that are read between its ends. From the same pullback comes the derivative of the solver's estimate of its error,
h sum e_i k_i: what the step adds to the error of the gradient. The solver chose its steps by the values alone; at a point of
rest, say, they are longer than the derivative allows, and then a step is divided.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.config import RuleConfig, rrule_via_ad
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.formulas.coordinates import Coordinates, namespace_of, pair
from chainrules_py.rulesets.formulas.implicit_functions import unconverged
from chainrules_py.rulesets.scipy.integrate.initial_values import slope
from chainrules_py.tangents import ZERO, materialize, with_entries

SLACK = 3.0  # how many times the solver's tolerance a step may add to the error before it is divided
MOST_PARTS = 10


@dataclass(frozen=True, eq=False)
class Method:
    """The coefficients of a method: its rows a_i, its nodes c_i, and weights of the slopes."""

    rows: tuple[Any, ...]
    nodes: tuple[float, ...]
    last: Any  # the weights b of the value at the end
    errors: tuple[Any, ...]  # of the estimates of the error: of DOP853 two, of order 5 and 3
    order: int  # of the first estimate
    between: Any  # of the values between: a polynomial in s, or in s and 1 - s in turn

    def weights(self, s: Any) -> Any:
        """The weights w(s) of the slopes in the values at these shares of a step, a column for each."""
        if len(self.errors) == 1:
            return self.between @ s ** np.arange(1, self.between.shape[1] + 1)[:, None]
        w: Any = 0.0
        for k, row in enumerate(reversed(self.between)):
            w = (w + row[:, None]) * (s if k % 2 == 0 else 1 - s)
        return w


@cache
def method_of(solver: Any) -> Method | None:
    """The coefficients of one of SciPy's explicit methods, given its name or class; None for any other."""
    found: Any = {"RK23": integrate.RK23, "RK45": integrate.RK45, "DOP853": integrate.DOP853}.get(solver, solver)
    if found in (integrate.RK23, integrate.RK45):
        return Method((*found.A, found.B), (*found.C, 1.0), found.B, (found.E,), found.error_estimator_order, found.P)
    return method_of_high_order(found) if found is integrate.DOP853 else None


def method_of_high_order(found: Any) -> Method:
    """The coefficients of DOP853, which has three more slopes for the values between."""
    count = found.D.shape[1]
    first, after, last = np.eye(count)[0], np.eye(count)[len(found.B)], np.pad(found.B, (0, count - len(found.B)))
    between = np.stack([last, first - last, 2 * last - after - first, *found.D])
    nodes = (*found.C, 1.0, *found.C_EXTRA)
    return Method((*found.A, found.B, *found.A_EXTRA), nodes, found.B, (found.E5, found.E3), 5, between)


def slopes_of_step(method: Method, count: int, t: float, h: float, y: Any, fun: Any, args: Any) -> tuple[Any, ...]:
    """The first slopes k_i of a step of length h from t."""
    made: list[Any] = []
    for row, node in zip(method.rows[:count], method.nodes, strict=False):
        value = slope(t + node * h, combined(y, h, row, made), fun, args)
        made.append(value if value.shape == y.shape else namespace_of([value]).broadcast_to(value, y.shape))
    return tuple(made)


def combined(y: Any, h: float, weights: Any, slopes: Any) -> Any:
    """A value and slopes: y + h sum_i weights_i slopes_i."""
    for weight, along in zip(weights, slopes, strict=False):
        if weight:
            y = y + (h * weight) * along
    return y


class StepsBack:
    """The way of a cotangent back over the steps; on it, q gathers that of the function and its arguments."""

    def __init__(self, config: RuleConfig, method: Method, fun: Any, args: Any, rtol: float, atol: float) -> None:
        self.config, self.method, self.fun, self.args = config, method, fun, args
        self.rtol, self.atol, self.given = rtol, atol, Coordinates((fun, args))
        self.q: Any = np.zeros(self.given.size)

    def over(self, t: float, h: float, y: Any, a: Any, shares: Any, bars: Any) -> Any:
        """The cotangent of y at t, given that of the value at t + h and columns for values at shares of the step."""
        a, inner = a + total(bars[:, shares >= 1.0]), shares < 1.0
        shares, bars = shares[inner], bars[:, inner]
        method, everything = self.method, a + total(bars)
        if not (self.config.is_active((everything,)) or everything.any()):
            return a
        # What is estimated needs the slope at the end, what is read between the ends maybe more.
        count = len(method.rows) if shares.size else len(method.errors[0])
        pull = self.pullback(t, h, y, count)
        seeds = [(h * weight) * a if weight else ZERO for weight in method.last]
        seeds += [ZERO] * (count - len(seeds))
        if shares.size:
            seeds = [seed + bars @ row for seed, row in zip(seeds, h * method.weights(shares), strict=True)]
        y_bar, gathered = pull(seeds)
        before, q = everything + y_bar, self.q + gathered
        errors = [pull([(h * weight) * everything for weight in weights]) for weights in method.errors]
        parts = self.parts_needed([max(self.share(e, everything, before), self.share(r, q)) for e, r in errors])
        if parts > 1:
            return self.in_parts(parts, t, h, y, a, shares, bars)
        self.q = q
        return before

    def pullback(self, t: float, h: float, y: Any, count: int) -> Any:
        """What takes cotangents of slopes of a step to those of y and, as a vector, of the function and its arguments."""
        fun, args = self.fun, self.args
        step = lambda y, fun, args: slopes_of_step(self.method, count, t, h, y, fun, args)  # noqa: E731
        _, pull = rrule_via_ad(self.config, step, y, fun, args)

        def pulled(seeds: list[Any]) -> tuple[Any, Any]:
            y_bar, *rest = pull(with_entries(tuple, dict(enumerate(seeds + [ZERO] * (count - len(seeds))))))
            return materialize(y_bar, like=y), self.given.vector(pair(*rest))

        return pulled

    def parts_needed(self, errors: list[float]) -> int:
        """Into how many parts a step is to be divided, by its errors in units of the tolerance."""
        error = errors[0] if len(errors) == 1 or not errors[0] else errors[0] ** 2 / np.hypot(errors[0], 0.1 * errors[1])
        if not SLACK < error < np.inf:
            return 1
        return int(np.clip(np.ceil((error / SLACK) ** (1 / (1 + self.method.order))), 2, MOST_PARTS))

    def share(self, error: Any, *sizes: Any) -> float:
        """The root of the mean square of an error, in units of what is allowed beside these sizes."""
        return root_mean_square(error) / (self.atol + self.rtol * max(map(root_mean_square, sizes)))

    def in_parts(self, parts: int, t: float, h: float, y: Any, a: Any, shares: Any, bars: Any) -> Any:
        """What `over` computes, in several steps instead of one."""
        step, method, values = h / parts, self.method, [y]
        if t + 0.1 * step == t:
            got = f"the derivative of the solution at t = {t}, for which no step is short enough"
            raise unconverged(integrate.solve_ivp, got)
        for k in range(parts - 1):
            made = slopes_of_step(method, len(method.last), t + k * step, step, values[-1], self.fun, self.args)
            values.append(combined(values[-1], step, method.last, made))
        for k in reversed(range(parts)):
            here = (shares * parts > k) & (shares * parts <= k + 1)
            a = self.over(t + k * step, step, values[k], a, shares[here] * parts - k, bars[:, here])
        return a


def total(bars: Any) -> Any:
    """The sum of columns."""
    return namespace_of([bars]).sum(bars, axis=1) if bars.shape[1] else ZERO


def root_mean_square(v: Any) -> float:
    """The root of the mean square of the entries, as a constant."""
    v = ignore_derivatives(v)
    return float(np.linalg.norm(v) / max(1, v.size) ** 0.5)


def back_over_steps(back: StepsBack, nodes: Any, values: Any, times: Any, bars: Any) -> Any:
    """The cotangent of the first value, given columns of values at the nodes and of cotangents at the times."""
    steps, forward = np.diff(nodes), 1.0 if nodes[-1] >= nodes[0] else -1.0
    owner = np.searchsorted(forward * nodes, forward * times) - 1  # the step at whose end, or in which, a time is
    a = np.zeros(bars.shape[0], bars.dtype)
    for k in reversed(range(steps.size)):
        here = np.flatnonzero(owner == k)
        shares = (times[here] - nodes[k]) / steps[k] if here.size else np.zeros(0)
        a = back.over(nodes[k], steps[k], values[:, k], a, shares, bars[:, here])
    return a + total(bars[:, np.flatnonzero(owner < 0)])
