"""A traced call as data: which operations ran, on what, by which rule, and which arrays they keep
alive.

`show` writes it and `draw` draws it. The call is traced by a tape without fast dispatch, so that
every operation comes through `call`, where it is written down.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chainrules_programs.showing.notation import (
    Value,
    constant,
    described,
    function_name,
    input_names,
    title,
    written_call,
)
from chainrules_programs.showing.residuals import owners
from chainrules_py.rules.rule import Rule
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.structure import fields, is_container
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.levels import SlowDispatchOnly
from chainrules_tape.core.plans import Plan
from chainrules_tape.core.tape import Tape
from chainrules_tape.core.trees import flatten
from chainrules_tape.core.values import is_differentiable


@dataclass(frozen=True)
class Kept:
    """An array that a residual keeps alive: the name of the value that it is, where it is one, and
    its bytes.
    """

    name: str | None
    key: int
    nbytes: int


@dataclass(frozen=True)
class TracedOperation:
    """One line of the program.

    `reads` are the names of its active operands, `source` the call as one would write it.
    """

    primal: Any
    rule: Rule
    source: str
    reads: tuple[str, ...]
    outputs: tuple[Value, ...]
    kept: tuple[Kept, ...]

    @property
    def name(self) -> str:
        """The primal's name, as short as it is known by."""
        return function_name(self.primal).removeprefix("np.")

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays that it keeps, those included that others keep, too."""
        return sum(kept.nbytes for kept in self.kept)


@dataclass(frozen=True)
class Program:
    """One call of a function, as its derivative sees it; `results` are names, or constants written
    out.
    """

    name: str
    inputs: tuple[Value, ...]
    operations: tuple[TracedOperation, ...]
    results: tuple[str, ...]

    def __repr__(self) -> str:
        size = f"{len(self.operations)} operations, {self.nbytes} bytes kept"
        return f"<the program {self.name}: {size}>"

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays that are kept for the reverse sweep, each counted once."""
        return bytes_kept(self.operations)

    @property
    def values(self) -> dict[str, Value]:
        """Every value by its name."""
        made = [value for operation in self.operations for value in operation.outputs]
        return {value.name: value for value in (*self.inputs, *made)}


def bytes_kept(operations: Iterable[TracedOperation]) -> int:
    """The bytes of all arrays that some operations keep, each counted once."""
    sizes = {kept.key: kept.nbytes for operation in operations for kept in operation.kept}
    return sum(sizes.values())


def read_program(
    function: Callable[..., Any],
    *args,
    argnums: int | Sequence[int] | None = None,
    rules: RuleTable = default_rules,
) -> Program:
    """The program of ``function(*args)``, differentiated in the arguments `argnums`, by default in
    all.

    >>> program = read_program(lambda x: np.sin(x) * x, np.ones(3))
    >>> [operation.source for operation in program.operations], program.nbytes
    (['np.sin(x)', 'v1 * x'], 48)
    """
    if argnums is None:
        argnums = range(len(args))
    chosen = (argnums,) if isinstance(argnums, int) else argnums
    tape = RecordingTape(engine_of(rules))
    try:
        traced = [
            tape.traced(names, arg, i in chosen)
            for i, (names, arg) in enumerate(input_names(function, args))
        ]
        results, _ = flatten(function(*traced))
        written = tuple(tape.write(result) for result in results)
        return Program(title(function), tuple(tape.inputs), tuple(tape.operations), written)
    finally:
        tape.close()


@dataclass
class Ran:
    """An operation on its way through the tape."""

    primal: Any
    plan: Plan
    kept: Any


@dataclass
class ValueNames:
    """The names of values: by slot for those on the tape, by identity for arrays, which are held so
    that no other array gets the same identity.
    """

    by_slot: dict[int, str] = field(default_factory=dict)
    by_identity: dict[int, str] = field(default_factory=dict)
    held: list[Any] = field(default_factory=list)

    def add(self, name: str, slot: int, value) -> None:
        """Name a value of the tape."""
        self.by_slot[slot] = name
        self.remember(name, value)

    def remember(self, name: str, value) -> None:
        """Name an array that may be met again as a constant or in residuals."""
        if issubclass(type(value), np.ndarray):
            self.by_identity.setdefault(id(value), name)
            self.held.append(value)


class RecordingTape(Tape):
    """A tape that writes down what runs."""

    __slots__ = ("inputs", "names", "operations", "ran")

    def __init__(self, engine) -> None:
        super().__init__(engine)
        self.stages = SlowDispatchOnly()
        self.names = ValueNames()
        self.inputs: list[Value] = []
        self.operations: list[TracedOperation] = []
        self.ran: Ran | None = None

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
            self.names.remember(name, value)
            return value
        handle = self.input(value)
        self.names.add(name, handle.slot, value)
        self.inputs.append(described(name, value))
        return handle

    def stage(
        self, primal, plan: Plan, values: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Any, Any, Any]:
        """Run the rule and remember what it keeps, by reference: constants are known by their
        identity.
        """
        y, pull, kept = plan.by_reference(*values, **options)
        self.ran = Ran(primal, plan, kept)
        return y, pull, kept

    def call(self, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Any operation: run, and write a line where it has a derivative."""
        self.ran = None
        y = super().call(primal, args, options)
        if self.ran is not None:
            self.operations.append(self.line(self.ran, args, options, y))
        return y

    def line(self, ran: Ran, args: tuple[Any, ...], options: dict[str, Any], y) -> TracedOperation:
        """The line for an operation that ran."""
        outputs = tuple(self.name_outputs(y))
        named = [f"{key}={self.write(value)}" for key, value in options.items()]
        source = written_call(ran.primal, [self.write(arg) for arg in args], named)
        reads = tuple(dict.fromkeys(self.reads((*args, *options.values()))))
        kept = tuple(
            Kept(self.names.by_identity.get(id(x)), id(x), x.nbytes) for x in owners(ran.kept)
        )
        self.names.held += owners(ran.kept)
        return TracedOperation(ran.primal, ran.plan.rule, source, reads, outputs, kept)

    def name_outputs(self, y) -> Iterator[Value]:
        """Names for what an operation made; a part without derivative has none."""
        if self.owns(y):
            name = f"v{len(self.names.by_slot) - len(self.inputs) + 1}"
            self.names.add(name, y.slot, y.value)
            yield described(name, y.value)
        elif is_container(y):
            for part in fields(y).values():
                yield from self.name_outputs(part)

    def reads(self, values) -> Iterator[str]:
        """The names of the values of this tape among operands."""
        for value in values:
            if self.owns(value):
                yield self.names.by_slot[value.slot]
            elif is_container(value):
                yield from self.reads(fields(value).values())

    def write(self, value) -> str:
        """A value as one would write it in the program: its name, or a constant."""
        if self.owns(value):
            return self.names.by_slot[value.slot]
        if type(value) in (tuple, list):
            inside = ", ".join(map(self.write, value))
            if type(value) is list:
                return f"[{inside}]"
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        return self.names.by_identity.get(id(value)) or constant(value)
