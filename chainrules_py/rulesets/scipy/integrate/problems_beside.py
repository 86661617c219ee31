"""The derivative of a solution as a problem for the same solver.

Forward, the tangents are solved beside the values. Back in time the values are not solved again,
which is unstable where they decay: they are read from the solver's interpolant. At higher order,
where that would be a constant, it is a cubic through the values and slopes at `PARTS` points per
step. Both are scaled to one, because the solver's tolerances are absolute, too.
"""

from typing import Any

import numpy as np

from chainrules_py.annotations import Function, Options
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import RuleConfig, frule_via_ad, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates, pair
from chainrules_py.rulesets.formulas.known_values import largest_known
from chainrules_py.rulesets.scipy.integrate.initial_values import (
    EXPLICIT,
    joined_vectors,
    largest,
    slope,
    solve,
    tolerances,
)
from chainrules_py.values.arrays import common_namespace

PARTS = 2
Curve = Function


def tangents_beside(solution, dots: tuple[Any, ...]) -> Any:
    """The tangents of the values at some times, by a problem of twice as many unknowns."""
    fun, args, config = solution.fun, solution.args, solution.config
    state, parameters = Coordinates(solution.result.y[:, 0]), Coordinates((fun, args))
    size = state.size
    y0_dot, vector = state.vector(dots[0]), parameters.vector(pair(*dots[1:]))

    def both(t, z, fun, args, vector):
        y, y_dot = state.tangent(z[:size]), state.tangent(z[size:])
        moved = (y_dot, *parameters.tangent(vector))
        value, value_dot = frule_via_ad(
            config, moved, lambda y, fun, args: slope(t, y, fun, args), y, fun, args
        )
        return joined_vectors([state.vector(value), state.vector(value_dot)])

    scale = largest(y0_dot, vector)
    begin = joined_vectors([state.vector(solution.y0), y0_dot / scale])
    own = options_beside(solution.options, size, size)
    given = both, solution.t_span, begin, solution.times, (fun, args, vector / scale)
    z = scale * solve(*given, **own).y[size:]
    return z[: size // 2] + 1j * z[size // 2 :] if state.is_complex else z


def adjoint_beside(solution, y_bar) -> tuple[Any, Any, Any]:
    """The cotangents of the first value, the slope and its arguments, by the adjoint problem."""
    fun, args, times, config = solution.fun, solution.args, solution.times, solution.config
    state, parameters = Coordinates(solution.result.y[:, 0]), Coordinates((fun, args))
    size = state.size
    own = options_beside(solution.options, size, parameters.size)
    curve, nodes = curve_of(solution)

    def back(t, z, fun, args, nodes):
        """The slopes of the cotangents of the state and of what is given."""
        _, pull = rrule_via_ad(
            config, lambda y, fun, args: slope(t, y, fun, args), curve(t, *nodes), fun, args
        )
        y_bar, fun_bar, args_bar = pull(state.tangent(z[:size]))
        return -joined_vectors([state.vector(y_bar), parameters.vector(pair(fun_bar, args_bar))])

    def moved(z, here: float, there: float) -> Any:
        """The cotangents at another time."""
        if here == there:
            return z
        is_finite = np.isfinite(ignore_derivatives(z)).all()
        spoilt = largest_known(1.0 * np.logical_not(is_finite))  # of some examples, if of many
        if spoilt:  # which SciPy refuses to begin with
            z = np.where(is_finite, z, 0.0)
        at_end = np.array([there])
        end = solve(back, (here, there), z, at_end, (fun, args, nodes), **own).y[:, -1]
        return end + np.where(is_finite, 0.0, np.nan) if spoilt else end

    # from the last arrival of a cotangent back to the one before, and at last to the start
    scale = largest(y_bar)
    arrivals = stops(config, y_bar)
    until = [ignore_derivatives(solution.t_span[0]), *[times[k] for k in arrivals[:-1]]]
    z, nothing = np.zeros(size + parameters.size), np.zeros(parameters.size)
    for k, end in reversed(list(zip(arrivals, until, strict=False))):
        z = z + joined_vectors([state.vector(y_bar[:, k]) / scale, nothing])
        z = moved(z, times[k], end)
    z = scale * z
    return state.tangent(z[:size]), *parameters.tangent(z[size:])


def stops(config: RuleConfig, y_bar) -> list[int]:
    """The times where a cotangent arrives: all, if they are traced, because a zero may have a
    derivative.
    """
    count = y_bar.shape[1]
    if config.is_active((y_bar,)):
        return list(range(count))
    return [k for k in range(count) if y_bar[:, k].any()]


def options_beside(options: Options, state: int, others: int) -> Options:
    """Options for the problem of a derivative, in which the mean errors of state and derivative
    count equally.

    Runge-Kutta methods look at the root of the mean square over all entries, in which many
    others would hide the state.
    """
    rtol, atol = map(np.min, tolerances(options))
    own: Options = {name: options[name] for name in ("method", "max_step") if name in options}
    shares: Any = 1.0
    if own.get("method", "RK45") in EXPLICIT:
        of_each = 2.0 / (state + others) * np.array([state, others])
        shares = np.repeat(np.sqrt(of_each), [state, others])
    return {**own, "rtol": rtol * shares, "atol": atol * shares}


def curve_of(solution) -> tuple[Curve, tuple[Any, ...]]:
    """The solution as a function of time and nodes, and the nodes, which are differentiated."""
    if solution.interpolant is not None:
        return solution.interpolant, ()
    ends = solution.ends
    between = ends[:-1, None] + np.diff(ends)[:, None] * np.arange(PARTS) / PARTS
    grid = np.append(between, ends[-1:])
    values = solution.values_at(grid)
    slopes = [slope(t, y, solution.fun, solution.args) for t, y in zip(grid, values, strict=True)]
    return cubic(grid), (values, common_namespace(slopes).stack(slopes))


def cubic(grid) -> Curve:
    """The cubic interpolant at t, from values and slopes on a grid."""
    forward = 1 if grid[-1] >= grid[0] else -1

    def curve(t, values, slopes) -> Any:
        k = int(np.clip(np.searchsorted(forward * grid, forward * t) - 1, 0, grid.size - 2))
        width = grid[k + 1] - grid[k]
        s = (t - grid[k]) / width
        left = values[k] * (1 + 2 * s) + slopes[k] * (width * s)
        right = values[k + 1] * (3 - 2 * s) - slopes[k + 1] * (width * (1 - s))
        return left * (1 - s) ** 2 + right * s**2

    return curve
