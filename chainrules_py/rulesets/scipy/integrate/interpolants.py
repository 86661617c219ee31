"""The adjoint of a solution, as a problem for the same solver.

With few unknowns it is solved over steps that are known already instead (`steps_at_once`).

Back in time y is not solved again, which is unstable where it decays: it is the solver's
interpolant. At higher order, where that would be a constant, it is a cubic through the values and
slopes at `PARTS` points per step.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import RuleConfig, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates, pair
from chainrules_py.rulesets.formulas.known_values import largest_known
from chainrules_py.rulesets.scipy.integrate.collocation import steps_along
from chainrules_py.rulesets.scipy.integrate.initial_values import (
    Options,
    inherited,
    joined_vectors,
    largest,
    slope,
    slopes,
    solve,
    times_of_steps,
)
from chainrules_py.rulesets.scipy.integrate.steps_at_once import are_few, cotangents_at_once
from chainrules_py.values.captured_values import frozen

PARTS = 2
Curve = Callable[..., Any]
Adjoint = Callable[[Any], tuple[Any, Any]]


def along_curve(
    config: RuleConfig, fun, t_span, y0, t_eval, args, options: Options
) -> tuple[Any, Adjoint]:
    """The solution, and what takes a cotangent of its values back along a curve through them."""
    problem = fun, t_span, y0, args
    is_traced = config.is_active(problem)
    if is_traced:
        ends = times_of_steps(*ignore_derivatives(problem), **options)
        wanted = ends if t_eval is None else t_eval
        result = solve(fun, t_span, y0, wanted, args, **options)
        result = type(result)({**result, "t": wanted})
    else:
        result = solve(fun, t_span, y0, t_eval, args, **{**options, "dense_output": True})
        ends = result.sol.ts
    interpolant, result.sol = result.sol, None
    times, size = ignore_derivatives(result.t), y0.shape[0]
    problem, options = frozen((problem, options))
    fun, t_span, y0, args = problem

    def points_at(times) -> Any:
        """The values at some times, a row for each."""
        if not is_traced:
            return interpolant(times).T
        forward = 1 if ends[-1] >= ends[0] else -1  # times that run backwards are sorted negated
        within = np.clip(times, *np.sort(ends[[0, -1]]))
        every, back = np.unique(forward * within, return_inverse=True)
        return solve(fun, t_span, y0, forward * every, args, **options).y.T[back]

    def backward(y_bar) -> tuple[Any, Any]:
        if are_few(config, problem):
            steps = steps_along(ends, size, points_at, times, options.get("method", "RK45"))
            bars = cotangents_at_once(config, steps, fun, args, times, y_bar, options)
            if bars is not None:
                return bars
        curve, nodes = interpolant, tuple[Any, ...]()
        if is_traced:
            between = ends[:-1, None] + np.diff(ends)[:, None] * np.arange(PARTS) / PARTS
            grid = np.append(between, ends[-1:])
            values = points_at(grid).T
            curve, nodes = cubic(grid), (values, slopes(grid, values, fun, args))
        return adjoint_of_interpolant(
            config, fun, t_span[0], args, options, result, y_bar, curve, nodes
        )

    return result, backward


def adjoint_of_interpolant(
    config: RuleConfig,
    fun,
    start,
    args,
    options: Options,
    result,
    y_bar,
    curve: Curve,
    nodes,
) -> tuple[Any, Any]:
    """The cotangent of the initial value, and those of the function and its arguments."""
    state, given = Coordinates(result.y[:, 0]), Coordinates((fun, args))
    size = state.size
    times = ignore_derivatives(result.t)
    tolerances = weighted(options, size, given.size)

    def back(t, z, fun, args, nodes):
        """The slopes of the cotangents of the state and of what is given."""
        _, pull = rrule_via_ad(
            config, lambda y, fun, args: slope(t, y, fun, args), curve(t, *nodes), fun, args
        )
        y_bar, fun_bar, args_bar = pull(state.tangent(z[:size]))
        return -joined_vectors([state.vector(y_bar), given.vector(pair(fun_bar, args_bar))])

    def moved(z, here: float, there: float) -> Any:
        """The cotangents at another time."""
        if here == there:
            return z
        is_finite = np.isfinite(ignore_derivatives(z)).all()
        spoilt = largest_known(1.0 * np.logical_not(is_finite))  # of some examples, if of many
        if spoilt:  # which SciPy refuses to begin with
            z = np.where(is_finite, z, 0.0)
        at_end = np.array([there])
        solution = solve(back, (here, there), z, at_end, (fun, args, nodes), **tolerances)
        end = solution.y[:, -1]
        return end + np.where(is_finite, 0.0, np.nan) if spoilt else end

    # From the last arrival of a cotangent back to the one before, and at last to the start; scaled
    # to one, because the solver's tolerances are absolute, too.
    scale = largest(y_bar)
    arrivals = stops(config, y_bar)
    until = [ignore_derivatives(start), *[times[k] for k in arrivals[:-1]]]
    z = np.zeros(size + given.size)
    nothing = np.zeros(given.size)
    for k, end in reversed(list(zip(arrivals, until, strict=False))):
        z = z + joined_vectors([state.vector(y_bar[:, k]) / scale, nothing])
        z = moved(z, times[k], end)
    z = scale * z
    return state.tangent(z[:size]), given.tangent(z[size:])


def stops(config: RuleConfig, y_bar) -> list[int]:
    """Where a cotangent arrives; with traced ones everywhere, because a zero may have a derivative."""
    count = y_bar.shape[1]
    if config.is_active((y_bar,)):
        return list(range(count))
    return [k for k in range(count) if y_bar[:, k].any()]


def weighted(options: Options, state: int, parameters: int) -> Options:
    """The options of an adjoint problem: the mean error of the state and that of the parameters
    count the same.

    Runge-Kutta methods look at the root of the mean square over all entries, in which many
    parameters would hide the state.
    """
    own = inherited(options)
    if own.get("method", "RK45") in ("RK23", "RK45", "DOP853"):
        total = state + parameters
        shares = np.repeat(
            np.sqrt([2 * state / total, 2 * parameters / total]), [state, parameters]
        )
        own["rtol"], own["atol"] = (
            np.min(own.get(name, default)) * shares
            for name, default in (("rtol", 1e-3), ("atol", 1e-6))
        )
    else:
        own["atol"] = np.min(own.get("atol", 1e-6))
    return own


def cubic(grid) -> Curve:
    """The function of t, and of values and slopes at points of a grid, that is a cubic between
    neighbours.
    """
    forward = 1 if grid[-1] >= grid[0] else -1

    def curve(t, values, along) -> Any:
        k = int(np.clip(np.searchsorted(forward * grid, forward * t) - 1, 0, grid.size - 2))
        width = grid[k + 1] - grid[k]
        s = (t - grid[k]) / width
        left = values[:, k] * (1 + 2 * s) + along[:, k] * (width * s)
        right = values[:, k + 1] * (3 - 2 * s) - along[:, k + 1] * (width * (1 - s))
        return left * (1 - s) ** 2 + right * s**2

    return curve
