"""Delete the names of large arrays after their last readers, so that their memory is used again."""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_programs.recording.dependence import owner_of
from chainrules_programs.recording.program import Program, Value, values_of
from chainrules_programs.recording.repetitions import Loop
from chainrules_programs.recording.steps import Freed, last_uses

LEAST = 4096  # bytes; of smaller arrays a name costs more than the memory


def freed(program: Program) -> Program:
    """Delete each name that keeps a large array alive after the last step that reads it."""
    kept = {*program.inputs, *values_of(program.result)}
    return replace(program, steps=freed_steps(program.steps, kept))


def freed_steps(steps: Sequence[Any], kept: Set[Value]) -> list[Any]:
    """Put deletions between steps, of all that is large and not `kept`."""
    ending: dict[int, list[Value]] = {}
    for value, k in last_uses(steps).items():
        if value not in kept and _is_large(value):
            ending.setdefault(k, []).append(value)
    found: list[Any] = []
    for k, step in enumerate(steps):
        if type(step) is Loop:
            step = replace(step, body=freed_steps(step.body, step.held))
        found.append(step)
        if k in ending and k < len(steps) - 1:
            found.append(Freed(tuple(ending[k])))
    return found


def _is_large(value: Value) -> bool:
    """Whether the memory that a value keeps alive is large; a view keeps all of it."""
    array = value.array
    return isinstance(array, np.ndarray) and owner_of(array).nbytes >= LEAST
