"""Sensitivities of initial value problems, forward.

s' = f_y s + f_args args_dot

They begin with s(t0) = y0_dot - f(t0) t0_dot. Those of few unknowns follow from the steps that the
solver took (`steps_at_once`); others are solved beside y, by the same solver.
"""

from typing import Any

import numpy as np

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import HasForwardsMode, RuleConfig, frule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates, pair
from chainrules_py.rulesets.scipy.integrate.collocation import Steps, steps_along
from chainrules_py.rulesets.scipy.integrate.events import Watched
from chainrules_py.rulesets.scipy.integrate.initial_values import (
    Options,
    first_value,
    inherited,
    joined_vectors,
    largest,
    slope,
    slopes,
    solve,
)
from chainrules_py.rulesets.scipy.integrate.moving_times import program_frule
from chainrules_py.rulesets.scipy.integrate.steps_at_once import are_few, tangents_at_once
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import ZERO, is_zero, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts

CLOSER = 8


@default_rules.frule.register(solve)
def solve_frule(
    dots: tuple[Any, ...],
    fun,
    t_span,
    y0,
    t_eval,
    args,
    *,
    config: HasForwardsMode,
    **options,
) -> tuple[Any, Any]:
    """The sensitivity along the tangents of all arguments, solved beside y."""
    if isinstance(fun, Watched) or config.is_active((t_span, t_eval)):
        return program_frule(config, dots, (fun, t_span, y0, t_eval, args), options)
    result, steps = solve(fun, t_span, y0, t_eval, args, **options), None
    problem = fun, t_span, y0, args
    if are_few(config, problem) and not config.is_active(problem):
        found = solve(fun, t_span, y0, None, args, **closer(options))
        steps = steps_along(
            found.t,
            y0.shape[0],
            lambda times: found.sol(times).T,
            result.t,
            options.get("method", "RK45"),
        )
    return result, with_entries(
        type(result),
        sensitivities(config, dots, fun, t_span, y0, t_eval, args, options, result, steps),
    )


def closer(options: Options) -> Options:
    """The options of a solution that is closer than another one, on whose interpolant its
    derivative is as exact as the other is.
    """
    own = {"rtol": 1e-3, "atol": 1e-6, **options, "dense_output": True}
    finest = {"rtol": 100 * np.finfo(float).eps, "atol": 0.0}
    return own | {
        name: np.maximum(np.divide(own[name], CLOSER), least) for name, least in finest.items()
    }


def sensitivities(
    config: RuleConfig,
    dots: tuple[Any, ...],
    fun,
    t_span,
    y0,
    t_eval,
    args,
    options: Options,
    result,
    steps: Steps | None,
) -> dict[str, Any]:
    """The tangents of the times and of the values at them."""
    fun_dot, span_dot, y0_dot, times_dot, args_dot = dots
    first_dot, last_dot = (tangents_of_parts(span_dot, (0, 1)).get(k, ZERO) for k in (0, 1))
    state = Coordinates(result.y[:, 0])
    start = first_value(result, y0)

    # y0 is the value at the first time: where that moves on, so does y
    moved = y0_dot
    if not is_zero(first_dot):
        moved = moved - slope(t_span[0], start, fun, args) * first_dot

    y_dot = ZERO
    times = ignore_derivatives(result.t)
    if not (is_zero(moved) and is_zero(fun_dot) and is_zero(args_dot)):
        begin = state.vector(moved)
        given_dots = fun_dot, args_dot
        y_dot = tangents_at_once(config, steps, fun, args, times, begin, given_dots, options)
        if y_dot is None:
            y_dot = solved_beside(
                config, t_span, begin, times, (fun, args), given_dots, options, start
            )
    if t_eval is None and not (is_zero(first_dot) and is_zero(last_dot)):
        is_first, is_last = np.zeros((2, times.size))
        is_first[0] = is_last[-1] = 1.0
        times_dot = first_dot * is_first + last_dot * is_last
    if not is_zero(times_dot):
        y_dot = y_dot + slopes(result.t, result.y, fun, args) * times_dot
    return {"t": times_dot, "y": y_dot}


def solved_beside(
    config: RuleConfig,
    t_span,
    y_dot_begin,
    times,
    given: tuple[Any, Any],
    dots: tuple[Any, Any],
    options: Options,
    start,
) -> Any:
    """The tangents of the values at some times, by the solver: a problem of twice as many unknowns."""
    state, parameters = Coordinates(start), Coordinates(given)
    size, vector = state.size, parameters.vector(pair(*dots))

    def both(t, z, fun, args, vector):
        y, y_dot = state.tangent(z[:size]), state.tangent(z[size:])
        moved = (y_dot, *parameters.tangent(vector))
        value, value_dot = frule_via_ad(
            config, moved, lambda y, fun, args: slope(t, y, fun, args), y, fun, args
        )
        return joined_vectors([state.vector(value), state.vector(value_dot)])

    # scaled to one, because the solver's tolerances are absolute, too
    scale = largest(y_dot_begin, vector)
    begin = joined_vectors([state.vector(start), y_dot_begin / scale])
    own = (*given, vector / scale)
    z = solve(both, t_span, begin, times, own, **doubled(options, size)).y
    return as_columns(state, scale * z[size:])


def doubled(options: Options, size: int) -> Options:
    """The options of a problem with two states of this size one after the other.

    Tolerances for each entry are there twice.
    """
    own = inherited(options)
    for name in own.keys() & {"rtol", "atol"}:
        if np.ndim(own[name]):
            own[name] = np.tile(own[name], 2 * size // np.size(own[name]))
    return own


def as_columns(state: Coordinates, z) -> Any:
    """Values in real coordinates, a column for each time, as what the solution is."""
    return z[: state.size // 2] + 1j * z[state.size // 2 :] if state.is_complex else z
