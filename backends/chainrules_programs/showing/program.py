"""A traced call as data: which operations ran, on what, by which rule, and which arrays they keep
alive.

`show` writes it and `draw` draws it. The call is traced by a tape without fast dispatch, so that
every operation comes through `call`, where it is written down: as a step of a recorded program, with
a note on its rule. Of arrays, a program that is shown has the shape and the type alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NoReturn

import numpy as np

from chainrules_programs.recording.program import Call, Program, Value
from chainrules_programs.recording.steps import makes
from chainrules_programs.showing.notation import Parts, input_names, notation, title
from chainrules_programs.showing.residuals import owners
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.rules.rule import Rule
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.following import what_is_seen
from chainrules_tape.core.levels import SlowDispatchOnly, open_level
from chainrules_tape.core.plans import Plan
from chainrules_tape.core.tape import Tape
from chainrules_tape.core.tracebacks import without_own_frames
from chainrules_tape.core.trees import flatten
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.explaining import explain_error
from chainrules_tape.refusals.handles import TracedArray


@dataclass(frozen=True)
class Kept:
    """An array that a residual keeps alive: the name of the value that it is, where it is one, and
    its bytes.
    """

    name: str | None
    key: int
    nbytes: int


@dataclass(frozen=True, eq=False)
class Note:
    """What is known of a step beside the call: the rule, and what that keeps for its pullback."""

    rule: Rule
    kept: tuple[Kept, ...]

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays that are kept, those included that others keep, too."""
        return sum(kept.nbytes for kept in self.kept)


