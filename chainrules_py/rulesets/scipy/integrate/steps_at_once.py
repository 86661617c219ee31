"""The derivative of a solution of few unknowns, from all steps that the solver took at once.

Once a problem is solved, all points are known at which its derivative needs the slope's. So the
engine differentiates the slope at all of them in one call, in lanes: by the state, which gives
small matrices (`linear_steps`), and by the function and its arguments. Steps that are too long for
the derivative are divided, and all is done again. Explicit methods go over their own steps
(`runge_kutta`), others by Radau's formula over those of a curve (`collocation`).

A slope that decides by numbers cannot be called for all points at once, nor one that depends on
what it has been called for: values in lanes are held against those of the solver. Then its
derivative is taken step by step.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.batching.loop import one_by_one
from chainrules_py.errors import BatchingError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import (
    HasBatching,
    HasForwardMode,
    HasReverseMode,
    RuleConfig,
    frule_via_ad,
    rrule_via_ad,
)
from chainrules_py.rulesets.formulas.coordinates import Coordinates, namespace_of
from chainrules_py.rulesets.formulas.implicit_functions import unconverged
from chainrules_py.rulesets.scipy.integrate.explicit_methods import Method
from chainrules_py.rulesets.scipy.integrate.initial_values import Options, slope
from chainrules_py.rulesets.scipy.integrate.linear_steps import (
    SLACK,
    LinearSteps,
    cotangents_given,
    errors_given,
    parts_by_cotangents,
    parts_by_tangents,
    tangents_read,
)
from chainrules_py.rulesets.scipy.integrate.runge_kutta import (
    MOST,
    MOST_PARTS,
    norm,
    shaped_slope,
    slope_at,
)
from chainrules_py.tangents import ZERO, is_zero

MOST_ENTRIES = 2**22  # of all Jacobians together: 32 MB
NEAR = 1e-9  # times the largest slope: how near slopes in lanes have to be to the solver's


class Steps:
    """Steps between nodes, with the points at all their stages."""

    method: Method
    nodes: Any
    times: Any  # of all stages, one after the other
    points: Any
    known: slice  # the stages of which the slopes are known
    slopes: Any
    takes_loops: bool  # whether it pays to go on where the slope cannot be called in lanes

    @property
    def entries(self) -> int:
        """How many entries the Jacobians at all points have."""
        count, size = self.points.shape
        return int(count * size**2)

    def divided(self, parts) -> "Steps":
        """Steps of which some are divided."""
        raise NotImplementedError

    def reads(self, times) -> tuple[Any, Any]:
        """Where the solution is read at some times: numbers of nodes, or of steps beside the
        weights of their slopes.
        """
        raise NotImplementedError

    def linear(self, jacobians, times) -> LinearSteps:
        """The linear problem on these steps, read at some times."""
        h = np.diff(self.nodes)
        shape = (h.size, -1, *jacobians.shape[1:])
        return LinearSteps(self.method, h, jacobians.reshape(shape), *self.reads(times))


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
                if not self.steps.takes_loops:
                    raise
                self.is_looped = True
        return one_by_one(self.function, lanes, given)

    def are_known(self, values) -> bool:
        """Whether the slopes have the shape of the state; another one is given it from now on.

        Raises a BatchingError where they differ from those that are known.
        """
        if np.shape(values) != self.steps.points.shape or values.dtype != float:
            if self.function is shaped_slope:
                raise BatchingError(
                    "solve_ivp", f"slopes of shape {np.shape(values)}", "return one per unknown"
                )
            self.function = shaped_slope
            return False
        found, known = values[self.steps.known], self.steps.slopes
        if not np.allclose(found, known, rtol=0.0, atol=NEAR * np.max(np.abs(known), initial=0.0)):
            got = "a slope that is another one when it is called again, for all points at once"
            raise BatchingError("solve_ivp", got, "let it depend on its arguments alone")
        return True

    def jacobians_forward(self) -> Any:
        """The Jacobians by the state at all points, by a tangent for each of the unknowns."""
        units = np.repeat(np.eye(self.size), self.count, 0)
        points, times = (
            np.concatenate([x] * self.size) for x in (self.steps.points, self.steps.times)
        )
        values, moved = frule_via_ad(
            self.config, (units,), lambda y: self(y, times, self.fun, self.args), points
        )
        if not self.are_known(values[: self.count]):
            return self.jacobians_forward()
        if is_zero(moved):
            return np.zeros((self.count, self.size, self.size))
        return moved.reshape(self.size, self.count, self.size).transpose(1, 2, 0)

    def jacobians_back(self) -> Any:
        """The Jacobians by the state at all points, by a cotangent for each of the unknowns."""
        steps = self.steps
        values, pull = rrule_via_ad(
            self.config, lambda y: self(y, steps.times, self.fun, self.args), steps.points
        )
        if not self.are_known(values):
            return self.jacobians_back()
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


def are_few(config: RuleConfig, y) -> bool:
    """Whether an engine can take all steps of a solution at once, and they are of few unknowns."""
    return (
        isinstance(config, HasBatching)
        and isinstance(config, HasForwardMode)
        and isinstance(config, HasReverseMode)
        and type(y) is np.ndarray
        and y.dtype == np.float64
        and y.shape[0] <= MOST
        and not config.is_active((y,))
    )


def tolerances_of(options: Options) -> tuple[float, float]:
    """The tolerances of a problem."""
    rtol, atol = (
        float(np.min(options.get(name, usual))) for name, usual in (("rtol", 1e-3), ("atol", 1e-6))
    )
    return rtol, atol


def forward_at_once(
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
    had at once.
    """
    if steps is None or steps.entries > MOST_ENTRIES:
        return None
    try:
        return tangents_by_steps(config, steps, fun, args, times, start, dots, options)
    except BatchingError:
        return None


