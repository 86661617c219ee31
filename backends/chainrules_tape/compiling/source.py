"""The text of a function that a recorded program stands for, as a person writes it with NumPy.

    def f(x):
        # y = np.sin(x) * 1.01
        t1 = np.sin(x)  # model.py:4
        t1 *= c1  # model.py:4
        ...

Names are the user's where they are known. A name is used again once its value is not read any more,
and a result that is written into an operand's memory takes the operand's name. Steps of pullbacks
stand in a block in which invalid values raise FloatingPointError: there zero meets an infinity.
"""

import builtins
import keyword
import linecache
import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chainrules_py.makers.writing import Source
from chainrules_recorder.program import Call, Guard, Place, Program, Value, Write
from chainrules_tape.compiling.notation import Operands, augmented, is_out
from chainrules_tape.compiling.passes.memory import root
from chainrules_tape.compiling.passes.steps import Freed, makes, reads, values_of
from chainrules_tape.core.trees import flatten

BETWEEN = 32  # steps between two of pullbacks; with more, these stand in blocks of their own
RESERVED = {*keyword.kwlist, *dir(builtins), "np", "scipy", "GuardFailed", "main", "checked"}


@dataclass
class FunctionText:
    """Lines of a function, and what its names at the module's head stand for."""

    name: str
    parameters: list[str]
    lines: list[str]
    constants: dict[str, Any]
    modules: set[str]
    names: dict[Value, str] = field(default_factory=dict)


def function_text(
    program: Program,
    name: str = "program",
    inputs: Sequence[str] | None = None,
    reserved: Iterable[str] = (),
) -> FunctionText:
    """Write a program as a function of its inputs, whose names may be given.

    The names that are `reserved` are given to nothing else.
    """
    return _Writer(program, name, inputs, reserved).written()


