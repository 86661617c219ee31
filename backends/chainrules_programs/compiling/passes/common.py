"""Compute once what is computed twice of the same operands."""

from typing import Any

from chainrules_programs.compiling.passes.memory import Memory, is_view
from chainrules_programs.recording.program import Call, Program, Value, key_of
from chainrules_programs.recording.steps import is_pure, makes, reads, rewritten


def common(program: Program) -> Program:
    """Read the results of an earlier call in the place of an equal later one's."""
    memory = Memory(program)
    calls: dict[Any, list[Value]] = {}

    def rewrite(step, by: dict[Value, Any]) -> list[Any]:
        if not _may_be_shared(step, memory):
            return [step]
        made = makes(step)
        known = calls.setdefault(_key(step), made)
        if known is made or not (is_view(step) or _may_stand_for(known, made, memory)):
            return [step]
        found = dict(zip(made, known, strict=True))
        memory.note_replaced(found)
        by.update(found)
        return []

    return rewritten(program, rewrite)


def _may_be_shared(step, memory: Memory) -> bool:
    if type(step) is not Call or step.into is not None or not is_pure(step.primal):
        return False
    return not (memory.written and any(map(memory.is_written, reads(step)))) or is_view(step)


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
