"""The adjoint of `solve_ivp` by Radau's formula, solved over the steps of an implicit solver.

    a' = -J(t)^T a,   q' = -F(t)^T a,   J = df/dy, F = df/dargs,
    back from t1; y(t) is the solver's interpolant

The equation is linear, so that the three stages of a step are one linear system, with J at three
points: no iteration, and no differences of the Jacobian of all parameters. The parameters' integral
is a weighted sum of the stages. J^T is made by a product with each unit vector, which pays for few
unknowns (`MOST`); for more, `interpolants` has the adjoint of any method. The error of a step is
estimated as Radau does (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.8),
and a step whose error is too large is divided.

The steps of BDF and of LSODA are shorter, as their formulas are of lower order: a step here goes over
four of them, but not over more, because what they are short for should not be missed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.accumulation import accumulate, accumulated
from chainrules_py.rules.config import RuleConfig, repeated_rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates
from chainrules_py.rulesets.formulas.implicit_functions import unconverged
from chainrules_py.rulesets.scipy.integrate.initial_values import largest
from chainrules_py.rulesets.scipy.integrate.runge_kutta import shaped_slope, slope_at
from chainrules_py.tangents import ZERO, unthunk

ROOT = 6**0.5
NODES = np.array([(4 - ROOT) / 10, (4 + ROOT) / 10, 1.0])
MATRIX = np.array(
    [
        [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
        [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
        [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
    ]
)
WEIGHTS = MATRIX[-1]
# of the stages in the estimate of the error
ERRORS = np.array([-13 - 7 * ROOT, -13 + 7 * ROOT, -1]) / 3
REAL = 3 + 3 ** (2 / 3) - 3 ** (1 / 3)  # the real eigenvalue of the inverse of the matrix
MOST = 8  # unknowns
SLACK = 3.0  # how many times the tolerance a step may add to the error before it is divided


@dataclass(frozen=True, eq=False)
class Point:
    """The derivative of the slope at a time: a transposed Jacobian, and for each of its columns, a
    product with a unit vector, the parts that the function and its arguments get.
    """

    transposed: Any
    parts: list[list[Any]]

    def gather(self, vector) -> list[Any]:
        """The parts of a pullback of any vector, without another sweep."""
        moving = [(float(x), parts) for x, parts in zip(vector, self.parts, strict=True) if x]
        scaled = [[x * unthunk(part) for part in parts] for x, parts in moving]
        return [sum(column[1:], column[0]) for column in zip(*scaled, strict=True)]


class Collocation:
    """Takes a cotangent back over steps of Radau.

    On it, `q` gathers the parts of the cotangents of the function and its arguments.
    """

    def __init__(
        self,
        config: RuleConfig,
        state: Coordinates,
        fun,
        args,
        curve,
        rtol: float,
        atol: float,
    ) -> None:
        self.state, self.curve, self.rtol, self.atol = state, curve, rtol, atol
        value = slope_at(curve(curve.ts[0]), curve.ts[0], fun, args)
        as_it_is = np.shape(value) == state.shape and value.dtype == state.dtype
        self.slope = repeated_rrule_via_ad(
            config, slope_at if as_it_is else shaped_slope, fun, args
        )
        self.q: list[Any] = []
        self.point: Point | None = None  # at the start of the step after this one
        self.step: float | None = None  # the length that the last estimate of the error suggests

    def tangents(self) -> tuple[Any, Any]:
        """The cotangents of the function and its arguments, from their parts in `q`."""
        fun_bar, args_bar = (
            self.slope.tangents(list(map(accumulated, self.q))) if self.q else (ZERO, ZERO)
        )
        return fun_bar, args_bar

    def at(self, t: float) -> Point:
        """The transposed Jacobian at a time, a column by each unit vector."""
        _, pull = self.slope(self.curve(t), t)

        def pulled(vector) -> tuple[Any, list[Any]]:
            point_bar, parts = pull(self.state.tangent(vector))
            return self.state.vector(point_bar), parts

        columns, parts = zip(*map(pulled, np.eye(self.state.size)), strict=True)
        return Point(np.array(columns).T, list(parts))

    def over(self, a, last: float, first: float) -> Any:
        """The cotangent at the start of one of the solver's steps, given that at its end."""
        t, near = last, 1e-14 * abs(last - first)
        if self.point is None:
            self.point = self.at(last)
        while abs(t - first) > near:
            h = t - first
            if self.step is not None and abs(h) > abs(self.step):
                h = self.step if abs(h) >= 1.5 * abs(self.step) else h / 2
            points = [self.at(t - c * h) for c in NODES]
            stages = stages_of(a, h, [p.transposed for p in points])
            error = self.error(a, h, stages, self.point)
            self.step = h * float(np.clip(0.9 * max(error, 1e-9) ** -0.25, 0.1, 8.0))
            if error <= SLACK:
                self.gather(h, stages, points)
                a, t, self.point = stages[-1], t - h, points[-1]
            elif not np.isfinite(error) or t - h * 1e-3 == t:
                got = (
                    f"the derivative of the solution at t = {t}, for which no step is short enough"
                )
                raise unconverged(integrate.solve_ivp, got)
        return a

    def gather(self, h: float, stages, points: list[Point]) -> None:
        """Add what a step hands on to the function and its arguments."""
        for weight, point, stage in zip(WEIGHTS, points, stages, strict=True):
            parts = point.gather(h * weight * stage)
            if not parts:
                continue
            if self.q:
                self.q = [accumulate(acc, part) for acc, part in zip(self.q, parts, strict=True)]
            else:
                self.q = parts

    def error(self, a, h: float, stages, end: Point) -> float:
        """The estimate of the error of a step in units of what is allowed.

        A second one where it is large, for fast decay.
        """
        matrix = np.linalg.inv(REAL / h * np.eye(a.size) - end.transposed)
        moved = ERRORS @ (stages - a) / h
        allowed = self.atol + self.rtol * np.maximum(np.abs(a), np.abs(stages[-1]))

        first = matrix @ (end.transposed @ a + moved)
        if (found := in_units(first, allowed, stages)) <= 1.0:
            return found
        return in_units(matrix @ (end.transposed @ (a + first) + moved), allowed, stages)


