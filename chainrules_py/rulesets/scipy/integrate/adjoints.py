"""The rule of `solve_ivp` in reverse.

Cotangents of the solution go back to t0, and each argument gathers its share.

    a' = -f_y^H a,  q' = -f_args^H a,  back from t1; at each time with a cotangent, a jumps by it
    y0_bar = a(t0), args_bar = q(t0), t0_bar = -<a(t0), f(t0)>

The way back is along the solver's interpolant (`interpolants`).
"""

from typing import Any

from chainrules_py.projection import ProjectTo
from chainrules_py.rules.config import HasReverseMode, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates, pair
from chainrules_py.rulesets.formulas.each_example import has_lanes, pullback_of_each
from chainrules_py.rulesets.scipy.integrate.events import Watched
from chainrules_py.rulesets.scipy.integrate.initial_values import (
    Options,
    first_value,
    slope,
    slopes,
    solve,
)
from chainrules_py.rulesets.scipy.integrate.interpolants import along_curve
from chainrules_py.rulesets.scipy.integrate.moving_times import program_rrule
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO, materialize
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.arrays import common_namespace
from chainrules_py.values.captured_values import frozen
from chainrules_py.values.structure import fields


@default_rules.rrule.register(solve)
def solve_rrule(
    fun,
    t_span,
    y0,
    t_eval,
    args,
    *,
    config: HasReverseMode,
    needs: tuple[bool, ...],
    **options,
) -> tuple[Any, Pullback]:
    """Take cotangents back along the solver's interpolant."""
    if isinstance(fun, Watched) or config.is_active((t_span, t_eval)):
        return program_rrule(config, (fun, t_span, y0, t_eval, args), options)
    if t_eval is None and not needs[1] and has_lanes((fun, t_span, y0, args)):
        return each_by_its_own_steps(config, (fun, t_span, y0, args), options)
    result, adjoint = along_curve(config, fun, t_span, y0, t_eval, args, options)
    fun, args = frozen((fun, args))

    def solve_pullback(result_bar) -> tuple[Any, ...]:
        own = tangents_of_parts(result_bar, fields(result))
        y_bar = materialize(own.get("y", ZERO), like=result.y)
        by_times = own.get("t", ZERO)
        if needs[1] or needs[3]:
            by_times = by_times + along_real(slopes(result.t, result.y, fun, args), y_bar, 0)
        a, (fun_bar, args_bar) = adjoint(y_bar)

        span_bar: Any = NO_TANGENT
        if needs[1]:
            start_slope = slope(t_span[0], first_value(result, y0), fun, args)
            first_bar, last_bar = -along_real(a, start_slope, None), ZERO
            if t_eval is None:  # the first and the last time are those of the span
                first_bar, last_bar = first_bar + by_times[0], by_times[-1]
            span_bar = pair(
                first_bar if Coordinates(t_span[0]).size else NO_TANGENT,
                last_bar if Coordinates(t_span[1]).size else NO_TANGENT,
            )
        times_bar = by_times if needs[3] else NO_TANGENT
        y0_bar = ProjectTo(y0)(a) if Coordinates(y0).size else NO_TANGENT
        return fun_bar, span_bar, y0_bar, times_bar, args_bar

    return result, solve_pullback


def each_by_its_own_steps(
    config: HasReverseMode, problem: tuple[Any, ...], options: Options
) -> tuple[Any, Pullback]:
    """The rule of many examples whose solutions are asked for at the times of their own steps."""

    def values(fun, t_span, y0, args) -> Any:
        return solve(fun, t_span, y0, None, args, **options).y

    def pullback_at(*problem) -> Pullback:
        return rrule_via_ad(config, values, *problem)[1]

    fun, t_span, y0, args = problem
    result = solve(fun, t_span, y0, None, args, **options)
    pull = pullback_of_each(pullback_at, *problem)

    def solve_pullback(result_bar) -> tuple[Any, ...]:
        y_bar = tangents_of_parts(result_bar, fields(result)).get("y", ZERO)
        *bars, args_bar = pull(materialize(y_bar, like=result.y))
        return *bars, NO_TANGENT, args_bar

    return result, solve_pullback


def along_real(one, other, axis: int | None) -> Any:
    """The real inner product of arrays, or of their columns."""
    xp = common_namespace([one, other])
    return xp.sum(xp.real(xp.conj(one) * other), axis=axis)
