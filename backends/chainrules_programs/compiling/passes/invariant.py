"""Compute before a loop what is the same in all of its repetitions, and list what follows from constants
that change with them.
"""

from dataclasses import replace
from typing import Any

from chainrules_programs.compiling.passes.constants import Constants
from chainrules_programs.compiling.passes.folded import is_small
from chainrules_programs.compiling.passes.loops import has_loops
from chainrules_programs.compiling.passes.memory import Memory
from chainrules_programs.recording.program import Call, Count, Program, Value, parts_of
from chainrules_programs.recording.repetitions import Loop, Stream
from chainrules_programs.recording.steps import is_pure, makes, reads, rewritten


def invariant(program: Program) -> Program:
    """Move calls out of loops, where nothing that they read changes."""
    if not has_loops(program):
        return program
    memory = Memory(program)

    def rewrite(step, by: dict[Value, Any]) -> list[Any]:
        if type(step) is not Loop:
            return [step]
        hoist = _Hoist(step, memory, by)
        loop = hoist.loop()
        return [*hoist.before, loop]

    return rewritten(program, rewrite)


class _Hoist:
    """A loop, the calls that are made before it, and what stands for values that it has kept."""

    def __init__(self, loop: Loop, memory: Memory, by: dict[Value, Any]) -> None:
        self.former, self.memory, self.by = loop, memory, by
        self.before: list[Call] = []
        self.changing = set(loop.names)
        self.handed_on = {each.following for each in loop.carried}
        self.rows = loop.rows
        self.constants = Constants()
        self.tables = {each.name: each for each in loop.streams if _is_constant(each.entries)}
        self.others: dict[Value, list[Any]] = {}  # what stands for a value in each repetition

    def loop(self) -> Loop:
        """Return what is left of the loop."""
        body = [step for step in self.former.body if not self.is_moved(step)]
        by, loop = self.by, self.former
        for each in loop.kept:
            by.update(zip(each.values, self.others.get(each.name, each.values), strict=True))
        for value, local in loop.last.items():
            if local in self.others:
                by[value] = self.others[local][-1]
        kept = [each for each in loop.kept if each.name not in self.others]
        last = {value: local for value, local in loop.last.items() if local not in self.others}
        streams = [
            *loop.streams,
            *[each for each in self.tables.values() if each.name in self.others],
        ]
        return replace(loop, kept=kept, last=last, streams=streams).with_body(body)

    def is_moved(self, step) -> bool:
        """Whether a step is no longer one of the loop's."""
        made = makes(step)
        changing = self.changing.intersection(reads(step))
        if changing <= self.tables.keys() and self.may_move(step, made):
            is_counting = any(type(part) is Count for part in parts_of((step.args, step.options)))
            if not changing and not is_counting:
                self.others |= {value: [value] * self.former.count for value in made}
                self.before.append(step)
                return True
            if len(made) == 1 and self.tabulate(step, made[0]):
                return True
        self.changing.update(made)
        return False

    def may_move(self, step, made: list[Value]) -> bool:
        """Whether a step does nothing but make values, for which others may stand."""
        if type(step) is not Call or step.into is not None or not is_pure(step.primal):
            return False
        if not self.handed_on.isdisjoint(made):
            return False
        if any(map(self.memory.is_written, (*made, *reads(step)))):
            return False
        return all(self.may_be_one(value) for value in made)

    def may_be_one(self, local: Value) -> bool:
        """Whether readers outside may read one value in the place of those of all repetitions."""
        values = [value for each in self.former.kept if each.name is local for value in each.values]
        values += [value for value, name in self.former.last.items() if name is local]
        return all(self.memory.may_stand_for(local, value) for value in values)

    def tabulate(self, step: Call, made: Value) -> bool:
        """List what a call of constants makes in each repetition, if that is not large."""
        if set(reads(step)) - self.tables.keys() or made not in self.rows:
            return False
        values = self.rows[made]
        if not all(map(is_small, values)):
            return False
        entries = [self.constants.kept(value.array) for value in values]
        self.tables[made] = Stream(made, entries)
        self.changing.add(made)
        self.others[made] = entries
        return True


def _is_constant(entries: list[Any]) -> bool:
    return not any(isinstance(entry, Value) for entry in entries)