def in_units(estimate, allowed, stages) -> float:
    """An estimate of the error in units of what is allowed.

    It is that of a formula of lower order: by how much this one is better, its ratio to the values
    tells.
    """
    share = np.linalg.norm(estimate) / (np.linalg.norm(stages) or 1.0)
    return float(np.sqrt(np.mean((estimate / allowed) ** 2)) * min(1.0, share**0.25))


def stages_of(a, h: float, transposed: list[Any]) -> Any:
    """The cotangent at the three nodes of a step of length h, back from where it is `a`."""
    n = a.size
    matrix = np.concatenate(
        [np.concatenate([MATRIX[i, j] * h * transposed[j] for j in range(3)], 1) for i in range(3)]
    )
    return np.linalg.solve(np.eye(3 * n) - matrix, np.tile(a, 3)).reshape(3, n)


def back_over_nodes(
    config: RuleConfig,
    fun,
    args,
    result,
    curve,
    start: float,
    y_bar,
    tolerances: tuple[float, float],
    together: int,
) -> tuple[Any, tuple[Any, Any]]:
    """The cotangent of the initial value, and those of the function and its arguments, of columns
    of cotangents.

    A step goes over at most so many of the solver's steps `together`.
    """
    state, (rtol, atol) = Coordinates(result.y[:, 0]), tolerances
    back = Collocation(config, state, fun, args, curve, rtol, atol * largest(y_bar))
    arrived = {
        float(t): state.vector(y_bar[:, k]) for k, t in enumerate(result.t) if y_bar[:, k].any()
    }
    forward = 1.0 if curve.ts[-1] >= curve.ts[0] else -1.0
    nodes = map(float, curve.ts[::together])
    times = sorted({float(start), *nodes, *arrived}, key=lambda t: -forward * t)
    a = np.zeros(state.size)
    for last, first in zip(times, [*times[1:], None], strict=True):
        a = a + arrived.get(last, 0.0)
        if first is not None and a.any():
            a = back.over(a, last, first)
    return state.tangent(a), back.tangents()
