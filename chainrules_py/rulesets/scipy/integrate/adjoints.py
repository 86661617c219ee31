"""The rule of `solve_ivp` in reverse.

Cotangents of the solution go back to t0, and each argument gathers its share.

    a' = -f_y^H a,  q' = -f_args^H a,  back from t1; at each time with a cotangent, a jumps by it
    y0_bar = a(t0), args_bar = q(t0), t0_bar = -<a(t0), f(t0)>

Runge-Kutta methods go back over their own steps (`runge_kutta`), the others along their interpolant
(`interpolants`).
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.projection import ProjectTo
from chainrules_py.rules.config import HasReverseMode, RuleConfig
from chainrules_py.rulesets.formulas.coordinates import Coordinates, namespace_of, pair
from chainrules_py.rulesets.scipy.integrate.events import Watched
from chainrules_py.rulesets.scipy.integrate.explicit_methods import method_of
from chainrules_py.rulesets.scipy.integrate.initial_values import (
    Options,
    first_value,
    largest,
    slope,
    slopes,
    solve,
    traced_solution,
)
from chainrules_py.rulesets.scipy.integrate.interpolants import along_curve
from chainrules_py.rulesets.scipy.integrate.moving_times import program_rrule
from chainrules_py.rulesets.scipy.integrate.runge_kutta import StepsBack, back_over_steps
from chainrules_py.rulesets.scipy.integrate.steps_at_once import (
    are_few,
    back_at_once,
    tolerances_of,
)
from chainrules_py.rulesets.scipy.integrate.taken_steps import Taken, taken
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO, materialize
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.captured_values import frozen
from chainrules_py.values.structure import fields

Adjoint = Callable[[Any], tuple[Any, Any]]


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
    """Back along the steps of a Runge-Kutta method, or along the interpolant of another one."""
    if isinstance(fun, Watched) or config.is_active((t_span, t_eval)):
        return program_rrule(config, (fun, t_span, y0, t_eval, args), options)
    backward = along_curve if method_of(options.get("method", "RK45")) is None else along_steps
    result, adjoint = backward(config, fun, t_span, y0, t_eval, args, options)
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


def along_real(one, other, axis: int | None) -> Any:
    """The real inner product of arrays, or of their columns."""
    xp = namespace_of([one, other])
    return xp.sum(xp.real(xp.conj(one) * other), axis=axis)


def along_steps(
    config: RuleConfig, fun, t_span, y0, t_eval, args, options: Options
) -> tuple[Any, Adjoint]:
    """The solution of a Runge-Kutta method, and what takes a cotangent of its values back over the
    steps.
    """
    method: Any = method_of(options.get("method", "RK45"))
    found: Taken | None = None
    if config.is_active((fun, t_span, y0, t_eval, args)):
        result, nodes, columns = traced_solution(fun, t_span, y0, t_eval, args, options, 1)
        values = [columns[:, k] for k in range(nodes.size)]
    else:
        found = taken(fun, t_span, y0, t_eval, args, options)
        result, nodes, values = found.result, found.nodes, found.values
    fun, args = frozen((fun, args))

    def adjoint(y_bar) -> tuple[Any, Any]:
        if found is not None and are_few(config, result.y):
            steps = found.steps(result.t, fun, args)
            bars = back_at_once(config, steps, fun, args, result.t, y_bar, options)
            if bars is not None:
                return bars
        rtol, atol = tolerances_of(options)
        back = StepsBack(config, method, fun, args, (rtol, atol * largest(y_bar)))
        back.is_traced = config.is_active((fun, args, values, y_bar))
        a = back_over_steps(back, nodes, values, ignore_derivatives(result.t), y_bar)
        return a, back.tangents()

    return result, adjoint
