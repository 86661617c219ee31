"""Reverse mode: the tape, and the operations that are recorded on it.

A tape is three parallel lists, one entry per operation: `pulls`, `residuals` and `parents`.
Operation number `slot` computed the value whose cotangent is ``bars[slot]``; its pullback is
``pulls[slot](residuals[slot], y_bar)``, and its parents say which slots the cotangents of its
arguments go to:

    int      the slot of argument 0, the others being constants;
             ~slot of argument 1, if argument 0 is the constant
    tuple    per argument its slot, None for a constant, or a dict for a container, by its keys

Operations of numbers have other entries, and those of two arguments two (`core.partials`).

The first `count` slots are the inputs, which have no pullback. There are no nodes, so nothing
refers to itself: a million operations are freed as three lists. Residuals are a tuple of arrays and
shapes, which the garbage collector does not track, or a pullback that a rule returned.
"""

from typing import Any, cast

from numpy import ndarray

from chainrules_tape.core.partials import times_partial, times_partial_of_two, times_traced
from chainrules_tape.core.plans import Engine
from chainrules_tape.core.recording import Recorder
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.refusals.handles import HandleClasses, TracedArray

_new = object.__new__  # module globals: an attribute costs 20 ns more


class TapeHandle(TracedArray):
    """A handle on a value of a tape; `arrays.handles` has its classes, and what they answer."""

    __slots__ = ("slot",)
    carries = "slot"
    slot: int


HANDLE_OF = HandleClasses()
HANDLES = HANDLE_OF.classes

Operation = tuple[Any, Any, Any]  # an entry of `pulls`, of `residuals` and of `parents`


def slots_of(parents) -> tuple[Any, ...]:
    """The parents of an operation as one entry per argument; constants at the end have none."""
    if type(parents) is not int:
        return cast("tuple[Any, ...]", parents)
    return (parents,) if parents >= 0 else (None, ~parents)


class Tape(Recorder):
    """One reverse derivative: what was computed, in order."""

    __slots__ = ("count", "entries", "parents", "pulls", "residuals")

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, engine.stages)
        self.count = 0
        self.entries: dict[Any, Any] = {}  # that were read, by the slot of the array and the index
        self.pulls: list[Any] = []
        self.residuals: list[Any] = []
        self.parents: list[Any] = []

    def input(self, value) -> Any:
        """Make the handle on a new input; a value without tangent space is given back as it is."""
        is_array = type(value) is ndarray and value.dtype.kind == "f"  # nearly always
        if not is_array and not is_differentiable(value):
            return value
        self.count += 1
        if issubclass(type(value), TracedArray):
            return self.record(cast(TracedArray, value).resolved(self), None, None, None)
        return self.record(value, None, None, None)

    def record(self, y, pull, residuals, parents) -> Any:
        """Write an operation on the tape, and make the handle on its value."""
        y_traced = _new(HANDLE_OF[type(y)])
        y_traced.value = y
        y_traced.slot = len(self.pulls)
        y_traced.level = self
        self.pulls.append(pull)
        self.residuals.append(residuals)
        self.parents.append(parents)
        return y_traced

    def slot_of(self, value) -> int | None:
        """The slot of a handle of this tape; None for anything else."""
        return value.slot if type(value) in HANDLES and value.level is self else None

    def close(self) -> None:
        """End the trace: handles that are still about raise from now on, and hold no memory."""
        super().close()
        self.pulls = self.residuals = self.parents = []
        self.entries = {}


class FinishedTape:
    """The three lists of a tape whose trace has ended: what a pullback sweeps over."""

    __slots__ = ("count", "decisions", "parents", "pulls", "residuals")

    def __init__(self, tape: "Tape") -> None:
        self.pulls, self.residuals, self.parents = tape.pulls, tape.residuals, tape.parents
        self.count, self.decisions = tape.count, tape.decisions
        tape.close()

    def pop(self) -> Operation:
        """Take the last operation off the tape."""
        pull, residuals, parents = self.pulls.pop(), self.residuals.pop(), self.parents.pop()
        return self.with_slots(pull, residuals, parents)

    def with_slots(self, pull, residuals, parents) -> Operation:
        """An operation that was the last one in the form of all others, if it is one of numbers."""
        slot = len(self.pulls)
        if pull is times_partial:
            return times_traced, residuals, slot - parents
        if pull is times_partial_of_two:
            both = residuals, self.residuals.pop()
            return times_traced, both, (slot - parents, slot - self.parents.pop())
        return pull, residuals, parents

    def copy(self) -> "FinishedTape":
        """Copy the lists, because a sweep spends them."""
        other: FinishedTape = object.__new__(FinishedTape)
        other.pulls = self.pulls.copy()
        other.residuals = self.residuals.copy()
        other.parents = self.parents.copy()
        other.count = self.count
        other.decisions = self.decisions
        return other
