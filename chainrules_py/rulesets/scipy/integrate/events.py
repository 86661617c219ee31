"""Events of `solve_ivp`: times at which functions of the solution are zero, and the values there.

A time is the solution of event(t, y(t)) = 0. How many there are is found by plain numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers.implicit import ImplicitFunction
from chainrules_py.rulesets.formulas.known_values import greatest_known
from chainrules_py.values.arrays import common_namespace
from chainrules_py.values.captured_values import Closure


@dataclass(frozen=True, eq=False)
class Event:
    """A function of time and solution, and how its zeros count."""

    function: Callable[..., Any]
    terminal: Any
    direction: Any

    def of_scipy(self, args: tuple[Any, ...]) -> Callable[[Any, Any], Any]:
        """The function as SciPy takes it."""

        def event(t, y):
            return self.function(t, y, *args)

        vars(event).update(terminal=self.terminal, direction=self.direction)
        return event


@dataclass(frozen=True, eq=False)
class Watched:
    """A slope, and the events that are looked for along its solution."""

    slope: Callable[..., Any]
    events: tuple[Event, ...]


def watched(slope: Callable[..., Any], events) -> Watched:
    """A slope with the events that a caller of `solve_ivp` gives: one, or several."""
    found = (events,) if callable(events) else tuple(events)
    return Watched(slope, tuple(map(event_of, found)))


def event_of(function: Callable[..., Any]) -> Event:
    """A function with the attributes by which SciPy is told how it counts."""
    written: Any = function.function if isinstance(function, Closure) else function
    terminal = getattr(written, "terminal", None)
    return Event(function, terminal, int(np.sign(getattr(written, "direction", 0))))


def by_diagonal(product: Callable[[Any], Any], vector):
    """The solution of a system whose matrix is diagonal: no time depends on another one."""
    slopes = product(np.ones(vector.shape))
    if greatest_known(1.0 * (ignore_derivatives(slopes) == 0)):
        raise NotDifferentiableError(
            "scipy.integrate.solve_ivp: events",
            "an event that jumps or rests where it is zero, whose time has no derivative",
            "let it pass through zero with a slope",
            primal=integrate.solve_ivp,
            argument="events",
        )
    return vector / slopes


def solution_with_events(
    watched: Watched, t_span, y0, t_eval, args, *, plain, solve: Callable[..., Any], options
) -> tuple[Any, Any, list[Any], list[Any]]:
    """What `solve_ivp` returns: times and values, times of events and the values there.

    `plain` is that of plain numbers. A problem that an event ends is solved to the time of that.
    """
    fun, known = watched.slope, plain.t_events
    last = ending(watched.events, known, ignore_derivatives(t_span[0]))
    end = t_span[1] if last is None else ignore_derivatives(known[last][-1])
    span = (t_span[0], end)

    def values_at(times, fun, first, y0, args) -> Any:
        return solve(fun, (first, end), y0, times, args, **options).y

    def times_of(event: Event, found) -> Any:
        def at_times(times, function, *problem):
            values, args = values_at(times, *problem), problem[-1]
            each = [function(times[k], values[:, k], *args) for k in range(times.shape[0])]
            return common_namespace(each).stack(each)

        solved = ImplicitFunction(lambda *given: found, at_times, by_diagonal)
        return solved(event.function, fun, t_span[0], y0, args)

    times, values = [], []
    for event, found in zip(watched.events, known, strict=True):
        moved = times_of(event, found) if found.shape[0] else found
        times.append(moved)
        values.append(values_at(moved, fun, t_span[0], y0, args).T if found.shape[0] else found)
    if last is None:
        result = solve(fun, span, y0, t_eval, args, **options)
        return result.t, result.y, times, values
    if not len(plain.t):
        return plain.t, plain.y, times, values
    if t_eval is None:
        each = [t_span[0], *plain.t[1:-1], times[last][-1]]
        asked = common_namespace(each).stack(each)
    else:
        asked = t_eval[: len(plain.t)]
    return asked, values_at(asked, fun, t_span[0], y0, args), times, values


def ending(events: Sequence[Event], times, first) -> int | None:
    """Which event ends the problem: the first one, in time, that was met as often as it may be."""
    counts = [len(found) for found in times]
    met = [k for k, event in enumerate(events) if event.terminal and event.terminal == counts[k]]
    if len(met) < 2:
        return met[0] if met else None
    ends = {k: times[k][-1] for k in met}
    return min(met, key=lambda k: abs(ends[k] - first))
