"""Reverse mode: the tape, and the operations that are recorded on it.

A tape is three parallel lists, one entry per operation: `pulls`, `kept` and `parents`. Operation number `slot` computed
the value whose cotangent is ``bars[slot]``; its pullback is ``pulls[slot](kept[slot], y_bar)``, and parents says which
slots the cotangents of its arguments go to:

    int      the slot of argument 0, the others being constants; ~slot of argument 1, if argument 0 is the constant
    tuple    per argument its slot, None for a constant, or a dict for a container, by its keys

The first `count` slots are the inputs. There are no nodes, so nothing refers to itself: a million operations are freed
as three lists. `kept` is a tuple of arrays and shapes (from scalar rules) that the garbage collector does not track, or
the pullback of a rule that was written as a function.

The model for time, per operation at size 1, with the bare work of NumPy at 0.8 us: 0.5 us until the rule, 0.3 in it, 0.3 in the
sweep. What is not pretty below is measured.
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents import ZERO, with_entries
from chainrules_tape.core.errors import raise_escaped_value, refuse_objects
from chainrules_tape.core.levels import HandleClasses, TracedArray, call, with_arrays
from chainrules_tape.core.plans import Derivative, Engine, Plan
from chainrules_tape.core.values import finished_cotangent, is_differentiable

Pull = Callable[[Any, Any], Any]

_new = object.__new__  # module globals: an attribute costs 20 ns more


class TapeArray(TracedArray):
    """A handle on an array of a tape: what the differentiated function sees."""

    __slots__ = ("slot",)
    slot: int


class TapeNumber(TracedArray):
    """A handle on a number of a tape, which has no length and is not iterable."""

    __slots__ = ("slot",)
    is_number = True
    slot: int


HANDLES = frozenset({TapeArray, TapeNumber})
HANDLE_OF = HandleClasses(TapeArray, TapeNumber)


class Tape(Derivative):
    """One reverse derivative: what was computed, in order."""

    __slots__ = ("count", "kept", "parents", "pulls")

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.stages = engine.stages
        self.pulls: list[Any] = []
        self.kept: list[Any] = []
        self.parents: list[Any] = []
        self.count = 0

    def input(self, value: Any) -> Any:
        """A new input."""
        self.count += 1
        return self.record(value, None, None, None)

    def record(self, y: Any, pull: Any, kept: Any, parents: Any) -> Any:
        """A handle on a new value."""
        y_traced = _new(HANDLE_OF[type(y)])
        y_traced.value = y
        y_traced.slot = len(self.pulls)
        y_traced.level = self
        self.pulls.append(pull)
        self.kept.append(kept)
        self.parents.append(parents)
        return y_traced

    def close(self) -> None:
        """End the trace: handles that are still about raise from now on, and hold no memory."""
        self.closed = True
        self.pulls = self.kept = self.parents = []
        self.stages = {}  # operators find nothing, ask, and learn that it is closed

    # The general way: any primal, any arguments

    def call(self, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Any operation on values of this tape and of outer levels."""
        if self.closed:
            raise_escaped_value(primal, next(filter(self.owns, args), None))
        if self.overwritten is not None:
            self.overwritten.refuse(primal, (*args, *options.values()))
        engine = self.engine
        primal, args, options = engine.table.canonical(primal, args, options)
        slots = tuple([arg.slot if type(arg) in HANDLES and arg.level is self else self.slots(arg) for arg in args])
        needs = tuple([slot is not None for slot in slots])
        values = tuple([arg if slot is None else self.strip(arg) for arg, slot in zip(args, slots, strict=True)])
        types = tuple(map(type, values))
        if engine.wants_arrays("reverse", primal, types, needs):
            return call(primal, with_arrays(args), options)
        plan = engine.plan("reverse", primal, types, needs)
        if options:
            options = self.options(plan, options, args)
        if list in map(type, (*values, *options.values())):
            values, options = tuple(map(own_list, values)), {name: own_list(option) for name, option in options.items()}
        if not plan.differentiable:
            return plan.run(*values, **options)[0]
        y, pull, kept = self.stage(primal, plan, values, options)
        return self.wrap(primal, y, pull, kept, slots[0] if needs == (True,) and type(slots[0]) is int else slots)

    def stage(self, primal: Any, plan: Plan, values: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Run the rule."""
        return plan.stage(*values, **options)

    def owns(self, value: Any) -> bool:
        """Whether a value is a handle of this tape."""
        return isinstance(value, TracedArray) and value.level is self

    def slots(self, value: Any) -> Any:
        """Where the cotangent of an argument goes: a slot, a dict of them for a container, None for a constant."""
        if isinstance(value, TracedArray):
            return value.slot if value.level is self else None  # type: ignore[attr-defined]
        if not is_container(value):
            return None
        found = {key: slots for key, part in fields(value).items() if (slots := self.slots(part)) is not None}
        return found or None

    def wrap(self, primal: Any, y: Any, pull: Pull, kept: Any, parents: Any) -> Any:
        """Handles on what a rule computed; integers and the like are constants."""
        if isinstance(y, TracedArray):
            y = finished_cotangent(y)
            self.refuse_own(primal, y)
        elif is_container(y):
            return self.wrap_parts(primal, y, pull, kept, parents)
        if is_differentiable(y):
            return self.record(y, pull, kept, parents)
        refuse_objects(primal, y)
        return y

    def wrap_parts(self, primal: Any, y: Any, pull: Pull, kept: Any, parents: Any) -> Any:
        """Several outputs: the operation has a slot, and each part another, whose pullback puts it in its place."""
        whole = self.record(None, pull, kept, parents).slot
        parts = fields(y)
        template = dict.fromkeys(parts, ZERO)
        return rebuild(y, {k: self.wrap(primal, part, part_pull, (type(y), template, k), whole) for k, part in parts.items()})


def own_list(x: Any) -> Any:
    """A list, which may be an index or a number of repetitions, as a copy: its owner may write to it before the sweep."""
    return [own_list(part) for part in x] if type(x) is list else x


def part_pull(kept: Any, part_bar: Any) -> tuple[Any]:
    """The adjoint of taking one part of a container."""
    primal_type, template, key = kept
    return (with_entries(primal_type, {**template, key: part_bar}),)


class FinishedTape:
    """A finished tape: what a pullback sweeps over."""

    __slots__ = ("count", "kept", "parents", "pulls")

    def __init__(self, tape: "Tape") -> None:
        self.pulls, self.kept, self.parents, self.count = tape.pulls, tape.kept, tape.parents, tape.count
        tape.close()

    def copy(self) -> "FinishedTape":
        """Another recording of the same operations, to be swept over."""
        other: FinishedTape = object.__new__(FinishedTape)
        other.pulls, other.kept, other.parents = self.pulls.copy(), self.kept.copy(), self.parents.copy()
        other.count = self.count
        return other
