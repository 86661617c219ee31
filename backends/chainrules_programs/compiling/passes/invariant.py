"""Compute before a loop what is the same in all of its repetitions."""

from dataclasses import replace
from typing import Any

from chainrules_programs.compiling.passes.loops import has_loops
from chainrules_programs.compiling.passes.memory import Memory, is_view
from chainrules_programs.recording.program import Call, Count, Program, Value, parts_of_operand
from chainrules_programs.recording.repetitions import Loop
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
        self.moved: set[Value] = set()
        self.changing = set(loop.names)
        self.handed_on = {each.following for each in loop.carried}

    def loop(self) -> Loop:
        """Return what is left of the loop."""
        body = [step for step in self.former.body if not self.is_moved(step)]
        loop, moved = self.former, self.moved
        for each in loop.kept:
            if each.name in moved:
                self.by.update(dict.fromkeys(each.values, each.name))
        self.by.update({value: local for value, local in loop.last.items() if local in moved})
        kept = [each for each in loop.kept if each.name not in moved]
        last = {value: local for value, local in loop.last.items() if local not in moved}
        return replace(loop, kept=kept, last=last).with_body(body)

    def is_moved(self, step) -> bool:
        """Whether a step is made before the loop."""
        made = makes(step)
        if not self.changing.isdisjoint(reads(step)) or not self.may_move(step, made):
            self.changing.update(made)
            return False
        self.moved.update(made)
        self.before.append(step)
        return True

    def may_move(self, step, made: list[Value]) -> bool:
        """Whether a step does nothing but make values, for which others may stand."""
        if type(step) is not Call or step.into is not None or not is_pure(step.primal):
            return False
        if any(type(part) is Count for part in parts_of_operand((step.args, step.options))):
            return False
        if not self.handed_on.isdisjoint(made):
            return False
        if any(map(self.memory.is_written, (*made, *reads(step)))) and not is_view(step):
            return False
        return all(self.may_be_one(value) for value in made)

    def may_be_one(self, local: Value) -> bool:
        """Whether readers outside may read one value in the place of those of all repetitions."""
        values = [value for each in self.former.kept if each.name is local for value in each.values]
        values += [value for value, name in self.former.last.items() if name is local]
        return all(self.memory.may_stand_for(local, value) for value in values)
