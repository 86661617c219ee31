"""Solutions at traced times or at events, as a program of solutions at constant times.

A time that moves is a step away from one that does not: a step of length zero by Euler's formula,
whose first derivatives are those of the solution, or, where times are differentiated further, by
that of DOP853, of which the first eight are. The time of an event is where event(t, y(t)) = 0; how
many there are is found by plain numbers.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.annotations import Options
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers.implicit import ImplicitFunction
from chainrules_py.rules.config import RuleConfig, frule_via_ad
from chainrules_py.rulesets.formulas.known_values import greatest_known
from chainrules_py.rulesets.formulas.programs import rrule_of_needed
from chainrules_py.rulesets.scipy.integrate.events import Event, Watched, ending
from chainrules_py.rulesets.scipy.integrate.initial_values import slope, solve
from chainrules_py.rulesets.scipy.integrate.nodes import together
from chainrules_py.table.entry_points import Pullback
from chainrules_py.tangents import ZERO, is_zero, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.structure import fields

NUMBERS = (int, float, np.float64)
Formula = tuple[Any, Any, Any]  # shares of the step, the matrix of its stages, and their weights
EULER = np.zeros(1), np.zeros((1, 0)), np.ones(1)
OF_ORDER_EIGHT = integrate.DOP853.C, integrate.DOP853.A, integrate.DOP853.B


def moved(formula: Formula, fun, here, there, y, args) -> Any:
    """The value of a solution at another time, by one step."""
    if type(here) in NUMBERS and type(there) in NUMBERS:  # which do not move
        return y
    shares, rows, weights = formula
    h, stages = there - here, list[Any]()
    for share, row in zip(shares, rows, strict=True):
        inner = y + h * weighted(row, stages) if stages else y
        stages.append(slope(here + share * h, inner, fun, args))
    return y + h * weighted(weights, stages)


def weighted(row, stages: list[Any]) -> Any:
    """The sum of slopes times weights."""
    return np.tensordot(row[: len(stages)], together(stages), 1)


def solution_at_moving_times(
    fun, t_span, y0, t_eval, args, *, plain, formula: Formula, options: Options
) -> tuple[Any, Any, list[Any], list[Any]]:
    """Times, events and values at both, from the solution at constant times: those of `plain`, the
    result of the solver.
    """
    events: tuple[Event, ...] = ()
    if isinstance(fun, Watched):
        fun, events = fun.slope, fun.events
    known = plain.t_events if events else []
    first, end = ignore_derivatives(t_span)
    last = ending(events, known, first)
    span = (first, end if last is None else known[last][-1])
    step = partial(moved, formula)
    begin = step(fun, t_span[0], first, y0, args)

    def columns_at(times) -> Any:
        return solve(fun, span, begin, times, args, **options).y

    times, values = [], []
    for event, found in zip(events, known, strict=True):
        if not found.shape[0]:
            times.append(found)
            values.append(found)
            continue
        y = columns_at(found)
        met = times_of(event, step, fun, found, y, args)
        times.append(met)
        values.append(together([step(fun, *at, args) for at in zip(found, met, y.T, strict=True)]))
    if not len(plain.t):
        return plain.t, plain.y, times, values
    asked = t_eval
    if asked is None:  # of the times of the solver's steps those at the ends move alone
        ends = t_span[0], t_span[1] if last is None else times[last][-1]
        asked = [ends[0], *plain.t[1:-1], ends[1]]
    y = columns_at(plain.t)
    each = [step(fun, *at, args) for at in zip(plain.t, asked, y.T, strict=False)]
    return together(list(asked)[: len(each)]), together(each).T, times, values


def times_of(event: Event, step, fun, found, y, args) -> Any:
    """The times of an event, from their plain numbers and the values there."""

    def at_times(times, function, fun, y, args) -> Any:
        each = zip(times, found, y.T, strict=True)
        return together(
            [function(there, step(fun, here, there, v, args), *args) for there, here, v in each]
        )

    solved = ImplicitFunction(lambda *given: found, at_times, by_diagonal)
    return solved(event.function, fun, y, args)


def by_diagonal(product: Callable[[Any], Any], vector):
    """The solution of a system whose matrix is diagonal: no time depends on another one."""
    slopes = product(np.ones(vector.shape))
    if greatest_known(1.0 * (ignore_derivatives(slopes) == 0)):
        raise NotDifferentiableError(
            "scipy.integrate.solve_ivp: events",
            "an event that jumps, or has no slope, where it is zero; its time has no derivative",
            "write an event function that passes through zero with a slope",
            primal=integrate.solve_ivp,
            argument="events",
        )
    return vector / slopes


def program_of_solver(
    config: RuleConfig, given: tuple[Any, ...], options: Options
) -> tuple[Any, Any, list[str]]:
    """The solver's result for plain values, and a program that gives some of its fields."""
    plain, has_events = solve(*ignore_derivatives(given), **options), isinstance(given[0], Watched)
    times = given if has_events else (given[1], given[3])
    formula = OF_ORDER_EIGHT if config.is_active(times) else EULER
    program = partial(solution_at_moving_times, plain=plain, formula=formula, options=options)
    return plain, program, ["t", "y", "t_events", "y_events"][: 4 if has_events else 2]


def program_rrule(
    config: RuleConfig, given: tuple[Any, ...], needs: tuple[bool, ...], options: Options
) -> tuple[Any, Pullback]:
    """The result of `solve` and its pullback, from the program of the solver."""
    result, program, names = program_of_solver(config, given, options)
    values, pull = rrule_of_needed(config, program, given, needs)
    made = of_program(config, given, result, dict(zip(names, values, strict=False)))

    def program_pullback(result_bar) -> tuple[Any, ...]:
        own = tangents_of_parts(result_bar, fields(made))
        bars = {k: own.get(name, ZERO) for k, name in enumerate(names)}
        if all(map(is_zero, bars.values())):
            return (ZERO,) * len(given)
        return pull(with_entries(tuple, bars | dict.fromkeys(range(len(names), 4), ZERO)))

    return made, program_pullback


def program_frule(
    config: RuleConfig, dots: tuple[Any, ...], given: tuple[Any, ...], options: Options
) -> tuple[Any, Any]:
    """The result of `solve` and its tangent, from the program of the solver."""
    result, program, names = program_of_solver(config, given, options)
    values, moved = frule_via_ad(config, dots, program, *given)
    parts = tangents_of_parts(moved, range(len(names)))
    made = of_program(config, given, result, dict(zip(names, values, strict=False)))
    tangents = {name: parts.get(k, ZERO) for k, name in enumerate(names)}
    return made, with_entries(type(made), tangents)


def of_program(config: RuleConfig, given: tuple[Any, ...], result, values: Options) -> Any:
    """The solver's result, with values that can be differentiated again."""
    return type(result)({**result, **values}) if config.is_active(given) else result
