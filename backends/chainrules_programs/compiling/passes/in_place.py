"""Let a ufunc write its result into an operand that nobody reads later."""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.memory import is_like, memory_of_value
from chainrules_programs.recording.program import Call, Program, Value, values_of, with_operands
from chainrules_programs.recording.steps import is_elementwise, is_pure, makes, reads

LEAST = 9  # entries; on one entry, writing in place takes twice the time of a new number


def in_place(program: Program) -> Program:
    """Give elementwise functions the memory of an operand whose last reader they are.

    Memory into which the program writes is as good, once nobody reads or writes it any more.
    """
    seen_outside = (*program.inputs, *values_of(program.result))
    return replace(
        program, steps=in_place_steps(program.steps, set(map(memory_of_value, seen_outside)))
    )


def in_place_steps(steps: Sequence[Any], taken: Set[int]) -> list[Any]:
    """Let steps write into operands whose last readers they are, and whose memory is not `taken`."""
    fresh = {value for step in steps for value in _own_arrays(step, taken)}
    last = {memory_of_value(value): k for k, step in enumerate(steps) for value in reads(step)}
    return [_in_place(step, k, fresh, last) for k, step in enumerate(steps)]


def _own_arrays(step, taken: Set[int]) -> list[Value]:
    """List the results of a step that have memory of their own, which nobody else needs."""
    if type(step) is not Call or step.into is not None or not is_pure(step.primal):
        return []
    return [
        value for value in makes(step) if _is_own(value) and memory_of_value(value) not in taken
    ]


def _is_own(value: Value) -> bool:
    array = value.array
    if type(array) is not np.ndarray or array.size < LEAST:
        return False
    return array.base is None and array.flags.writeable and array.flags.forc


def _in_place(step, place: int, fresh: set[Value], last: dict[int, int]) -> Any:
    if type(step) is not Call or not _may_write(step):
        return step
    result = step.results
    for operand in step.args:
        if (
            type(operand) is not Value
            or operand not in fresh
            or last[memory_of_value(operand)] != place
        ):
            continue
        if is_like(result.array, operand.array) and _has_one_view(operand, step):
            return with_operands(step, step.args, step.options, operand)
    return step


def _may_write(call: Call) -> bool:
    if call.into is not None or type(call.results) is not Value or not is_elementwise(call):
        return False
    return _is_own(call.results)


def _has_one_view(operand: Value, call: Call) -> bool:
    """Whether no operand is another view of the memory that is written."""
    memory = memory_of_value(operand)
    return all(value is operand or memory_of_value(value) != memory for value in reads(call))
