"""Forward mode: values that carry their tangent.

An operation hands its rule the values and their tangents and gets both back, so nothing is
recorded. A handle exists only where there is a tangent: a result whose tangent is zero is a
constant, and stays plain.
"""

from operator import attrgetter
from typing import Any

import numpy as np

from chainrules_py.annotations import Function, Options
from chainrules_py.tangents import ZERO, is_zero, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.arrays import library_of_types, outranking
from chainrules_py.values.plain_code import say_plain
from chainrules_py.values.python_numbers import in_pythons_form
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.core.dispatch import Derivative
from chainrules_tape.core.levels import open_level, open_levels
from chainrules_tape.core.plans import Engine, Plan
from chainrules_tape.core.recording import own_constant
from chainrules_tape.core.tracing import projected, value_of_handle
from chainrules_tape.core.trees import Rebuild, flatten
from chainrules_tape.core.values import is_differentiable, resolved
from chainrules_tape.overwriting.arguments import copy_of
from chainrules_tape.refusals.bypassed_rules import warn_of_bypassed_rules
from chainrules_tape.refusals.errors import refuse_objects
from chainrules_tape.refusals.explaining import explain_error, warn_of_refusals
from chainrules_tape.refusals.handles import HandleClasses, TracedArray
from chainrules_tape.refusals.instrumented_packages import stood_for
from chainrules_tape.refusals.subclasses import refuse_escaped, refuse_labelled_results


class DualHandle(TracedArray):
    """A handle on a value and its tangent; `arrays.handles` has its classes."""

    __slots__ = ("tangent",)
    carries = "tangent"
    tangent: Any


HANDLE_OF = HandleClasses()
HANDLES = HANDLE_OF.classes
# classes of tangents that outrank no value
NATURAL = frozenset({np.ndarray, np.float64, float, type(ZERO)})
tangent_of = attrgetter("tangent")


class Pushforward(Derivative):
    """One forward derivative: each operation computes its tangent at once."""

    __slots__ = ("dots", "tangents")
    mode = "forward"
    nothing = ZERO
    # classes of tangents whose library computes all rules, where it is not that of the values
    tangents: tuple[type, ...]

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, engine.runs)
        self.tangents = ()
        self.dots: list[Any] = []  # the tangents of `points`

    def dual(self, value, dot) -> Any:
        """Make the handle that carries a value and its tangent."""
        cls = HANDLE_OF[type(value)]
        if cls.is_pythons:
            dot = in_pythons_form(dot)
        made: Any = object.__new__(cls)
        made.value, made.tangent, made.level = value, dot, self
        return made

    def run(
        self,
        primal,
        plan: Plan,
        values: tuple[Any, ...],
        options: Options,
        mode_data: tuple[Any, ...],
    ) -> Any:
        """Run an operation by its rule, with its tangent."""
        y, y_dot = plan.run(mode_data, *values, **options)
        return self.wrap(primal, y, y_dot) if plan.differentiable else own_constant(y, values)

    def follow(self, leaves: list[Any], dots: list[Any]) -> None:
        """Have rules bound to the library of the tangents, where that is not the library of the
        values.

        Fast dispatch looks at the classes of values only: what it has found is of use to the same
        library of tangents alone.
        """
        pairs = zip(leaves, dots, strict=True)
        unusual = tuple([(type(x), type(dot)) for x, dot in pairs if type(dot) not in NATURAL])
        known = self.engine.runs_of_classes.get(unusual)
        if known is None:
            each = [outranking((cls,), (dot_class,)) for cls, dot_class in unusual]
            found = tuple({cls for classes in each for cls in classes})
            if not found:
                return
            # what is run where this library computes the tangents
            runs = self.engine.runs_of_library.setdefault(library_of_types(found).name, {})
            known = found, runs
            self.engine.runs_of_classes[unusual] = known
        self.tangents, self.stages = known

    def plan(self, primal, types: tuple[type, ...], needs: tuple[bool, ...]) -> Plan:
        """Return the plan for a call, bound to the library of its values and tangents."""
        tangents = outranking(types, self.tangents) if self.tangents else ()
        return self.engine.plan("forward", primal, types, needs, tangents)

    def mode_data(self, value) -> Any:
        """The tangent of an argument: ZERO for constants, structural for containers."""
        if isinstance(value, TracedArray):
            return value.tangent if value.level is self else ZERO  # type: ignore[attr-defined]
        if not is_container(value):
            return ZERO
        dots = {key: self.mode_data(part) for key, part in fields(value).items()}
        if all(dot is ZERO for dot in dots.values()):
            return ZERO
        return with_entries(type(value), dots)

    def wrap(self, primal, y, y_dot) -> Any:
        """Make the handles on the result of a rule; a part whose tangent is zero is a constant."""
        y_dot = resolved(y_dot)
        if isinstance(y, TracedArray):
            y = resolved(y)
            self.refuse_own(primal, y)
        elif is_container(y):
            parts = fields(y)
            dots = tangents_of_parts(y_dot, parts)
            handles = {
                key: self.wrap(primal, part, dots.get(key, ZERO)) for key, part in parts.items()
            }
            return rebuild(y, handles)
        if is_zero(y_dot):
            return y
        if is_differentiable(y):
            return self.dual(y, y_dot)
        refuse_objects(primal, y)
        return y


def writable(x) -> Any:
    """A value that a function may write into as if each entry had a place of its own.

    For arrays that repeat entries, as those that were broadcast, it is a copy; a first write copies
    the others.
    """
    if type(x) is not np.ndarray or x.flags.forc or x.flags.writeable:
        return x
    return copy_of(x)


def trace_forward(
    level: Pushforward,
    function: Function,
    leaves: list[Any],
    dots: list[Any],
    rebuilt: Rebuild,
    of: Function | None = None,
) -> tuple[list[Any], list[Any], Rebuild]:
    """Run a function forward: the leaves of its result, their tangents, and the function that makes
    a result of such leaves. `of` is the function as its author knows it, for errors.
    """
    if level.engine.bypassed:
        warn_of_bypassed_rules(level.engine, of or function)
    level.points, level.dots = leaves, dots
    level.given = leaves, getattr(function, "constants", [])
    before = say_plain(False)
    try:
        open_level(level.serial, of or function)
        if not NATURAL.issuperset(map(type, dots)):
            level.follow(leaves, dots)
        duals = [
            level.dual(writable(x), t) if is_differentiable(x) and not is_zero(t) else x
            for x, t in zip(leaves, dots, strict=True)
        ]
        results, made = flatten(function(*rebuilt(duals)))
        if level.refused is not None:
            warn_of_refusals(level)
        if level.written is not None:
            results = [level.resolved(result) for result in results]
        if False in [type(y) in HANDLES and y.level is level for y in results]:
            results = list(map(stood_for, results))
            refuse_labelled_results(of or function, results)
            refuse_escaped(of or function, results)
            values = [level.strip(resolved(y)) for y in results]
            found = [level.mode_data(y) for y in results]
        else:
            values, found = list(map(value_of_handle, results)), list(map(tangent_of, results))
        if level.decisions is not None:
            level.decisions.require_tangents(found, any(map(is_differentiable, values)))
        level.close()
    except Exception as error:
        explain_error(level, error, of or function, rebuilt(leaves))
        raise
    finally:
        open_levels.pop(level.serial, None)
        say_plain(before)
        if not level.closed:  # nor was it after an interrupt, or a full stack
            level.close()
    return values, list(map(projected, found, values)), made
