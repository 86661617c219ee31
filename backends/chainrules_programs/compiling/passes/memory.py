"""Which values of a program share memory, and which memory is written or seen from outside.

The arrays of the recording say it exactly: two of them share memory where the same array is at the
end of their `.base`. Shapes and memory orders of the arguments are guarded, so it holds in all runs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from chainrules_programs.recording.dependence import owner_of
from chainrules_programs.recording.program import Call, Program, Value, values_of
from chainrules_programs.recording.repetitions import Loop
from chainrules_programs.recording.steps import is_pure, makes, reads


def memory_of_value(value: Value) -> int:
    """Identify the memory of a value; two of the same number share it.

    Numbers are immutable, and share nothing.
    """
    array: Any = value.array
    if type(array) is np.ndarray and array.base is None:  # nearly always
        return id(array)
    return id(owner_of(array)) if isinstance(array, np.ndarray) else id(value)


def roots_of(values: Iterable[Value]) -> Iterator[int]:
    """Identify the memory of the arrays among some values: numbers share none."""
    return (memory_of_value(value) for value in values if isinstance(value.array, np.ndarray))


class Memory:
    """The memory of a program: what of it is written, and what is seen from outside.

    `inputs` are the arguments' roots, `results` those of what the program returns, `written` those
    that a step changes. The program is kept, and with it the arrays to which the numbers belong.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.inputs = {memory_of_value(value) for value in program.inputs}
        self.results = {
            memory_of_value(value) for value in values_of(program.result)
        } - program.shared
        self.written = memory_written(program.steps) | program.written

    @cached_property
    def viewed(self) -> set[int]:
        """The memory of which there are several values."""
        counts = Counter(roots_of(self.program.inputs))
        steps: list[Any] = self.program.steps
        for step in steps:
            if type(step) is Loop:
                counts.update(
                    chain(roots_of(step.last), *[roots_of(each.values) for each in step.kept])
                )
            else:
                counts.update(roots_of(makes(step)))
        return {own for own, count in counts.items() if count > 1}

    def is_written(self, value: Value) -> bool:
        """Whether some step changes what the value is."""
        return memory_of_value(value) in self.written

    def was_written(self, value: Value) -> bool:
        """Whether the array of a value may hold something else than what was computed."""
        return self.is_written(value) or memory_of_value(value) in self.program.overwritten

    def may_stand_for(self, other, value: Value) -> bool:
        """Whether `other`, which is as large as `value`, may be read in its place.

        Not where either is written, and not where a result would become an argument, a view of one,
        or another result. Not where views of `value` are read either: they would be views of
        `other`, and their arrays say that they are not.
        """
        own = memory_of_value(value)
        if own in self.written:
            return False
        if not isinstance(other, Value):
            return True
        others = memory_of_value(other)
        if others in self.written:
            return False
        if others == own:
            return True
        if own in self.viewed:
            return False
        if own not in self.results:
            return True
        return others not in self.inputs and others not in self.results

    def note_replaced(self, found: Mapping[Value, Any]) -> None:
        """Note what is read in the place of values from here on."""
        for value, other in found.items():
            if isinstance(other, Value) and memory_of_value(value) in self.results:
                self.results.add(memory_of_value(other))


def is_view(step) -> bool:
    """Whether a call makes a view of its operand: where that lies, which no write changes."""
    made = step.results if type(step) is Call and step.into is None else None
    if type(made) is not Value or getattr(made.array, "base", None) is None:
        return False  # nearly always
    owners = [memory_of_value(value) for value in reads(step)]
    return owners == [memory_of_value(made)] and is_pure(step.primal)


def is_like(result, operand) -> bool:
    """Whether a value has the class, dtype, shape and memory order of another one."""
    if type(result) is not type(operand) or not isinstance(result, np.ndarray | np.generic):
        return False
    layout = result.shape == operand.shape and result.strides == operand.strides
    return bool(layout and result.dtype == operand.dtype)


def memory_written(steps: Iterable[Any]) -> set[int]:
    """Identify the memory that steps change."""
    found: set[int] = set()
    changed: set[Value] = set()
    for step in steps:
        if type(step) is Call and (step.into is not None or type(step.results) is Value):
            if step.into is not None:
                changed.add(step.into)
            continue  # nearly always
        if type(step) is Loop:
            found |= step.written
        changed.update(targets(step))
    return found.union(map(memory_of_value, changed))


def targets(step) -> list[Value]:
    """List the Values whose memory a step changes, those of a loop in one repetition."""
    if type(step) is Loop:
        return [value for each in step.body for value in targets(each)]
    if type(step) is not Call:
        return []
    if step.into is not None:
        return [step.into]
    # a call for its effect alone may change each of its operands
    return values_of((step.args, step.options)) if not makes(step) else []
