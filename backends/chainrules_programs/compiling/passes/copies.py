"""Read the original in the place of its copy, where nothing is written meanwhile.

Arrays that a program writes into are read by copies. ``t = np.copy(x); x[1:] = 0.0; y = t * c``
becomes ``y = x * c; x[1:] = 0.0``: constants are written after the last reader of a copy.
"""

from collections import Counter
from collections.abc import Set
from dataclasses import replace
from operator import setitem
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.memory import Memory, memory_of_value, targets
from chainrules_programs.recording.program import Call, Program, Value, values_of
from chainrules_programs.recording.repetitions import Loop
from chainrules_programs.recording.steps import is_elementwise, reads, with_other_operands

FARTHEST = 40  # steps from a copy to its last reader
COPIES = {np.copy, np.array, np.ndarray.copy}
# Those that compute the same of an array with other strides, to each bit.
READERS = {np.add, np.subtract, np.multiply, np.divide, np.negative, np.maximum, np.minimum}


def copies(program: Program) -> Program:
    """Leave out copies of memory that is not written, but by constants, until their last reader."""
    if not any(type(step) is Call and step.primal in COPIES for step in program.steps):
        return program
    memory = Memory(program)
    steps: list[Any] = list(program.steps)
    counts = Counter(value for step in steps for value in reads(step))
    handed_on = set(values_of(program.result))
    place = 0
    while place < len(steps):
        step = steps[place]
        if _is_copy(step, memory) and step.results not in handed_on:
            stretch = _read_at_once(steps[place : place + FARTHEST], counts, memory.inputs)
            steps[place : place + len(stretch) + 1] = stretch or [step]
            place += not stretch
        else:
            place += 1
    return replace(program, steps=steps)


def _is_copy(step, memory: Memory) -> bool:
    """Whether a step copies memory that is written, and the copy is not written itself."""
    if type(step) is not Call or step.primal not in COPIES or step.into is not None:
        return False
    made, operands = step.results, reads(step)
    if len(operands) != 1 or not isinstance(operands[0].array, np.ndarray):
        return False
    is_alone = not memory.is_written(made) and memory_of_value(made) not in memory.viewed
    return is_alone and memory.is_written(operands[0]) and _is_alike(made.array, operands[0].array)


def _is_alike(copy: np.ndarray, array: np.ndarray) -> bool:
    """Whether ufuncs lay out their results alike for both."""
    if copy.shape != array.shape or copy.dtype != array.dtype or not copy.size:
        return False
    axes = [axis for axis, n in enumerate(copy.shape) if n > 1]
    if not axes or any(each.strides[axis] <= 0 for each in (copy, array) for axis in axes):
        return False
    return sorted(axes, key=copy.strides.__getitem__) == sorted(axes, key=array.strides.__getitem__)


def _read_at_once(steps: list[Any], counts: Counter[Value], inputs: Set[int]) -> list[Any]:
    """Return the steps after a copy, the first one, until its last reader, which read what it is a
    copy of; none where that cannot be.
    """
    copy, (source,) = steps[0].results, reads(steps[0])
    own = memory_of_value(source)
    # in other repetitions of a loop, two of its inputs may be one memory
    same = inputs | {own} if own in inputs else {own}
    left, found, cleared = counts[copy], [], []
    for step in steps[1:]:
        read = reads(step)
        count = read.count(copy)
        left -= count
        is_written = not same.isdisjoint(map(memory_of_value, targets(step)))
        if type(step) is Loop or (count and not _may_read(step, copy, is_written)):
            return []
        if is_written and _is_of_constants(step):
            cleared.append(step)
            continue
        is_met = not same.isdisjoint(map(memory_of_value, read))
        if (cleared and is_met) or (is_written and left):
            return []
        found.append(with_other_operands(step, {copy: source}) if count else step)
        if not left:
            return found + cleared
    return []


def _may_read(step, copy: Value, is_written: bool) -> bool:
    """Whether a step reads a copy by its entries alone, before it writes any into what that is of.

    Ufuncs do; ``x[::2] = x[:4]`` writes entries of one axis before it reads them.
    """
    if type(step) is not Call or step.into is copy:
        return False
    if step.primal is setitem:
        return step.args[2] is copy and not is_written
    return step.primal in READERS and is_elementwise(step)


def _is_of_constants(step) -> bool:
    """Whether a step writes a constant into known entries."""
    return step.primal is setitem and not values_of(step.args[1:])