def back_at_once(
    config: RuleConfig, steps: Steps | None, fun, args, times, bars, options: Options
) -> tuple[Any, tuple[Any, Any]] | None:
    """The cotangents of the first value, and those of the function and its arguments, of columns of
    cotangents at some times; None where they are not to be had at once.
    """
    if steps is None or steps.entries > MOST_ENTRIES:
        return None
    try:
        return cotangents_by_steps(config, steps, fun, args, times, bars, options)
    except BatchingError:
        return None


def tangents_by_steps(
    config: RuleConfig,
    steps: Steps,
    fun,
    args,
    times,
    start,
    dots: tuple[Any, Any],
    options: Options,
) -> Any:
    """Compute tangents on the steps, which are divided until these are exact enough."""
    tolerances = tolerances_of(options)
    while True:
        slopes = Slopes(config, fun, args, steps)
        jacobians = slopes.jacobians_forward()
        moved = slopes.moved(dots)
        if is_zero(moved):
            moved = np.zeros(steps.points.size)
        xp = namespace_of([start, moved])
        given = xp.concatenate([start, xp.reshape(moved, (-1,))])
        linear = steps.linear(jacobians, times)
        parts = parts_by_tangents(ignore_derivatives(given), steps=linear, tolerances=tolerances)
        if np.max(parts, initial=1) == 1:
            return tangents_read(given, steps=linear)
        steps = steps.divided(parts)


def cotangents_by_steps(
    config: RuleConfig, steps: Steps, fun, args, times, bars, options: Options
) -> tuple[Any, tuple[Any, Any]]:
    """Compute cotangents on the steps, which are divided until these are exact enough."""
    tolerances = tolerances_of(options)
    count, known = Coordinates((fun, args)).size, ignore_derivatives(bars)
    while True:
        slopes = Slopes(config, fun, args, steps)
        linear = steps.linear(slopes.jacobians_back(), times)
        parts = parts_by_cotangents(known, steps=linear, tolerances=tolerances)
        if np.max(parts, initial=1) == 1:
            found = cotangents_given(bars, steps=linear)
            start, own = found[: slopes.size], found[slopes.size :].reshape(steps.points.shape)
            if not count:
                return start, (ZERO, ZERO)
            pull = slopes.pullback()
            fun_bar, args_bar = pull(own)
            needed = parts_of_integral(linear, known, pull, [fun_bar, args_bar], tolerances)
            if needed == 1:
                return start, (fun_bar, args_bar)
            parts = np.full(linear.steps, needed)
        steps = steps.divided(parts)


