"""Elementwise operations on large arrays run block by block, while a block is in the cache.

From the first elementwise operation of a large shape on, all later ones of that shape are taken
that need nothing but each other, what was there before, and parts of it. Where nothing but a sum
over all axes reads a result, it is added up block by block, so that the whole array never is in
memory. The last bits of such sums differ from those of one sum; all other results have the same
bits.
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from chainrules_programs.compiling.passes.in_place import in_place_steps
from chainrules_programs.compiling.passes.memory import Memory, memory_of_value
from chainrules_programs.recording.program import Call, Program, Value, array_of, values_of
from chainrules_programs.recording.steps import is_elementwise, is_pure, makes, reads

SMALLEST = 100_000  # entries; below, blocks take longer than whole arrays
BLOCK = 16384  # entries of a block; 8,192 to 65,536 take the same time within 10 %
FEWEST = 4  # operations that are worth a loop


@dataclass(eq=False, slots=True)
class Blocked:
    """`body` runs for each block of `rows` rows, of `length` in all.

    `parts` are names of blocks with the arrays that they are of, `outputs` those that are written,
    and `sums` numbers with the names of the blocks that are added up in them.
    """

    body: list[Any]
    length: int
    rows: int
    parts: list[tuple[Value, Any]]
    outputs: list[tuple[Value, Value]]
    sums: list[tuple[Value, Value]]
    outside: list[Value]
    place: Any = None

    @property
    def strict(self) -> bool:
        """Whether steps of pullbacks are in it."""
        return any(step.strict for step in self.body)

    @property
    def reads(self) -> list[Value]:
        """The values from outside that it reads."""
        return self.outside

    @property
    def makes(self) -> list[Value]:
        """The arrays that it fills, and the sums."""
        return [whole for _, whole in self.outputs] + [total for total, _ in self.sums]


def blocked(program: Program) -> Program:
    """Run stretches of elementwise operations on large arrays block by block."""
    if not any(_is_large(step) for step in program.steps):
        return program
    memory = Memory(program)
    steps: list[Any] = list(program.steps)
    k = 0
    while k < len(steps):
        if _is_large(steps[k]):
            found = _Stretch(steps, k, memory, program.result).step()
            if found is not None:
                stretch, taken = found
                steps[k:] = [*stretch, *[s for s in steps[k:] if id(s) not in taken]]
        k += 1
    return replace(program, steps=steps)


def _is_large(step) -> bool:
    if type(step) is not Call or type(step.results) is not Value:
        return False
    return np.size(step.results.array) >= SMALLEST and _is_elementwise(step)


def _is_elementwise(call: Call) -> bool:
    """Whether each entry of a result depends on the entries of the operands at its place."""
    primal: Any = call.primal
    if call.options or call.into is not None or not is_pure(primal):
        return False
    result = call.results.array
    if type(result) is not np.ndarray or not result.flags.c_contiguous or not result.ndim:
        return False
    if primal is np.where:
        return len(call.args) == 3
    return is_elementwise(call)


def _is_over_everything(call: Call) -> bool:
    """Whether a reduction is one over all axes."""
    operand, *positional = call.args
    given = [*positional, *call.options.values()]
    if len(given) != 1 or not call.options.keys() <= {"axis"}:
        return False
    axes = given[0] if isinstance(given[0], tuple) else (given[0],)
    return axes == (None,) or len(axes) == np.ndim(operand.array)


class _Stretch:
    """The operations that run block by block from a step on."""

    def __init__(self, steps: Sequence[Any], start: int, memory: Memory, result) -> None:
        self.steps, self.start, self.memory = steps, start, memory
        self.shape = steps[start].results.array.shape
        self.result = set(values_of(result))
        self.calls: list[Call] = []
        self.sums: list[Call] = []
        self.before: list[Call] = []  # entries of small arrays, which may be read before the blocks
        self.made: set[Value] = set()
        self.later: set[Value] = set()

    def step(self) -> tuple[list[Any], set[int]] | None:
        """Return the blocks, after what they need, and which steps these replace; None where they
        would gain nothing.
        """
        self.collect()
        outputs = self.outputs()
        few = len(outputs) * 3 <= len(self.calls)
        if len(self.calls) < FEWEST or not (self.sums or few):
            return None
        taken = {id(call) for call in (*self.before, *self.calls, *self.sums)}
        return [*self.before, self.written(outputs)], taken

    def collect(self) -> None:
        """Find the operations that need nothing from outside that is made later."""
        for step in self.steps[self.start :]:
            if type(step) is Call and self.is_ready(step):
                if self.is_taken(step):
                    self.calls.append(step)
                    self.made.add(step.results)
                    continue
                if self.is_entry(step):
                    self.before.append(step)
                    continue
                if self.is_sum(step):
                    self.sums.append(step)
            self.later.update(makes(step))

    def is_ready(self, call: Call) -> bool:
        """Whether all operands are there, and stay what they are."""
        return not any(
            value in self.later or self.memory.is_written(value) for value in reads(call)
        )

    def is_taken(self, call: Call) -> bool:
        """Whether a call is an elementwise operation of the shape."""
        if type(call.results) is not Value or not _is_elementwise(call):
            return False
        if call.results.array.shape != self.shape or self.memory.is_written(call.results):
            return False
        return all(self.is_sliced(arg) or self.is_whole(arg) for arg in call.args)

    def is_sliced(self, arg) -> bool:
        """Whether an operand has the shape, so that a block of it is read."""
        array = array_of(arg)
        return isinstance(array, np.ndarray) and array.shape == self.shape

    def is_whole(self, arg) -> bool:
        """Whether an operand is read as it is by each block."""
        shape = np.shape(array_of(arg))
        return len(shape) < len(self.shape) or (len(shape) == len(self.shape) and shape[0] == 1)

    def is_entry(self, call: Call) -> bool:
        """Whether a call reads a part, always the same, of something from outside."""
        if call.primal is not operator.getitem or type(call.results) is not Value:
            return False
        array, index = call.args
        if values_of(index) or not isinstance(array, Value) or array in self.made:
            return False
        return not self.memory.is_written(call.results)

    def is_sum(self, call: Call) -> bool:
        """Whether a call is the sum of all that an operation of the stretch has made."""
        if call.primal != np.add.reduce or not _is_over_everything(call):
            return False
        return call.args[0] in self.made and call.results.array.dtype.kind == "f"

    def outputs(self) -> list[Value]:
        """Return what is read by others than the stretch."""
        taken = {id(call) for call in (*self.calls, *self.sums)}
        read = set(self.result)
        for step in self.steps[self.start :]:
            if id(step) not in taken:
                read.update(reads(step))
        outputs = [call.results for call in self.calls if call.results in read]
        # what is in memory anyway is summed at once
        self.sums = [call for call in self.sums if call.args[0] not in read]
        return outputs

    def written(self, outputs: list[Value]) -> Blocked:
        """Return the blocks with names for the parts of arrays."""
        length = self.shape[0]
        rows = min(length, max(1, BLOCK // prod(self.shape[1:])))
        names: dict[Any, Value] = {}
        parts: list[tuple[Value, Any]] = []
        filled = [(self.part(value, rows), value) for value in outputs]
        body = []
        for call in self.calls:
            args = tuple([self.named(arg, rows, names, parts) for arg in call.args])
            into = next((name for name, whole in filled if whole is call.results), None)
            name = into or self.part(call.results, rows)
            names[call.results] = name
            body.append(replace(call, args=args, results=name, into=into))
        sums = [(call.results, names[call.args[0]]) for call in self.sums]
        held = {memory_of_value(name) for name, _ in parts} | {
            memory_of_value(name) for _, name in sums
        }
        held |= {memory_of_value(name) for name, _ in filled}
        outside = dict.fromkeys(
            value for call in self.calls for value in reads(call) if value not in self.made
        )
        body = in_place_steps(body, held)
        return Blocked(body, length, rows, parts, filled, sums, list(outside))

    def named(self, arg, rows: int, names: dict[Any, Value], parts: list[tuple[Value, Any]]) -> Any:
        """Return what a block has in the place of an operand."""
        if not self.is_sliced(arg):
            return arg
        key = arg if isinstance(arg, Value) else id(arg)
        if key not in names:
            names[key] = self.part(arg if isinstance(arg, Value) else Value(arg), rows)
            parts.append((names[key], arg))
        return names[key]

    def part(self, value: Value, rows: int) -> Value:
        """Return a name for a block of an array."""
        return Value(np.empty_like(value.array[:rows]), value.name)
