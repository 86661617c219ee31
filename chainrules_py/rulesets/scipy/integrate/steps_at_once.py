"""The derivative of a solution of few unknowns, from all steps that the solver took at once.

Once a problem is solved, all points are known at which its derivative needs the slope's. So the
engine differentiates the slope at all of them in one call, in lanes: by the state, which gives
small matrices (`linear_steps`), and by the function and its arguments. That is done by Radau's
formula (`collocation`), whatever the method of the solver. Steps that are too long for the
derivative are divided, and all is done again.

A slope that decides by numbers cannot be called for all points at once, nor one that depends on
what it has been called for: values in lanes are held against those of some points. Then its
derivative is an initial value problem of its own (`adjoints`, `sensitivities`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.batching.loop import one_by_one
from chainrules_py.errors import BatchingError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import (
    HasBatching,
    HasForwardsMode,
    HasReverseMode,
    RuleConfig,
    frule_via_ad,
    rrule_via_ad,
)
from chainrules_py.rulesets.formulas.coordinates import Coordinates
from chainrules_py.rulesets.formulas.each_example import has_lanes
from chainrules_py.rulesets.scipy.integrate.collocation import Steps
from chainrules_py.rulesets.scipy.integrate.initial_values import Options, slope
from chainrules_py.rulesets.scipy.integrate.linear_steps import (
    cotangents_given,
    parts_needed,
    tangents_read,
)
from chainrules_py.tangents import ZERO, is_zero
from chainrules_py.values.arrays import common_namespace

MOST = 32  # unknowns
MOST_ENTRIES = 2**22  # of all Jacobians together: 32 MB
NEAR = 1e-9  # times the largest slope: how near slopes in lanes have to be to the solver's


def slope_at(y, t: float, fun, args) -> Any:
    """The slope at a value."""
    return slope(t, y, fun, args)


def shaped_slope(y, t: float, fun, args) -> Any:
    """The slope at a value, of its shape and dtype."""
    value = slope(t, y, fun, args)
    return common_namespace([value]).broadcast_to(value, y.shape).astype(y.dtype)


class Slopes:
    """The slope at all points of some steps, and its derivatives."""

    def __init__(self, config: RuleConfig, fun, args, steps: Steps) -> None:
        self.config: Any = config
        self.fun, self.args, self.steps = fun, args, steps
        self.count, self.size = steps.points.shape
        self.function: Callable[..., Any] = slope_at
        self.is_looped = False

    def __call__(self, points, times, fun, args) -> Any:
        """The slopes at points of the state, a row for each."""
        lanes, given = (True, True, False, False), (points, times, fun, args)
        if not self.is_looped:
            try:
                return self.config.in_lanes(self.function, lanes, given)
            except BatchingError:
                self.is_looped = True
        return one_by_one(self.function, lanes, given)

    def are_known(self, values) -> bool:
        """Whether the slopes have the shape of the state; another one is given it from now on.

        Raises a BatchingError where they differ from those that are known.
        """
        values, steps = ignore_derivatives(values), self.steps
        if np.shape(values) != steps.points.shape or values.dtype != float:
            if self.function is shaped_slope:
                raise BatchingError(
                    "solve_ivp", f"slopes of shape {np.shape(values)}", "return one per unknown"
                )
            self.function = shaped_slope
            return False
        fun, args, times, points = ignore_derivatives(
            (self.fun, self.args, steps.times[steps.known], steps.points[steps.known])
        )
        known = [
            np.broadcast_to(slope(t, y, fun, args), y.shape)
            for t, y in zip(times, points, strict=True)
        ]
        atol = NEAR * np.max(np.abs(known), initial=0.0)
        if not np.allclose(values[steps.known], known, rtol=0.0, atol=atol):
            got = "a slope that is another one when it is called again, for all points at once"
            raise BatchingError("solve_ivp", got, "let it depend on its arguments alone")
        return True

    def jacobians(self) -> Any:
        """The Jacobians by the state at all points, by a cotangent for each of the unknowns."""
        steps = self.steps
        values, pull = rrule_via_ad(
            self.config, lambda y: self(y, steps.times, self.fun, self.args), steps.points
        )
        if not self.are_known(values):
            return self.jacobians()
        rows = [pull(np.tile(unit, (self.count, 1)))[0] for unit in np.eye(self.size)]
        zeros = np.zeros(steps.points.shape)
        return np.stack([zeros if is_zero(row) else row for row in rows], axis=1)

    def moved(self, dots: tuple[Any, Any]) -> Any:
        """The tangents of the slopes, given those of the function and its arguments."""
        steps = self.steps
        if is_zero(dots[0]) and is_zero(dots[1]):
            return ZERO
        return frule_via_ad(
            self.config,
            dots,
            lambda fun, args: self(steps.points, steps.times, fun, args),
            self.fun,
            self.args,
        )[1]

    def pullback(self) -> Callable[[Any], tuple[Any, ...]]:
        """What gives the cotangents of the function and its arguments, given those of the slopes."""
        steps = self.steps
        found: Callable[[Any], tuple[Any, ...]] = rrule_via_ad(
            self.config,
            lambda fun, args: self(steps.points, steps.times, fun, args),
            self.fun,
            self.args,
        )[1]
        return found


def are_few(config: RuleConfig, problem: tuple[Any, ...]) -> bool:
    """Whether an engine can take all steps of a problem at once, and it is of few unknowns."""
    y0 = ignore_derivatives(problem[2])
    return (
        isinstance(config, HasBatching)
        and isinstance(config, HasForwardsMode)
        and isinstance(config, HasReverseMode)
        and type(y0) is np.ndarray
        and y0.dtype.kind in "fiub"
        and y0.shape[0] <= MOST
        and not has_lanes(problem)
    )


def tolerances_of(options: Options) -> tuple[float, float]:
    """The tolerances of a problem."""
    rtol, atol = (
        float(np.min(options.get(name, usual))) for name, usual in (("rtol", 1e-3), ("atol", 1e-6))
    )
    return rtol, atol


def tangents_at_once(
    config: RuleConfig,
    steps: Steps | None,
    fun,
    args,
    times,
    start,
    dots: tuple[Any, Any],
    options: Options,
) -> Any:
    """The tangents of the solution at some times, a column for each; None where they are not to be
    had at once. Steps are divided until they are exact enough.
    """
    if steps is None or steps.entries > MOST_ENTRIES:
        return None
    try:
        slopes = Slopes(config, fun, args, steps)
        linear = steps.linear(slopes.jacobians(), times)
        moved = slopes.moved(dots)
    except BatchingError:
        return None
    if is_zero(moved):
        moved = np.zeros(steps.points.size)
    xp = common_namespace([start, moved])
    given = xp.concatenate([start, xp.reshape(moved, (-1,))])
    parts = parts_needed(
        ignore_derivatives(given), steps=linear, tolerances=tolerances_of(options), back=False
    )
    if np.max(parts, initial=1) == 1:
        return tangents_read(given, steps=linear)
    return tangents_at_once(config, steps.divided(parts), fun, args, times, start, dots, options)


def cotangents_at_once(
    config: RuleConfig, steps: Steps | None, fun, args, times, bars, options: Options
) -> tuple[Any, tuple[Any, Any]] | None:
    """The cotangents of the first value, and those of the function and its arguments, of columns of
    cotangents at some times; None where they are not to be had at once.
    """
    if steps is None or steps.entries > MOST_ENTRIES:
        return None
    try:
        slopes = Slopes(config, fun, args, steps)
        jacobians = slopes.jacobians()
        known = steps.linear(ignore_derivatives(jacobians), times)
        parts = parts_needed(
            ignore_derivatives(bars), steps=known, tolerances=tolerances_of(options), back=True
        )
        if np.max(parts, initial=1) > 1:
            divided = steps.divided(parts)
            return cotangents_at_once(config, divided, fun, args, times, bars, options)
        if config.is_active((jacobians,)):
            found = steps.linear(jacobians, times).cotangents(bars)
        else:
            found = cotangents_given(bars, steps=known)
        start, own = found[: slopes.size], found[slopes.size :].reshape(steps.points.shape)
        if not Coordinates((fun, args)).size:
            return start, (ZERO, ZERO)
        fun_bar, args_bar = slopes.pullback()(own)
        return start, (fun_bar, args_bar)
    except BatchingError:
        return None