def parts_of_integral(
    linear: LinearSteps, known, pull, found: list[Any], tolerances: tuple[float, float]
) -> int:
    """Into how many parts all steps are to be divided, by the error of what the function and its
    arguments get.

    That of Radau's formula is of a high order, and is not looked at.
    """
    if linear.method.is_implicit:
        return 1
    size, power = norm(found), 1 / (1 + linear.method.order)
    errors = [
        norm(list(pull(errors_given(known, steps=linear, which=which))))
        for which in range(len(linear.method.errors))
    ]
    error = float(linear.method.joint_error(*errors)) if size else 0.0
    error *= min(1.0, (error / (size or 1.0)) ** power) / (tolerances[0] * (size or 1.0))
    if not SLACK < error < np.inf:
        return 1
    return int(np.clip(np.ceil((error / SLACK) ** power), 2, MOST_PARTS))


class OwnSteps(Steps):
    """The steps of an explicit method, between values at nodes, with the slopes of their stages."""

    takes_loops = False

    def __init__(self, method: Method, nodes, values, slopes, fun, args, is_read: bool) -> None:
        self.method, self.nodes, self.values = method, nodes, values
        self.fun, self.args, self.is_read = fun, args, is_read
        count = len(method.nodes) if is_read else len(method.errors[0])
        h = np.diff(nodes)
        self.every = self.extended(slopes, count)
        points = values[:-1, None] + h[:, None, None] * (method.matrix[:count, :count] @ self.every)
        self.points = points.reshape(-1, values.shape[1])
        self.times = (nodes[:-1, None] + h[:, None] * np.array(method.nodes[:count])).reshape(-1)
        self.known, self.slopes = slice(None), self.every.reshape(self.points.shape)

    def extended(self, slopes, count: int) -> Any:
        """The slopes of all stages, of which some are known."""
        have = slopes.shape[1]
        if have == count:
            return slopes
        every = np.concatenate(
            [slopes, np.empty((slopes.shape[0], count - have, slopes.shape[2]))], 1
        )
        for k, (t, end) in enumerate(zip(self.nodes, self.nodes[1:], strict=False)):
            stages_from(
                have, every[k], self.method, t, end - t, self.values[k], self.fun, self.args
            )
        return every

    def reads(self, times) -> tuple[Any, Any]:
        """At the ends of steps, or within."""
        forward = 1.0 if self.nodes[-1] >= self.nodes[0] else -1.0
        owner = np.searchsorted(forward * self.nodes, forward * times)
        weights = np.zeros((times.size, self.every.shape[1]))
        inside = self.nodes[np.minimum(owner, self.nodes.size - 1)] != times
        owner[inside] -= 1
        own = owner[inside]
        shares = (times[inside] - self.nodes[own]) / (self.nodes[own + 1] - self.nodes[own])
        if own.size:
            weights[inside] = self.method.weights(shares).T
        return owner, weights

    def divided(self, parts) -> "OwnSteps":
        """Steps of which some are divided, and computed anew."""
        nodes, values, slopes = [self.nodes[0]], [self.values[0]], []
        count = len(self.method.errors[0])
        for k, number in enumerate(parts):
            if number == 1:
                slopes.append(self.every[k, :count])
            start, y, h = self.nodes[k], self.values[k], self.nodes[k + 1] - self.nodes[k]
            require_long(start, h / number)
            for part in range(number if number > 1 else 0):
                t = start + part * h / number
                made = np.empty((count, y.size))
                stages_from(0, made, self.method, t, h / number, y, self.fun, self.args)
                y = y + h / number * (self.method.last @ made[: self.method.end])
                slopes.append(made)
                if part < number - 1:
                    nodes.append(t + h / number)
                    values.append(y)
            nodes.append(self.nodes[k + 1])
            values.append(self.values[k + 1])
        return OwnSteps(
            self.method,
            np.array(nodes),
            np.array(values),
            np.array(slopes),
            self.fun,
            self.args,
            self.is_read,
        )


def stages_from(first: int, slopes, method: Method, t, h, y, fun, args) -> None:
    """Compute the slopes of the stages of a step from one on, in the rows of an array."""
    for i in range(first, len(slopes)):
        point = y + h * (method.matrix[i, :i] @ slopes[:i])
        slopes[i] = ignore_derivatives(slope(t + method.nodes[i] * h, point, fun, args))


def require_long(t: float, h: float) -> None:
    """Raise where a step is hardly longer than the spacing of numbers."""
    if t + 0.1 * h == t:
        got = f"the derivative of the solution at t = {t}, for which no step is short enough"
        raise unconverged(integrate.solve_ivp, got)
