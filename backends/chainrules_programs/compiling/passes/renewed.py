"""Sums that are added up in place as sums that are new arrays, for engines without writes."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.memory import Memory, memory_of_value, targets
from chainrules_programs.recording.program import Call, Program, Value, array_of
from chainrules_programs.recording.steps import is_elementwise, made_anew, rewritten


def renewed(program: Program) -> Program:
    """Make a new array of each sum into one that nothing else writes into, and of which nobody has a
    view by then: cotangents are added up so. Loops of these need no memory then.
    """
    left = _sums(program)
    if not left:
        return program

    def rewrite(step, by: dict[Value, Any]) -> list[Any]:
        total = step.results if type(step) is Call else None
        if type(total) is not Value or (memory := memory_of_value(total)) not in left:
            return [step]
        left[memory] -= step.into is not None
        if not left[memory]:  # its array has this content, and views of it have its memory
            by.pop(total, None)
            return [replace(step, into=None)]
        with np.errstate(all="ignore"):
            by[total] = made = Value(step.primal(*map(array_of, step.args)), total.name)
        return [replace(step, results=made, into=None)]

    return rewritten(program, rewrite)


def _sums(program: Program) -> Counter[int]:
    """Count the sums into memory that ufuncs have made and nothing else writes into, by its identity."""
    added: Counter[int] = Counter()
    known: set[int] = set()
    made: set[int] = set()
    viewed: set[int] = set()
    others = Memory(program).inputs
    steps: list[Any] = program.steps
    for step in steps:
        if _adds_in_place(step):
            own = memory_of_value(step.into)
            added[own] += 1
            others |= viewed & {own}
            continue
        others.update(map(memory_of_value, targets(step)))
        own_ones = set(map(memory_of_value, made_anew(step)))
        viewed |= known & own_ones
        known |= own_ones
        if type(step) is Call and is_elementwise(step):
            made |= own_ones - viewed
    return Counter({own: n for own, n in added.items() if own in made and own not in others})


def _adds_in_place(step) -> bool:
    """Whether a step adds to an array what is of its precision."""
    if type(step) is not Call or step.into is None or step.primal is not np.add:
        return False
    if step.results is not step.into or step.options or len(step.args) != 2:
        return False
    given = list(map(array_of, step.args))
    own: Any = step.into.array
    shape = np.broadcast_shapes(*map(np.shape, given))
    return bool(np.result_type(*given) == own.dtype and shape == own.shape)
