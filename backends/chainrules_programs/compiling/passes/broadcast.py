"""Leave broadcasting to the operation that reads what `np.broadcast_to` or a number's axes make.

A view by `np.broadcast_to` takes 2 us, in Python, and a vector times ``number[..., None]`` twice the
time of a vector times the number. Where a ufunc has another operand of the result's shape, it reads
the array before it was broadcast, by the same strides, so that its result has the same bits and the
same order in memory.
"""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.memory import Memory
from chainrules_programs.recording.program import (
    Call,
    Program,
    Value,
    array_of,
    values_of,
    with_operands,
)
from chainrules_programs.recording.steps import is_elementwise


def broadcast(program: Program) -> Program:
    """Give ufuncs the arrays that were broadcast for them."""
    memory = Memory(program)
    sources: dict[Value, Value] = {}
    steps: list[Any] = []
    for step in program.steps:
        if type(step) is Call and _is_broadcast(step, memory):
            sources[step.results] = step.args[0]
        steps.append(_before(step, sources) if sources and type(step) is Call else step)
    return replace(program, steps=steps)


def _is_broadcast(call: Call, memory: Memory) -> bool:
    """Whether a call broadcasts an array that nobody writes to, or gives a number axes."""
    if call.options or len(call.args) != 2:
        return False
    x, result = call.args[0], call.results
    if type(x) is not Value or type(result) is not Value or memory.is_written(x):
        return False
    if call.primal is operator.getitem:  # of a number: new axes, and nothing else
        return isinstance(x.array, np.number) and not values_of(call.args[1])
    return call.primal is np.broadcast_to and isinstance(x.array, np.ndarray)


def _before(call: Call, sources: dict[Value, Value]) -> Call:
    """Return a ufunc's call with operands before they were broadcast, where that is the same."""
    if not _makes_array(call) or not any(
        type(arg) is Value and arg in sources for arg in call.args
    ):
        return call
    args = tuple([sources.get(arg, arg) if type(arg) is Value else arg for arg in call.args])
    shapes = [np.shape(array_of(arg)) for arg in args]
    result = call.results.array
    is_same = np.broadcast_shapes(*shapes) == result.shape and result.shape in shapes
    return with_operands(call, args, call.options, call.into) if is_same else call


def _makes_array(call: Call) -> bool:
    """Whether a call computes a new array, entry by entry."""
    if call.into is not None or not is_elementwise(call):
        return False
    return type(call.results) is Value and isinstance(call.results.array, np.ndarray)
