"""Passes within loops: one repetition is a program, of which all others follow.

Its inputs are what comes from outside and the names that change, its results what it hands on, keeps
or leaves behind. What it keeps for readers outside may be other values of it, where nobody writes
into that memory, returns it or has views of it.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.memory import (
    Memory,
    memory_of_value,
    memory_written,
    roots_of,
)
from chainrules_programs.recording import repetitions
from chainrules_programs.recording.patience import patience
from chainrules_programs.recording.program import Program, Value, values_of
from chainrules_programs.recording.repetitions import Kept, Loop, Search
from chainrules_programs.recording.steps import rewritten

Pass = Callable[[Program], Program]


def rolled(program: Program, depth: int = 3, *, uneven: bool = False) -> Program:
    """Write the repetitions of a long recording as loops, so many of them in each other, which know
    what of their memory is written.

    Lengths may differ between repetitions where they may be `uneven`.
    """
    if len(program.steps) < repetitions.SHORTEST:
        return program
    results, counters = values_of(program.result), repetitions.COUNTERS[:depth]
    least, inner = repetitions.LEAST, repetitions.INNER
    steps = Search(program.steps, results, counters, least, inner, uneven).loops()
    everywhere = memory_written(program.steps)
    return replace(program, steps=[_with_written(step, everywhere) for step in steps])


def _with_written(step, everywhere: Set[int]) -> Any:
    """Note in a loop, and in those in it, which of its memory is written, in any repetition, anywhere."""
    if type(step) is not Loop or not everywhere:
        return step
    rows: dict[Value, list[Value]] = dict(step.rows)
    rows |= {
        each.name: values_of([each.first]) + rows.get(each.following, [each.following])
        for each in step.carried
    }
    rows |= {each.name: values_of(each.entries) for each in step.streams}
    written = {memory_of_value(value) for value in step.outside} & everywhere
    for name, values in rows.items():
        if not isinstance(name.array, np.ndarray):
            continue
        if not everywhere.isdisjoint(map(memory_of_value, values)):
            written |= {memory_of_value(name), *map(memory_of_value, values)}
    body = [_with_written(each, everywhere | written) for each in step.body]
    return replace(step, body=body, written=written)


def has_loops(program: Program) -> bool:
    """Whether some steps of a program are loops."""
    steps: list[Any] = program.steps
    return any(type(step) is Loop for step in steps)


def within_loops(*passes: Pass) -> Pass:
    """Return the pass that does all these in each loop, before it does them around them."""

    def throughout(program: Program) -> Program:
        if has_loops(program):
            program = _in_loops(throughout, program)
        for each in passes:
            program = each(program)
        return program

    return throughout


def _in_loops(each: Pass, program: Program) -> Program:
    memory = Memory(program)

    def rewrite(step, by: dict[Value, Any]) -> list[Any]:
        return [_in_loop(each, step, memory, by) if type(step) is Loop else step]

    return rewritten(program, rewrite)


def _in_loop(each: Pass, loop: Loop, memory: Memory, by: dict[Value, Any]) -> Loop:
    """Return the loop whose body is what the pass makes of it; notes what stands for kept values."""
    patience.ask()
    handed_on = [carried.following for carried in loop.carried]
    left, kept = list(loop.last.values()), [kept.name for kept in loop.kept]
    free = {memory_of_value(kept.name) for kept in loop.kept if _may_be_others(kept, memory)}
    bound = [name for name in kept if memory_of_value(name) not in free]
    shared = free.difference(map(memory_of_value, (*handed_on, *left, *bound)))
    inputs = (*loop.outside, *loop.names)
    results = (handed_on, left, kept)
    overwritten = memory.program.overwritten
    program = each(
        Program(
            inputs,
            loop.body,
            results,
            written=loop.written,
            shared=shared,
            overwritten=overwritten,
        )
    )
    handed_on, left, kept = program.result
    if not all(isinstance(value, Value) for value in (*handed_on, *left)):
        return loop
    pairs = zip(loop.carried, handed_on, strict=True)
    carried = [replace(each, following=value) for each, value in pairs]
    last = dict(zip(loop.last, left, strict=True))
    streams = {each.name: each.entries for each in loop.streams}
    own = {*loop.outside, *streams}
    known: dict[Value, Kept] = {}
    for former, name in zip(loop.kept, kept, strict=True):
        if not isinstance(name, Value):  # a constant
            entries: Sequence[Any] = [name] * loop.count
        elif name in known:
            entries = known[name].values
        elif name not in own:
            known[name] = Kept(name, former.values)
            continue
        else:
            entries = streams.get(name, [name] * loop.count)
        by.update(zip(former.values, entries, strict=True))
    found = replace(loop, carried=carried, last=last, kept=list(known.values()))
    return found.with_body(program.steps)


def _may_be_others(kept: Kept, memory: Memory) -> bool:
    """Whether readers of a kept value may read another one of the repetition that is equal."""
    if not isinstance(kept.name.array, np.ndarray):
        return True
    roots = list(roots_of(kept.values))
    taken = (memory.written, memory.viewed, memory.results, memory.inputs)
    return all(each.isdisjoint(roots) for each in taken)
