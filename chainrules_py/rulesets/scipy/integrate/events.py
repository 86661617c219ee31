"""Events of `solve_ivp`: functions of time and solution, at whose zeros something happens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function
from chainrules_py.values.captured_values import Closure


@dataclass(frozen=True, eq=False)
class Event:
    """A function of time and solution, and how its zeros count."""

    function: Function
    terminal: Any
    direction: Any

    def of_scipy(self, args: Args) -> Callable[[Any, Any], Any]:
        """The function as SciPy takes it."""

        def event(t, y):
            return self.function(t, y, *args)

        vars(event).update(terminal=self.terminal, direction=self.direction)
        return event


@dataclass(frozen=True, eq=False)
class Watched:
    """A slope, and the events that are looked for along its solution."""

    slope: Function
    events: tuple[Event, ...]


def watched(slope: Function, events) -> Watched:
    """A slope with the events that a caller of `solve_ivp` gives: one, or several."""
    found = (events,) if callable(events) else tuple(events)
    return Watched(slope, tuple(map(event_of, found)))


def event_of(function: Function) -> Event:
    """A function with the attributes by which SciPy is told how it counts."""
    written: Any = function.function if isinstance(function, Closure) else function
    terminal = getattr(written, "terminal", None)
    return Event(function, terminal, int(np.sign(getattr(written, "direction", 0))))


def ending(events: Sequence[Event], times, first) -> int | None:
    """The event that ends the problem: the first, in time, that reached its count."""
    counts = [len(found) for found in times]
    met = [k for k, event in enumerate(events) if event.terminal and event.terminal == counts[k]]
    if len(met) < 2:
        return met[0] if met else None
    ends = {k: times[k][-1] for k in met}
    return min(met, key=lambda k: abs(ends[k] - first))
