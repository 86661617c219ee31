"""Sums into known entries as the reads, sums and writes that they consist of: ``x[2] += y``.

A recording has one step for each, so that loops are found among fewer.
"""

from dataclasses import replace
from operator import getitem
from typing import Any

import numpy as np

from chainrules_programs.recording.program import Call, Program, Value, Write


def sums(program: Program) -> Program:
    """Write sums into known entries as what they consist of."""
    steps = [part for step in program.steps for part in _parts(step)]
    return program if len(steps) == len(program.steps) else replace(program, steps=steps)


def _parts(step) -> list[Any]:
    """Return the steps that a sum into known entries consists of; another step alone."""
    if type(step) is not Call or step.primal != np.add.at or step.note is None:
        return [step]
    target, index, values = step.args
    before, after = Value(step.note), Value(step.note)
    of_sum = replace(step, note=None, into=None)
    read = replace(of_sum, primal=getitem, args=(target, index), results=before)
    add = replace(of_sum, primal=np.add, args=(before, values), results=after)
    if isinstance(step.note, np.ndarray):
        return [read, replace(add, results=before, into=before)]
    return [read, add, Write(target, index, after)]
