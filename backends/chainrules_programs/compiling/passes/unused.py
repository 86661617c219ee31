"""Leave out the steps whose results nobody reads; a write lives as long as its memory."""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.memory import memory_of_value, roots_of
from chainrules_programs.recording.known_results import raises_for_numbers
from chainrules_programs.recording.program import (
    Call,
    Count,
    Program,
    Value,
    parts_of_operand,
    values_of,
    with_values,
)
from chainrules_programs.recording.repetitions import Carried, Loop
from chainrules_programs.recording.steps import is_of_python, makes, reads

_BY_INDEX = {operator.getitem, operator.setitem, np.take, np.take_along_axis}
# Python's operators, which raise for some of its numbers.
_RAISE_FOR_NUMBERS = {
    *(operator.truediv, operator.floordiv, operator.mod, operator.pow, divmod, operator.abs, round)
}
_RAISE_NOTHING = {
    getattr(np.linalg, name)
    for name in (
        *("norm", "det", "slogdet", "multi_dot", "matrix_norm", "vector_norm", "outer", "cross"),
        *("matmul", "tensordot", "diagonal", "trace", "matrix_transpose", "vecdot"),
    )
}


def unused(program: Program) -> Program:
    """Leave out the steps that neither a result, nor a guard, nor an argument's memory needs.

    Calls of the user's that may raise stay: whether a Cholesky factor exists is a question, too.
    """
    needed = set(values_of(program.result))
    roots = {memory_of_value(value) for value in (*program.inputs, *needed)}
    kept = []
    steps: list[Any] = program.steps
    for step in reversed(steps):
        if type(step) is Loop:
            step = _needed_of_loop(step, needed, program.asks_errors)
        if not _is_needed(step, needed, roots) and not _is_asked(step, program.asks_errors):
            continue
        kept.append(_without_unread(step, needed))
        read = set(reads(step)).difference(needed)
        needed |= read
        roots.update(roots_of(read))
    kept.reverse()
    return replace(program, steps=kept)


def _needed_of_loop(loop: Loop, needed: set[Value], asks_errors: bool) -> Loop:
    """Return a loop without what neither readers outside nor the next repetition need."""
    kept = [each for each in loop.kept if not needed.isdisjoint(each.values)]
    last = {value: local for value, local in loop.last.items() if value in needed}
    inputs = (*loop.outside, *loop.names)
    carried: list[Carried] = []
    while True:
        handed_on = [each.following for each in carried]
        results = [*handed_on, *last.values(), *[each.name for each in kept]]
        body = unused(Program(inputs, loop.body, results, asks_errors)).steps
        read = {value for step in body for value in reads(step)}.union(results)
        found = [each for each in loop.carried if each.name in read]
        if len(found) == len(carried):
            return replace(loop, kept=kept, last=last, carried=carried).with_body(body)
        carried = found


def _is_needed(step, needed: set[Value], roots: set[int]) -> bool:
    if type(step) is Loop:
        return bool(step.body or step.kept or step.carried)
    if type(step) is not Call:
        return True
    if step.into is not None and memory_of_value(step.into) in roots:
        return not _writes_itself(step)
    if type(step.results) is Value:  # nearly always
        return step.results in needed
    made = makes(step)
    return not needed.isdisjoint(made) or (not made and step.into is None)


def _is_asked(step, asks_errors: bool) -> bool:
    """Whether the user's code learns from a call itself, by the error that it may raise."""
    if asks_errors or type(step) is not Call or step.strict:
        return asks_errors and type(step) is Call
    if step.primal in _RAISE_FOR_NUMBERS and is_of_python(step):
        return True
    if step.primal in _BY_INDEX:
        return bool(values_of((step.args[1:2], step.options)))
    module = str(getattr(step.primal, "__module__", None))
    if module in ("math", "cmath"):
        return True
    if module.startswith(("numpy.linalg", "scipy.", "chainrules_programs.")):
        return step.primal not in _RAISE_NOTHING
    return module == "numpy" and raises_for_numbers(step.primal)


def _writes_itself(call: Call) -> bool:
    """Whether a call writes the part of an array that it writes into, as Python's ``v[1:] += w``
    ends.
    """
    if call.primal is not operator.setitem:
        return False
    target, index, entries = call.args
    if not isinstance(entries, Value) or memory_of_value(entries) != memory_of_value(target):
        return False
    if any(type(part) in (Value, Count) for part in parts_of_operand(index)):
        return False
    part = getattr(target.array[index], "__array_interface__", None)
    return bool(part == entries.array.__array_interface__)


def _without_unread(step, needed: set[Value]) -> Any:
    """Put None into the place of results of several that nobody reads."""
    if type(step) is not Call or type(step.results) is Value or step.results is None:
        return step
    if all(value in needed for value in makes(step)):
        return step
    results = with_values(step.results, lambda value: value if value in needed else None)
    return replace(step, results=results)
