"""Sums into known entries as the reads, sums and writes that they consist of: ``x[2] += y``.

A recording has one step for each, so that loops are found among fewer.
"""

from dataclasses import replace
from functools import partial
from operator import getitem, setitem
from typing import Any

import numpy as np

from chainrules_programs.recording.program import Call, Count, Program, Value, parts_of_operand


def sums(program: Program, with_views: bool = False) -> Program:
    """Write sums into known entries as what they consist of; in loops only `with_views` those into
    views that change from one repetition to the next, which XLA has none of.
    """
    steps: list[Any] = []
    for step in program.steps:
        steps += _parts(step) if _is_sum(step, with_views) else [step]
    return program if len(steps) == len(program.steps) else replace(program, steps=steps)


sums_into_views = partial(sums, with_views=True)


def _is_sum(step, with_views: bool) -> bool:
    if type(step) is not Call or step.primal != np.add.at or step.note is None:
        return False
    if with_views or not isinstance(step.note, np.ndarray):
        return True
    return not any(type(part) in (Count, Value) for part in parts_of_operand(step.args[1]))


def _parts(step) -> list[Any]:
    """Return the steps that a sum into known entries consists of."""
    target, index, values = step.args
    before, after = Value(step.note), Value(step.note)
    of_sum = replace(step, note=None, into=None)
    read = replace(of_sum, primal=getitem, args=(target, index), results=before)
    add = replace(of_sum, primal=np.add, args=(before, values), results=after)
    if isinstance(step.note, np.ndarray):
        return [read, replace(add, results=before, into=before)]
    return [read, add, Call(setitem, (target, index, after), {}, None, into=target)]