@dataclass(slots=True)
class TracedProgram(Program):
    """One call of a function, as its derivative sees it: each step is a `Call` with a `Note`, and the
    result a list of values and constants.
    """

    name: str = "f"
    seen: tuple[str, ...] = ()  # the files and packages that are seen through for it

    def __repr__(self) -> str:
        size = f"{len(self.steps)} operations, {self.nbytes} bytes kept"
        return f"<the program {self.name}: {size}>"

    @property
    def calls(self) -> list[Call]:
        """The steps, all of which are calls."""
        return [step for step in self.steps if isinstance(step, Call)]

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays that are kept for the reverse sweep, each counted once."""
        return bytes_kept(self.steps)

    @property
    def results(self) -> tuple[str, ...]:
        """The names of the results, or constants written out."""
        return tuple(map(notation.text, self.result))

    @property
    def values(self) -> list[Value]:
        """Every value that has a derivative."""
        return [*self.inputs, *[value for step in self.steps for value in makes(step)]]


def bytes_kept(calls: Iterable[Any]) -> int:
    """The bytes of all arrays that some operations keep, each counted once."""
    sizes = {kept.key: kept.nbytes for call in calls for kept in call.note.kept}
    return sum(sizes.values())


@without_own_frames
def read_program(
    function: Function,
    *args,
    argnums: int | Sequence[int] | None = None,
    rules: RuleTable = default_rules,
) -> TracedProgram:
    """The program of ``function(*args)``, differentiated in the arguments `argnums`, by default in
    all.

    >>> program = read_program(lambda x: np.sin(x) * x, np.ones(3))
    >>> [notation.call(step) for step in program.steps], program.nbytes
    (['np.sin(x)', 'v1 * x'], 48)
    """
    if argnums is None:
        argnums = range(len(args))
    chosen = (argnums,) if isinstance(argnums, int) else argnums
    tape = RecordingTape(engine_of(rules), function)
    open_level(tape.serial, function)
    try:
        traced = [
            tape.traced(names, arg, i in chosen)
            for i, (names, arg) in enumerate(input_names(function, args))
        ]
        results = [tape.operand(result) for result in flatten(function(*traced))[0]]
        inputs, seen = tuple(tape.inputs), tuple(what_is_seen(function))
        return TracedProgram(inputs, tape.steps, results, name=title(function), seen=seen)
    except Exception as error:
        explain_error(tape, error, function, args)
        raise
    finally:
        tape.close()


class RecordingTape(Tape):
    """A tape that writes down what runs.

    `by_slot` has the values of the tape, and `by_identity` those that arrays outside of it are known
    by, in residuals or as constants. `held` has these arrays, so that no other gets their identity.
    `ran` is the operation that the tape has just run: its function, its rule, and what that keeps.
    """

    __slots__ = ("by_identity", "by_slot", "function", "held", "inputs", "number", "ran", "steps")

    def __init__(self, engine, function: Function) -> None:
        super().__init__(engine)
        self.function = function
        self.stages = SlowDispatchOnly()
        self.by_slot: dict[int, Value] = {}
        self.by_identity: dict[int, Value] = {}
        self.held: list[Any] = []
        self.inputs: list[Value] = []
        self.number = count(1)
        self.steps: list[Any] = []
        self.ran: tuple[Any, Rule, Any] | None = None

    def traced(self, names: Sequence[str], arg, active: bool) -> Any:
        """An argument with handles on its leaves, which have these names; an inactive one has its
        names only.
        """
        leaves, rebuilt = flatten(arg)
        return rebuilt(
            [self.named_input(name, leaf, active) for name, leaf in zip(names, leaves, strict=True)]
        )

    def named_input(self, name: str, value, active: bool) -> Any:
        """A new input under the name that the caller's argument has."""
        if not active or not is_differentiable(value):
            self.remember(name, value)
            return value
        handle = self.input(value)
        self.inputs.append(self.named(name, handle))
        return handle

    def named(self, name: str, handle) -> Value:
        """The value of a program for a value of the tape."""
        found = self.by_slot[handle.slot] = Value(shaped_as(handle.value), name)
        self.remember(name, handle.value)
        return found

    def remember(self, name: str, value) -> None:
        """Name an array that may be met again as a constant or in residuals."""
        if issubclass(type(value), np.ndarray):
            self.by_identity.setdefault(id(value), Value(shaped_as(value), name))
            self.held.append(value)

    def stage(
        self, primal, plan: Plan, values: tuple[Any, ...], options: Options
    ) -> tuple[Any, Any, Any]:
        """Run the rule and remember what it keeps, by reference: constants are known by their
        identity.
        """
        y, pull, kept = plan.by_reference(*values, **options)
        self.ran = primal, plan.rule, kept
        return y, pull, kept

    def call(self, primal, args: Args, options: Options) -> Any:
        """Any operation: run, and write a step where it has a derivative."""
        self.ran = None
        y = super().call(primal, args, options)
        if self.ran is not None:
            self.steps.append(self.step(self.ran, args, options, y))
        return y

    def step(self, ran: tuple[Any, Rule, Any], args: Args, options: Options, y) -> Call:
        """The step for an operation that ran."""
        primal, rule, residuals = ran
        results = tuple(self.outputs(y))
        given = tuple(map(self.operand, args))
        named = {key: self.operand(value) for key, value in options.items()}
        arrays = owners(residuals)
        self.held += arrays
        kept = tuple(Kept(self.name_of(x), id(x), x.nbytes) for x in arrays)
        return Call(primal, given, named, results, note=Note(rule, kept))

    def name_of(self, array) -> str | None:
        """The name by which an array is known."""
        found = self.by_identity.get(id(array))
        return None if found is None else found.name

    def outputs(self, y) -> Iterator[Value]:
        """Values for what an operation made; a part without derivative has none."""
        if self.owns(y):
            yield self.named(f"v{next(self.number)}", y)
        elif is_container(y):
            for part in fields(y).values():
                yield from self.outputs(part)

    def operand(self, x) -> Any:
        """An operand with values of the program in the place of those of the tape."""
        if self.owns(x):
            found = self.by_slot.get(x.slot)
            return refuse_writes(self.function) if found is None else found
        if is_container(x):
            parts = {key: self.operand(part) for key, part in fields(x).items()}
            if isinstance(x, tuple | list | dict):
                return rebuild(x, parts)
            return Parts(title(x), parts) if callable(x) else Parts(type(x).__name__, parts, True)
        return self.by_identity.get(id(x)) or shaped_as(x)


def refuse_writes(function: Function) -> NoReturn:
    """Raise for a function that writes into an array: on the tape, a write is no operation."""
    got = "it writes into an array, for which a listing has no line"
    instead = "print compiled(f).source(...), which has all that f does"
    where = f"show({title(function)})"
    raise InputError(where, got, instead, function=function, argument=None, value=None)


def shaped_as(x) -> Any:
    """An array of the shape and the type of another one, in the memory of one number; of what is no
    array itself.
    """
    if not isinstance(x, TracedArray | np.ndarray):
        return x
    array: Any = x
    return np.broadcast_to(np.zeros((), array.dtype), np.shape(array))
