"""Forward mode: values that carry their tangent.

An operation hands its rule the values and their tangents and gets both back, so nothing is recorded. A handle exists only where
there is a tangent: a result whose tangent is zero is a constant, and stays plain.
"""

from typing import Any

from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents import ZERO, is_zero, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_tape.core.errors import raise_escaped_value, refuse_objects
from chainrules_tape.core.levels import HandleClasses, TracedArray, call, with_arrays
from chainrules_tape.core.plans import Derivative, Engine
from chainrules_tape.core.values import finished_cotangent, is_differentiable


class DualArray(TracedArray):
    """A handle on an array and its tangent."""

    __slots__ = ("tangent",)
    tangent: Any


class DualNumber(TracedArray):
    """A handle on a number and its tangent, which has no length and is not iterable."""

    __slots__ = ("tangent",)
    is_number = True
    tangent: Any


HANDLES = frozenset({DualArray, DualNumber})
HANDLE_OF = HandleClasses(DualArray, DualNumber)


class Pushforward(Derivative):
    """One forward derivative."""

    __slots__ = ()

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.stages = engine.runs

    def dual(self, value: Any, dot: Any) -> Any:
        """A value with its tangent attached."""
        made: Any = object.__new__(HANDLE_OF[type(value)])
        made.value, made.tangent, made.level = value, dot, self
        return made

    def close(self) -> None:
        """End the trace: handles that are still about raise from now on."""
        self.closed = True
        self.stages = {}  # operators find nothing, ask, and learn that it is closed

    def call(self, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Any operation on values of this level and of outer ones."""
        if self.closed:
            raise_escaped_value(primal, next((arg for arg in args if isinstance(arg, TracedArray)), None))
        if self.overwritten is not None:
            self.overwritten.refuse(primal, (*args, *options.values()))
        primal, args, options = self.engine.table.canonical(primal, args, options)
        dots = tuple([self.tangent(arg) for arg in args])
        needs = tuple([dot is not ZERO for dot in dots])
        values = tuple([self.strip(arg) if need else arg for arg, need in zip(args, needs, strict=True)])
        types = tuple(map(type, values))
        if self.engine.wants_arrays("forward", primal, types, needs):
            return call(primal, with_arrays(args), options)
        plan = self.engine.plan("forward", primal, types, needs)
        if options:
            options = self.options(plan, options, args)
        y, y_dot = plan.run(dots, *values, **options)
        return self.wrap(primal, y, y_dot) if plan.differentiable else y

    def tangent(self, value: Any) -> Any:
        """The tangent of an argument: ZERO for constants, structural for containers."""
        if isinstance(value, TracedArray):
            return value.tangent if value.level is self else ZERO  # type: ignore[attr-defined]
        if not is_container(value):
            return ZERO
        dots = {key: self.tangent(part) for key, part in fields(value).items()}
        return ZERO if all(dot is ZERO for dot in dots.values()) else with_entries(type(value), dots)

    def wrap(self, primal: Any, y: Any, y_dot: Any) -> Any:
        """Handles on what a rule computed; a part whose tangent is zero is a constant."""
        y_dot = finished_cotangent(y_dot, y)
        if isinstance(y, TracedArray):
            y = finished_cotangent(y, y_dot)
            self.refuse_own(primal, y)
        elif is_container(y):
            parts = fields(y)
            dots = tangents_of_parts(y_dot, parts)
            return rebuild(y, {key: self.wrap(primal, part, dots.get(key, ZERO)) for key, part in parts.items()})
        if is_zero(y_dot):
            return y
        if is_differentiable(y):
            return self.dual(y, y_dot)
        refuse_objects(primal, y)
        return y
