"""The derivative of a solution with few unknowns, from all steps of the solver together.

Once a problem is solved, all points are known at which its derivative needs the slope's. So the
engine differentiates the slope at all of them in one call, in lanes: by the state, which gives
small matrices (`linear_steps`), and by the function and its arguments. That is done by Radau's
formula (`collocation`), whatever the method of the solver. Steps that are too long for the
derivative are divided, and all is done again.

A slope that depends on what it has been called for cannot be called for all points at once: values
in lanes are held against those of some points. Then its derivative is an initial value problem of
its own (`problems_beside`).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from chainrules_py.batching.loop import one_by_one
from chainrules_py.errors import BatchingError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import (
    HasBatching,
    HasReverseMode,
    RuleConfig,
    frule_via_ad,
    rrule_via_ad,
)
from chainrules_py.rulesets.scipy.integrate.collocation import Steps
from chainrules_py.rulesets.scipy.integrate.initial_values import slope, tolerances
from chainrules_py.rulesets.scipy.integrate.linear_steps import (
    LinearSteps,
    cotangents_given,
    parts_needed,
    tangents_read,
)
from chainrules_py.tangents import is_zero
from chainrules_py.values.arrays import common_namespace

MOST = 32  # unknowns
MOST_ENTRIES = 2**22  # of all Jacobians together: 32 MB
NEAR = 1e-9  # times the largest slope: how near slopes in lanes have to be to the solver's


def at_once(solution, seed, back: bool) -> Any:
    """The tangent of the values of a solution along a seed, or the cotangents of its first value, its
    slope and its arguments by a seed; None where they are not to be had at once.
    """
    y0 = ignore_derivatives(solution.y0)
    is_real = type(y0) is np.ndarray and y0.dtype.kind in "fiub"
    if not (is_real and y0.shape[0] <= MOST and isinstance(solution.config, HasBatching)):
        return None
    if not back and solution.interpolant is None:
        return None  # which would be as exact as its steps, and not as the solution
    if not isinstance(solution.config, HasReverseMode):
        return None
    steps = solution.steps(back)
    if steps is None:
        return None
    try:
        linearised = Linearised(solution, steps)
        return linearised.cotangents(seed) if back else linearised.tangents(seed)
    except BatchingError:
        return None


def slope_at(y, t: float, fun, args) -> Any:
    """The slope at a value, of its shape and dtype."""
    value = slope(t, y, fun, args)
    return common_namespace([value]).broadcast_to(value, y.shape).astype(y.dtype)


def slopes_at(config: Any, points, times, fun, args) -> Any:
    """The slopes at points of the state, a row for each."""
    lanes, given = (True, True, False, False), (points, times, fun, args)
    try:
        return config.in_lanes(slope_at, lanes, given)
    except BatchingError:
        return one_by_one(slope_at, lanes, given)


@dataclass(frozen=True, eq=False)
class Linearised:
    """The linear problem of the derivative of a solution on some steps."""

    solution: Any
    steps: Steps

    def given(self, y0, fun, args) -> Any:
        """The inputs of the linear problem, as one vector: first value and slopes."""
        slopes = slopes_at(self.config, self.steps.points, self.steps.times, fun, args)
        xp = common_namespace([y0, slopes])
        return xp.concatenate([y0, xp.reshape(slopes, (-1,))])

    @property
    def config(self) -> RuleConfig:
        """The engine."""
        config: RuleConfig = self.solution.config
        return config

    @cached_property
    def own(self) -> tuple[Any, ...]:
        """The differentiated arguments: the first value, in the dtype of the solution, and the
        slope.
        """
        solution = self.solution
        dtype = solution.result.y.dtype
        y0 = solution.y0 if solution.y0.dtype == dtype else solution.y0.astype(dtype)
        return y0, solution.fun, solution.args

    @cached_property
    def jacobians(self) -> Any:
        """The Jacobians of the slope at all points, from a cotangent for each unknown.

        Raises a BatchingError where the slopes are others than for one point.
        """
        (_, fun, args), steps = self.own, self.steps
        if steps.entries > MOST_ENTRIES:
            raise BatchingError("solve_ivp", "too many unknowns and steps", "take them one by one")
        values, pull = rrule_via_ad(
            self.config, lambda y: slopes_at(self.config, y, steps.times, fun, args), steps.points
        )
        self.require_known(ignore_derivatives(values))
        count, size = steps.points.shape
        rows = [pull(np.tile(unit, (count, 1)))[0] for unit in np.eye(size)]
        zeros = np.zeros(steps.points.shape)
        return np.stack([zeros if is_zero(row) else row for row in rows], axis=1)

    def require_known(self, slopes) -> None:
        """Raise a BatchingError if slopes differ from those at single points."""
        (_, fun, args), steps = self.own, self.steps
        fun, args, times, points = ignore_derivatives(
            (fun, args, steps.times[steps.known], steps.points[steps.known])
        )
        known = [slope_at(y, t, fun, args) for t, y in zip(times, points, strict=True)]
        atol = NEAR * np.max(np.abs(known), initial=0.0)
        if not np.allclose(slopes[steps.known], known, rtol=0.0, atol=atol):
            got = "a slope with other values when it is called for all points together"
            raise BatchingError("solve_ivp", got, "let the slope depend on its arguments alone")

    @cached_property
    def known(self) -> LinearSteps:
        """The linear problem of plain numbers."""
        return self.steps.linear(ignore_derivatives(self.jacobians), self.solution.times)

    def shorter(self, vectors, back: bool) -> "Linearised | None":
        """The linear problem on shorter steps; None if the steps are short enough."""
        rtol, atol = [float(np.min(each)) for each in tolerances(self.solution.options)]
        vectors = ignore_derivatives(vectors)
        parts = parts_needed(vectors, steps=self.known, tolerances=(rtol, atol), back=back)
        if np.max(parts, initial=1) == 1:
            return None
        return replace(self, steps=self.steps.divided(parts))

    def tangents(self, dots: tuple[Any, ...]) -> Any:
        """The tangents of the solution where it is read, a column for each time."""
        given = frule_via_ad(self.config, dots, self.given, *self.own)[1]
        shorter = self.shorter(given, back=False)
        if shorter is not None:
            return shorter.tangents(dots)
        return tangents_read(given, steps=self.known)

    def cotangents(self, bars) -> tuple[Any, ...]:
        """The cotangents of the first value, the slope and its arguments, given columns of those of
        the solution.
        """
        shorter = self.shorter(bars, back=True)
        if shorter is not None:
            return shorter.cotangents(bars)
        if self.config.is_active((self.jacobians,)):
            given = self.steps.linear(self.jacobians, self.solution.times).cotangents(bars)
        else:
            given = cotangents_given(bars, steps=self.known)
        return tuple(rrule_via_ad(self.config, self.given, *self.own)[1](given))