class _Writer:
    """Writes the steps one after the other, and knows which names are free."""

    def __init__(
        self,
        program: Program,
        name: str,
        inputs: Sequence[str] | None,
        reserved: Iterable[str],
    ) -> None:
        self.program, self.name = program, name
        self.names: dict[Value, str] = {}
        self.taken = {*RESERVED, name}
        self.operands = Operands(self.names, self.taken)
        self.source = Source()
        self.place: Any = None
        self.free: dict[str, list[str]] = {}
        self.counts: dict[str, int] = {}
        self.stems: dict[str, str] = {}
        self.parameters = [
            self.named(value, given or value.name or "x")
            for value, given in zip(
                program.inputs, inputs or [None] * len(program.inputs), strict=True
            )
        ]
        self.taken |= set(reserved)
        self.endings = _endings(program)

    def written(self) -> FunctionText:
        """Write the function."""
        with self.source.block(f"def {self.name}({', '.join(self.parameters)}):"):
            self.steps()
            self.source.write(f"return {self.result()}")
        operands = self.operands
        constants, modules = operands.constants, operands.modules
        lines = self.source.take()
        return FunctionText(self.name, self.parameters, lines, constants, modules, dict(self.names))

    def steps(self) -> None:
        """Write all steps, those of pullbacks inside of a block."""
        steps = self.program.steps
        k = 0
        while k < len(steps):
            end = _end_of_strict(steps, k)
            if end == k:
                self.step(steps[k], k)
                k += 1
                continue
            with self.source.block('with np.errstate(invalid="raise"):'):
                for j in range(k, end):
                    self.step(steps[j], j)
            k = end

    def step(self, step: Any, place: int) -> None:
        """Write one step, and set the names free that are read no more."""
        if type(step) is Freed:
            self.delete(step)
            return
        self.comment(step)
        if type(step) is Call:
            self.call(step, place)
        elif type(step) is Write:
            target, index = self.operands.text(step.target), self.operands.index(step.index)
            self.line(f"{target}[{index}] = {self.operands.text(step.entries)}", step.place)
        elif type(step) is Guard:
            self.guard(step)
        for value in self.endings.get(place, ()):
            self.release(value)

    def call(self, call: Call, place: int) -> None:
        """Write a call, and what its results are assigned to."""
        short = augmented(call) if is_out(call) else None
        if short is not None:
            target, sign, operand = short
            text = f"{self.operands.text(target)} {sign}= {self.operands.text(operand)}"
        else:
            text = self.operands.call(call)
        into, results = call.into, call.results
        if into is not None and (results is None or results is into):
            self.line(text, call.place)
            return
        if into is not None and into in self.endings.get(place, ()):
            self.names[results] = self.names.pop(into)
            self.line(text, call.place)
            return
        for value in self.endings.get(place, ()):
            if value not in makes(call):
                self.release(value)
        target = self.target(results, call)
        self.line(f"{target} = {text}" if target else text, call.place)

    def target(self, results: Any, call: Call) -> str:
        """Write what the results of a call are assigned to, naming them."""
        if not values_of(results):
            return ""
        if isinstance(results, Value):
            return self.named(results, results.name or self.stem(call))
        if isinstance(results, dict):
            raise NotImplementedError("a call that returns a dict of results")
        parts = [self.part(part, call) for part in results]
        return ", ".join(parts) + ("," if len(parts) == 1 else "")

    def part(self, part: Any, call: Call) -> str:
        """Write one of several results; `_` stands for what nobody reads."""
        if not values_of(part):
            return "_"
        written = self.target(part, call)
        return written if isinstance(part, Value) else f"({written})"

    def stem(self, call: Call) -> str:
        """Begin the names of values that the user has not named."""
        return "bar" if call.strict else "t"

    def guard(self, guard: Guard) -> None:
        """Write a guard as a condition, and a sentence that says what did not hold."""
        question, answer = guard.question, guard.answer
        operand = self.operands.text(guard.operand)
        if question is bool or question is operator.truth:
            condition = f"if not {operand}:" if answer else f"if {operand}:"
        elif question is np.shape and isinstance(guard.operand, Value):
            shape = "" if isinstance(guard.operand.array, np.ndarray) else "np.shape"
            left = f"{shape}({operand})" if shape else f"{operand}.shape"
            condition = f"if {left} != {self.operands.text(answer)}:"
        else:
            asked = f"{self.operands.function(question)}({operand})"
            condition = f"if {asked} != {self.operands.text(answer)}:"
        with self.source.block(condition):
            self.line(f"raise GuardFailed({_sentence(guard, operand)!r})", guard.place)

    def delete(self, step: Freed) -> None:
        """Delete the names of values; one whose name has gone to another value has none."""
        names = [self.names[value] for value in step.values if value in self.names]
        if names:
            self.source.write(f"del {', '.join(names)}")
        for value in step.values:
            self.release(value)

    def comment(self, step: Any) -> None:
        """Write the user's line above the steps that come from it."""
        place = step.place
        if place is None or place == self.place:
            return
        self.place = place
        text = linecache.getline(*place).strip()
        if text:
            self.source.write(f"# {text}")

    def line(self, text: str, place: Place | None) -> None:
        """Write a line, and at its end the user's file and line."""
        at = f"  # {Path(place[0]).name}:{place[1]}" if place else ""
        self.source.write(text + at)

    def named(self, value: Value, wish: str) -> str:
        """Give a value a name that is free."""
        stem = self.stems.get(wish)
        if stem is None:
            stem = self.stems[wish] = _identifier(wish)
        waiting = self.free.get(stem)
        name = waiting.pop() if waiting else self.new_name(stem)
        self.names[value] = name
        return name

    def new_name(self, stem: str) -> str:
        """Make a name that was not used before."""
        numbered = stem in ("t", "bar")
        while True:
            count = self.counts[stem] = self.counts.get(stem, 0) + 1
            name = f"{stem}{count}" if numbered or count > 1 else stem
            if name not in self.taken:
                self.taken.add(name)
                return name

    def release(self, value: Value) -> None:
        """Set the name of a value free for others."""
        name = self.names.pop(value, None)
        if name is not None:
            stem = re.sub(r"\d+$", "", name) or name
            self.free.setdefault(stem, []).append(name)

    def result(self) -> str:
        """Write what is returned; nothing of it may be an argument or a constant."""
        return self.returned(self.program.result, _own_memory(self.program))

    def returned(self, part: Any, own: set[int]) -> str:
        """Write a part of what is returned, a copy where others know its memory."""
        if isinstance(part, Value):
            text = self.operands.text(part)
            is_copied = isinstance(part.array, np.ndarray) and root(part) not in own
            return f"{text}.copy()" if is_copied else text
        if isinstance(part, np.ndarray):
            return f"{self.operands.text(part)}.copy()"
        if isinstance(part, dict):
            pairs = [f"{key!r}: {self.returned(x, own)}" for key, x in part.items()]
            return f"{{{', '.join(pairs)}}}"
        if isinstance(part, tuple | list):
            parts = ", ".join(self.returned(x, own) for x in part)
            if isinstance(part, list):
                return f"[{parts}]"
            if hasattr(part, "_fields"):
                return f"{self.operands.function(type(part))}({parts})"
            return f"({parts},)" if len(part) == 1 else f"({parts})"
        return self.operands.text(part)


