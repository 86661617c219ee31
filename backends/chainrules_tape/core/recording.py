"""Slow dispatch onto a tape: the result of a rule is taken apart, and each part recorded."""

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from chainrules_py.annotations import Options
from chainrules_py.tangents import ZERO, with_entries
from chainrules_py.values.arrays import is_numpys
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.core.dispatch import Derivative
from chainrules_tape.core.plans import Plan
from chainrules_tape.core.values import LIBRARY_ARRAYS, is_differentiable, resolved
from chainrules_tape.overwriting.constants import own_parts
from chainrules_tape.overwriting.marks import Mark
from chainrules_tape.refusals.errors import refuse_objects
from chainrules_tape.refusals.handles import TracedArray

Pull = Callable[[Any, Any], Any]


class Recorder(Derivative):
    """The part of a tape that serves slow dispatch; `tape` has `record`, and the lists that it
    fills.
    """

    __slots__ = ()
    mode = "reverse"
    nothing = None

    def record(self, y, pull, residuals, parents) -> Any:
        """Write an operation on the tape, and make the handle on its value."""
        raise NotImplementedError

    def run(
        self,
        primal,
        plan: Plan,
        values: tuple[Any, ...],
        options: Options,
        mode_data: tuple[Any, ...],
    ) -> Any:
        """Run an operation by its rule, and record it."""
        if not plan.differentiable:
            return own_constant(plan.run(*values, **options)[0], values)
        values, options, marks = owned(plan, values, options, mode_data)
        y, pull, residuals = self.stage(primal, plan, values, options)
        if marks:
            y, pull, residuals = plan.watch.over(y, pull, residuals, marks)
        is_alone = len(mode_data) == 1 and type(mode_data[0]) is int
        parents = mode_data[0] if is_alone else mode_data
        return self.wrap(primal, y, pull, residuals, parents)

    def stage(
        self, primal, plan: Plan, values: tuple[Any, ...], options: Options
    ) -> tuple[Any, Any, Any]:
        """Run the rule of a plan: its value, its pullback, and the residuals of that."""
        return plan.stage(*values, **options)

    def mode_data(self, value) -> Any:
        """The slots of an argument: one, a dict of them for a container, None for a constant."""
        if isinstance(value, TracedArray):
            return value.slot if value.level is self else None  # type: ignore[attr-defined]
        if not is_container(value):
            return None
        found = {
            key: slots
            for key, part in fields(value).items()
            if (slots := self.mode_data(part)) is not None
        }
        return found or None

    def wrap(self, primal, y, pull: Pull, residuals, parents) -> Any:
        """Record the result of a rule, and make the handles on it; integers and the like are
        constants.
        """
        if type(y) not in LIBRARY_ARRAYS:
            if isinstance(y, TracedArray):
                y = resolved(y)
                self.refuse_own(primal, y)
            elif is_container(y):
                return self.wrap_parts(primal, y, pull, residuals, parents)
        if is_differentiable(y):
            return self.record(y, pull, residuals, parents)
        refuse_objects(primal, y)
        return y

    def wrap_parts(self, primal, y, pull: Pull, residuals, parents) -> Any:
        """Record several outputs: the operation has a slot, and each part another, whose pullback
        puts the cotangent in its place.
        """
        whole = self.record(None, pull, residuals, parents).slot
        parts = fields(y)
        template = dict.fromkeys(parts, ZERO)
        handles = {
            key: self.wrap(primal, part, part_pull, (type(y), template, key), whole)
            for key, part in parts.items()
        }
        return rebuild(y, handles)


def own_constant(y, values: tuple[Any, ...]) -> Any:
    """Return a result without derivative, into which a user may write: a copy, where it is an
    argument itself.
    """
    if type(y) is ndarray or is_numpys(y):
        return y.copy("K") if any(y is value for value in values) else y
    return resolved(y)


def owned(
    plan: Plan, values: tuple[Any, ...], options: Options, mode_data: tuple[Any, ...]
) -> tuple[tuple[Any, ...], dict[str, Any], list[Mark]]:
    """Return arguments and options as a rule may keep them: arrays inside containers are copied or
    marked, because the program may overwrite them. The marks are returned, too.

    The stage sees to arrays that are arguments by themselves (`overwriting.constants`).
    """
    marks: list[Mark] = []
    own = list(values)
    for i, (value, slots) in enumerate(zip(values, mode_data, strict=True)):
        if type(value) is list or (i in plan.kept_arguments and is_container(value)):
            own[i] = own_parts(value, slots, i, plan.latest, marks)
    return tuple(own), own_options(plan, options, marks), marks


def own_options(plan: Plan, options: Options, marks: list[Mark]) -> dict[str, Any]:
    """Return options as a rule may keep them."""
    return {
        name: own_parts(option, None, name, plan.latest, marks) for name, option in options.items()
    }


def owning_options(plan: Plan, stage, options: Options) -> tuple[Any, dict[str, Any]]:
    """Return the stage of a plan for options that hold arrays, and these options, copied or marked
    (`overwriting.constants`).
    """
    if not plan.differentiable:
        return stage, options
    marks: list[Mark] = []
    options = own_options(plan, options, marks)
    if not marks:
        return stage, options

    def watched(*values, **others) -> tuple[Any, Any, Any]:
        y, pull, residuals = stage(*values, **others)
        return plan.watch.over(y, pull, residuals, marks)

    return watched, options


def part_pull(residuals, part_bar) -> tuple[Any]:
    """Pull the cotangent of one part of a container back to the container."""
    primal_type, template, key = residuals
    return (with_entries(primal_type, {**template, key: part_bar}),)
