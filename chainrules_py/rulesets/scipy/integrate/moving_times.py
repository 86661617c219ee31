"""Solutions that are differentiated as programs of others: those with events, and those at times
that are differentiated twice, or beside something else.

The latter are solved from time to time, over unit intervals.

    z' = (t_1 - t_0) f(t_0 + s (t_1 - t_0), z),  s from 0 to 1

Between two times the interval is fixed, and the times are arguments, by which `solve` has
derivatives of any order.
"""

from typing import Any

import numpy as np

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import RuleConfig, frule_via_ad, rrule_via_ad
from chainrules_py.rulesets.scipy.integrate.events import Watched, solution_with_events
from chainrules_py.rulesets.scipy.integrate.initial_values import Options, inherited, slope, solve
from chainrules_py.table.entry_points import Pullback
from chainrules_py.tangents import ZERO, is_zero, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.arrays import common_namespace
from chainrules_py.values.structure import fields

END = np.ones(1)


def on_unit_interval(s, z, fun, first, last, *args):
    """The slope by the share of an interval."""
    width = last - first
    return width * slope(first + s * width, z, fun, args)


def moving_times(t_span, t_eval, times) -> list[Any]:
    """The times at which the solution is asked for: those of the solver's steps move at the ends
    alone.
    """
    if t_eval is not None:
        return [t_eval[k] for k in range(len(times))]
    return [t_span[0], *times[1:-1].tolist(), t_span[1]]


def from_time_to_time(fun, t_span, y0, t_eval, args, *, times, options: Options):
    """The times and the solution at them, a column for each."""
    asked = moving_times(t_span, t_eval, times)
    here, value, columns = t_span[0], y0, []
    for there in asked:
        if there is not t_span[0]:
            value = solve(
                on_unit_interval, (0.0, 1.0), value, END, (fun, here, there, *args), **options
            ).y[:, -1]
        here = there
        columns.append(value)
    return common_namespace(asked).stack(asked), common_namespace(columns).stack(columns, axis=-1)


def program_of_solver(
    given: tuple[Any, ...], options: Options
) -> tuple[Any, Any, Options, list[str]]:
    """The solver's result for plain values, and a program that gives some of its fields."""
    result = solve(*ignore_derivatives(given), **options)
    if isinstance(given[0], Watched):
        further = {"plain": result, "solve": solve, "options": options}
        return result, solution_with_events, further, ["t", "y", "t_events", "y_events"]
    own = {name: value for name, value in inherited(options).items() if name != "max_step"}
    return result, from_time_to_time, {"times": result.t, "options": own}, ["t", "y"]


def program_rrule(
    config: RuleConfig, given: tuple[Any, ...], options: Options
) -> tuple[Any, Pullback]:
    """The result of `solve`, and its pullback, by the program that finds it."""
    result, program, further, names = program_of_solver(given, options)
    values, pull = rrule_via_ad(config, program, *given, **further)
    made = of_program(config, given, result, dict(zip(names, values, strict=True)))

    def program_pullback(result_bar) -> tuple[Any, ...]:
        own = tangents_of_parts(result_bar, fields(made))
        bars = [own.get(name, ZERO) for name in names]
        if all(map(is_zero, bars)):
            return (ZERO,) * len(given)
        return tuple(pull(with_entries(tuple, dict(enumerate(bars)))))

    return made, program_pullback


def program_frule(
    config: RuleConfig, dots: tuple[Any, ...], given: tuple[Any, ...], options: Options
) -> tuple[Any, Any]:
    """The result of `solve`, and its tangent, by the program that finds it."""
    result, program, further, names = program_of_solver(given, options)
    values, moved = frule_via_ad(config, dots, program, *given, **further)
    parts = tangents_of_parts(moved, range(len(names)))
    made = of_program(config, given, result, dict(zip(names, values, strict=True)))
    tangents = {name: parts.get(k, ZERO) for k, name in enumerate(names)}
    return made, with_entries(type(made), tangents)


def of_program(config: RuleConfig, given: tuple[Any, ...], result, values: Options) -> Any:
    """The solver's result, with values that are differentiated further, where they are."""
    return type(result)({**result, **values}) if config.is_active(given) else result