def _own_memory(program: Program) -> set[int]:
    """Return the memory that the program makes itself: that of other results is an argument's, or
    may be a constant's.
    """
    own = set()
    for step in program.steps:
        if type(step) is Call and (isinstance(step.primal, np.ufunc) or not _has_arrays(step)):
            own |= {root(value) for value in makes(step) if id(value.array) == root(value)}
    return own - {root(value) for value in program.inputs}


def _has_arrays(call: Call) -> bool:
    """Whether constant arrays are among the operands of a call, which it might return."""
    parts = flatten((call.args, call.options))[0]
    return any(isinstance(part, np.ndarray) for part in parts)


def _endings(program: Program) -> dict[int, list[Value]]:
    """Return the values that are read for the last time, by the number of the step."""
    kept = {*program.inputs, *values_of(program.result)}
    last: dict[Value, int] = {}
    for k, step in enumerate(program.steps):
        if type(step) is not Freed:
            for value in (*makes(step), *reads(step)):
                last[value] = k
    endings: dict[int, list[Value]] = {}
    for value, k in last.items():
        if value not in kept:
            endings.setdefault(k, []).append(value)
    return endings


def _end_of_strict(steps: Sequence[Any], start: int) -> int:
    """Return the end of the stretch of pullbacks' steps that begins at a step; itself if none.

    A few steps between pullbacks, which add cotangents, stand in it, too.
    """
    end, k = start, start
    while k < len(steps) and k - end < BETWEEN and (k > start or is_strict(steps[k])):
        if is_strict(steps[k]):
            end = k + 1
        k += 1
    return end


def is_strict(step: Any) -> bool:
    """Whether a step is one of a pullback."""
    return type(step) is Call and step.strict


def _sentence(guard: Guard, operand: str) -> str:
    name = getattr(guard.question, "__name__", str(guard.question))
    at = f" at {Path(guard.place[0]).name}, line {guard.place[1]}" if guard.place else ""
    return f"{name}({operand}){at} is not {guard.answer!r}, as it was when this was recorded"


def _identifier(wish: str) -> str:
    """Return a name that Python takes: ``params_w`` for ``params['w']``."""
    name = re.sub(r"\W+", "_", wish).strip("_") or "x"
    if name[0].isdigit():
        name = f"x{name}"
    return f"{name}_" if name in RESERVED else name


def head_lines(text: FunctionText) -> Iterator[str]:
    """Yield the lines that import what a function needs."""
    for module in sorted(text.modules):
        yield "import numpy as np" if module == "numpy" else f"import {module}"
