"""Compute once what is computed twice of the same operands."""

from dataclasses import replace
from typing import Any

from chainrules_programs.compiling.passes.memory import Memory
from chainrules_programs.recording.program import Call, Program, Value, key_of, with_values
from chainrules_programs.recording.steps import is_pure, makes, reads, replaced


def common(program: Program) -> Program:
    """Read the results of an earlier call in the place of an equal later one's."""
    memory = Memory(program)
    by: dict[Value, Any] = {}
    calls: dict[Any, list[Value]] = {}
    steps = []
    for step in program.steps:
        now: Any = replaced(step, by) if by else step
        if _may_be_shared(now, memory):
            made = makes(now)
            known = calls.setdefault(_key(now), made)
            if known is not made and _may_stand_for(known, made, memory):
                for value, other in zip(made, known, strict=True):
                    memory.note_replacement(value, other)
                    by[value] = other
                continue
        steps.append(now)
    result = with_values(program.result, lambda value: by.get(value, value))
    return replace(program, steps=steps, result=result)


def _may_be_shared(step, memory: Memory) -> bool:
    if type(step) is not Call or step.into is not None or not is_pure(step.primal):
        return False
    return not memory.written or not any(map(memory.is_written, reads(step)))


def _may_stand_for(known: list[Value], made: list[Value], memory: Memory) -> bool:
    if len(known) != len(made):
        return False
    return all(map(memory.may_stand_for, known, made))


def _key(call: Call) -> Any:
    """Return what equal calls share.

    A result of the forward half, where nan may arise in silence, does not stand for one of the
    reverse half, where that is an error.
    """
    args = tuple([arg if type(arg) is Value else key_of(arg) for arg in call.args])
    options = key_of(call.options) if call.options else None
    return call.primal, call.strict, args, options, _form(call.results)


def _form(results) -> Any:
    """Return which of several results are read."""
    if type(results) is Value:
        return False
    if isinstance(results, tuple | list):
        return tuple([_form(part) for part in results])
    return results is None
