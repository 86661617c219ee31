"""Solutions at times that are differentiated twice, or beside something else.

Solved from time to time, over unit intervals.

    z' = (t_1 - t_0) f(t_0 + s (t_1 - t_0), z),  s from 0 to 1

Between two times the interval is fixed, and the times are arguments, by which `solve` has
derivatives of any order.
"""

from typing import Any

import numpy as np

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rules.config import RuleConfig, frule_via_ad, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import namespace_of
from chainrules_py.rulesets.scipy.integrate.initial_values import Options, inherited, slope, solve
from chainrules_py.table.entry_points import Pullback
from chainrules_py.tangents import ZERO, is_zero, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.structure import fields

END = np.ones(1)


def on_unit_interval(s, z, fun, first, last, *args) -> Any:
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


def from_time_to_time(fun, t_span, y0, t_eval, args, *, times, options: Options) -> Any:
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
    return namespace_of(asked).stack(asked), namespace_of(columns).stack(columns, axis=-1)


def prepared(given: tuple[Any, ...], options: Options) -> tuple[Any, Options]:
    """The solver's result for plain values, and the options of its solution from time to time."""
    result = solve(*ignore_derivatives(given), **options)
    own = {name: value for name, value in inherited(options).items() if name != "max_step"}
    return result, {"times": result.t, "options": own}


def moving_rrule(
    config: RuleConfig, given: tuple[Any, ...], options: Options
) -> tuple[Any, Pullback]:
    """The result of `solve`, and its pullback."""
    result, further = prepared(given, options)
    (t, y), pull = rrule_via_ad(config, from_time_to_time, *given, **further)
    made = type(result)({**result, "t": t, "y": y})

    def moving_pullback(result_bar) -> tuple[Any, ...]:
        own = tangents_of_parts(result_bar, fields(made))
        bars = own.get("t", ZERO), own.get("y", ZERO)
        if all(map(is_zero, bars)):
            return (ZERO,) * len(given)
        return tuple(pull(with_entries(tuple, dict(enumerate(bars)))))

    return made, moving_pullback


def moving_frule(
    config: RuleConfig, dots: tuple[Any, ...], given: tuple[Any, ...], options: Options
) -> tuple[Any, Any]:
    """The result of `solve`, and its tangent."""
    result, further = prepared(given, options)
    (t, y), moved = frule_via_ad(config, dots, from_time_to_time, *given, **further)
    parts = tangents_of_parts(moved, (0, 1))
    made = type(result)({**result, "t": t, "y": y})
    return made, with_entries(type(made), {"t": parts.get(0, ZERO), "y": parts.get(1, ZERO)})
