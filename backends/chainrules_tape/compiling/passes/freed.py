"""Delete the names of large arrays after their last readers, so that their memory is used again."""

from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_recorder.program import Program, Value
from chainrules_tape.compiling.passes.steps import Freed, makes, reads, values_of

LEAST = 4096  # bytes; of smaller arrays a name costs more than the memory


def freed(program: Program) -> Program:
    """Delete each name that keeps a large array alive after the last step that reads it."""
    kept = {*program.inputs, *values_of(program.result)}
    last: dict[Value, int] = {}
    for k, step in enumerate(program.steps):
        for value in (*makes(step), *reads(step)):
            last[value] = k
    ending: dict[int, list[Value]] = {}
    for value, k in last.items():
        if value not in kept and _is_large(value):
            ending.setdefault(k, []).append(value)
    steps: list[Any] = []
    for k, step in enumerate(program.steps):
        steps.append(step)
        if k in ending and k < len(program.steps) - 1:
            steps.append(Freed(tuple(ending[k])))
    return replace(program, steps=steps)


def _is_large(value: Value) -> bool:
    """Whether the memory that a value keeps alive is large; a view keeps all of it."""
    array = value.array
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return isinstance(array, np.ndarray) and array.nbytes >= LEAST
