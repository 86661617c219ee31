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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from chainrules_programs.compiling.constants import are_of_one_form
from chainrules_programs.compiling.passes.blocked import Blocked
from chainrules_programs.compiling.passes.memory import memory_of_value
from chainrules_programs.recording.notation import Operands, augmented, container_text, is_out
from chainrules_programs.recording.program import (
    Call,
    Guard,
    Place,
    Program,
    Value,
    parts_of_operand,
    values_of,
)
from chainrules_programs.recording.repetitions import COUNTERS, Loop, Stream
from chainrules_programs.recording.steps import Freed, last_uses, makes, reads
from chainrules_py.annotations import Function
from chainrules_py.makers.writing import Source

BETWEEN = 32  # steps between two of pullbacks; with more, these stand in blocks of their own
# Functions whose results are never their operands, nor views of them.
RETURN_NEW_ARRAYS = {np.dot, np.outer, np.where, np.concatenate, np.add.reduce}
OWN_NAMES = {"np", "scipy", "GuardFailed", "main", "checked", "strict", "relax", "token"}
RESERVED = {*keyword.kwlist, *dir(builtins), *OWN_NAMES, *COUNTERS}


class FunctionText(Source):
    """A program written as the function `name` of its inputs, whose names may be given. `scope` has
    the constants at the module's head, and `modules` lists what the text imports.

    The names that are `reserved` are given to nothing else. A text that `is_terse` runs in this
    process alone: it has `strict_within` and `relax` of `chainrules_py.strong_zeros` in the place of
    `numpy.errstate`, which takes five times as long, `out` by position, 50 ns less, names for
    functions, 45 ns less, and no augmented assignments: ``x *= y`` takes 30 ns more than its ufunc.
    """

    def __init__(
        self,
        program: Program,
        name: str = "program",
        inputs: Sequence[str] | None = None,
        reserved: Iterable[str] = (),
        *,
        is_terse: bool = False,
    ) -> None:
        super().__init__()
        self.program, self.name, self.is_terse = program, name, is_terse
        self.place: Any = None

        # names: those of values, those that are taken, those that are free again by their stem
        self.names: dict[Value, str] = {}
        self.taken = {*RESERVED, name}
        self.operands = Operands(self.names, self.taken, is_terse)
        self.scope, self.modules = self.operands.constants, self.operands.modules
        self.free: dict[str, list[str]] = {}
        self.shared: dict[str, int] = {}  # by how many values, where they are several
        self.counts: dict[str, int] = {}
        self.stems: dict[str, str] = {}
        pairs = zip(program.inputs, inputs or [""] * len(program.inputs), strict=True)
        self.parameters = [
            self.named(value, wanted or value.name or "x") for value, wanted in pairs
        ]
        self.taken |= set(reserved)

        # lists beside loops: where a value or a constant is in one
        self.kept_in: dict[str, list[Value]] = {}
        self.listed: dict[int, tuple[str, int]] = {}  # by the identity of the entry
        self.lives = Lives(program.steps, {*program.inputs, *values_of(program.result)})

        # in the body of a loop: values that are read after it, and names that each round sets anew
        self.last_ones: set[Value] = set()
        self.changing: set[str] = set()

        with self.block(f"def {name}({', '.join(self.parameters)}):"):
            self.steps()
            self.write(f"return {self.returned(program.result, _own_memory(program))}")

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
            with self.strict_block():
                for j in range(k, end):
                    self.step(steps[j], j)
            k = end

    @contextmanager
    def strict_block(self) -> Iterator[None]:
        """Write a block in which invalid values raise FloatingPointError."""
        if not self.is_terse:
            with self.block('with np.errstate(invalid="raise"):'):
                yield
            return
        self.write("token = strict()")
        with self.block("try:"):
            yield
        with self.block("finally:"), self.block("if token is not None:"):
            self.write("relax(token)")

    def step(self, step, place: int) -> None:
        """Write one step, and set the names free that are read no more."""
        self.comment(step)
        if type(step) is Freed:
            self.delete(step)
        elif type(step) is Loop:
            self.loop(step, place)
        elif type(step) is Blocked:
            self.blocked(step)
        elif type(step) is Call:
            self.call(step, place)
        elif type(step) is Guard:
            self.guard(step)
        for value in self.lives.endings.get(place, ()):
            self.release(value)

    def call(self, call: Call, place: int) -> None:
        """Write a call, and what its results are assigned to."""
        if call.into is not None and not self.names[call.into].isidentifier():
            entry = self.names[call.into]
            name = self.named(call.into, call.into.name or self.stem(call))
            self.line(f"{name} = {entry}", call.place)
        is_short = is_out(call) and not self.is_terse
        short = augmented(call) if is_short else None
        if short is not None:
            target, sign, operand = short
            text = f"{self.operands.text(target)} {sign}= {self.operands.text(operand)}"
        else:
            text = self.operands.call(call)
        into, results = call.into, call.results
        if into is not None and (results is None or results is into):
            self.line(text, call.place)
            return
        if into is not None:
            self.take_name(results, into, place)
            self.line(text, call.place)
            shared = self.names[results]
            if results in self.last_ones and shared in self.changing:
                own = self.named(results, results.name or self.stem(call))
                self.line(f"{own} = {shared}", call.place)
            return
        for value in self.lives.endings.get(place, ()):
            if value not in makes(call):
                self.release(value)
        names = self.target(results, call)
        self.line(f"{names} = {text}" if names else text, call.place)

    def where(self, entry) -> tuple[str, int] | None:
        """Return the list that an entry is in, and its index there."""
        return self.listed.get(id(entry))

    def take_name(self, result: Value, into: Value, place: int) -> None:
        """Give a result that is written into an operand's memory the name of the operand."""
        if into in self.lives.endings.get(place, ()):
            self.names[result] = self.names.pop(into)
            return
        name = self.names[result] = self.names[into]
        self.shared[name] = self.shared.get(name, 1) + 1

    def loop(self, loop: Loop, place: int) -> None:
        """Write a loop: what it begins with, its body, and what is at hand after it."""
        self.place = None
        LoopWriter(self, loop, place).write()
        self.place = None
        for name in self.lives.lists.pop(place, ()):
            self.write(f"del {name}")

    def blocked(self, step: Blocked) -> None:
        """Write a loop over the blocks of large arrays."""
        self.place = None
        for _, whole in step.outputs:
            name = self.named(whole, whole.name or "t")
            dtype = self.operands.text(whole.array.dtype)
            self.write(f"{name} = np.empty({whole.array.shape}, {dtype})")
        for total, _ in step.sums:
            self.write(f"{self.named(total, total.name or 'total')} = 0.0")
        outer, self.lives = self.lives, self.lives_in_blocks(step)
        start, rows = self.new_name("start"), self.new_name("rows")
        with self.block(f"for {start} in range(0, {step.length}, {step.rows}):"):
            self.write(f"{rows} = slice({start}, {start} + {step.rows})")
            for part, whole in (*step.parts, *step.outputs):
                name = self.named(part, f"{part.name or 't'}_rows")
                self.write(f"{name} = {self.operands.text(whole)}[{rows}]")
            for k, each in enumerate(step.body):
                self.step(each, k)
            for total, part in step.sums:
                self.write(f"{self.names[total]} += np.add.reduce({self.names[part]}, None)")
        self.lives = outer
        for value, _ in (*step.parts, *step.outputs):
            self.release(value)
        self.place = None

    def lives_in_blocks(self, step: Blocked) -> "Lives":
        """Return what is read for the last time in each step of a block."""
        held = {value for value, _ in (*step.parts, *step.outputs)}
        held |= {part for _, part in step.sums} | set(step.outside)
        return Lives(step.body, held)

    def target(self, results, call: Call) -> str:
        """Write what the results of a call are assigned to, naming them."""
        if not values_of(results):
            return ""
        if isinstance(results, Value):
            return self.named(results, results.name or self.stem(call))
        if isinstance(results, dict):
            raise NotImplementedError("a call that returns a dict of results")
        parts = [self.part(part, call) for part in results]
        return ", ".join(parts) + ("," if len(parts) == 1 else "")

    def part(self, part, call: Call) -> str:
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
        with self.block(condition):
            self.line(f"raise GuardFailed({_sentence(guard, operand)!r})", guard.place)

    def delete(self, step: Freed) -> None:
        """Delete the names of values; one whose name has gone to another value has none."""
        names = [self.names[value] for value in step.values if value in self.names]
        for value in step.values:
            self.release(value)
        over = [x for x in dict.fromkeys(names) if x.isidentifier() and x not in self.shared]
        if over:
            self.write(f"del {', '.join(over)}")

    def comment(self, step) -> None:
        """Write the user's line above the steps that come from it."""
        place = getattr(step, "place", None)  # nothing that is deleted has one
        if place is None or place == self.place:
            return
        self.place = place
        text = printable(linecache.getline(*place).strip())
        if text:
            self.write(f"# {text}")

    def line(self, text: str, place: Place | None) -> None:
        """Write a line, and at its end the user's file and line."""
        at = f"  # {printable(Path(place[0]).name)}:{place[1]}" if place else ""
        self.write(text + at)

    def named(self, value: Value, wish: str) -> str:
        """Give a value a name that is free."""
        stem = self.stems.get(wish)
        if stem is None:
            stem = self.stems[wish] = identifier(wish)
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
        if name in self.shared:
            self.shared[name] -= 1
            if not self.shared[name]:
                del self.shared[name]
            else:
                return
        if name is not None and name.isidentifier() and name not in self.changing:
            stem = re.sub(r"\d+$", "", name) or name
            self.free.setdefault(stem, []).append(name)

    def returned(self, part, own: set[int]) -> str:
        """Write a part of what is returned, a copy where others know its memory, or where it may
        not be written to: nothing of it may be an argument or a constant.
        """
        if isinstance(part, Value):
            text = self.operands.text(part)
            if not isinstance(part.array, np.ndarray):
                return text
            is_free = part.array.flags.writeable and memory_of_value(part) in own
            return text if is_free else f"{text}.copy()"
        if isinstance(part, np.ndarray):
            return f"{self.operands.text(part)}.copy()"
        if isinstance(part, dict | tuple | list):
            return container_text(part, lambda x: self.returned(x, own), self.operands.function)
        return self.operands.text(part)


class LoopWriter:
    """Writes a loop by the writer of the function that it stands in."""

    def __init__(self, writer: FunctionText, loop: Loop, place: int) -> None:
        self.writer, self.loop, self.place = writer, loop, place
        direct = [value for step in loop.body for value in reads(step)]
        direct += values_of([each.first for each in loop.carried])
        entries = [direct, *[values_of(each.entries) for each in loop.streams]]
        lists = [{at[0] for at in map(writer.where, each) if at} for each in entries]
        self.readers = Counter(chain(*lists))  # how many read of a list beside the loop
        self.popped: list[tuple[str, str]] = []
        self.iterated: list[tuple[str, str]] = []

    def write(self) -> None:
        """Write the lines before the loop, the loop, and name what is read after it."""
        lists = self.lists()
        self.first_values()
        self.streams()
        writer = self.writer
        outer = writer.lives, writer.last_ones, writer.changing
        writer.lives = Lives(self.loop.body, self.loop.held)
        writer.last_ones = set(self.loop.last.values())
        writer.changing = writer.changing | {writer.names[name] for name in self.loop.names}
        head = len(writer.lines)
        with writer.block(""):
            self.body(lists)
        writer.lines[head] += self.head()  # which counts repetitions where the body does
        writer.lives, writer.last_ones, writer.changing = outer
        self.name_results(lists)

    def lists(self) -> list[str]:
        """Write the empty lists in which values are kept for readers outside."""
        names = []
        for kept in self.loop.kept:
            wish = f"{kept.name.name}s" if kept.name.name else "kept"
            names.append(self.writer.new_name(identifier(wish)))
            self.writer.write(f"{names[-1]} = []")
        return names

    def first_values(self) -> None:
        """Name the carried values; one that nobody else reads gives its own name."""
        writer = self.writer
        uses = self.loop.uses()
        for carried in self.loop.carried:
            first, name = carried.first, carried.name
            is_free = (
                isinstance(first, Value)
                and writer.lives.ends.get(first) == self.place
                and uses[id(first)] == 1
                and writer.names[first].isidentifier()
                and writer.names[first] not in writer.shared
                and first not in writer.program.inputs
            )
            if is_free:
                writer.names[name] = writer.names.pop(first)
            else:
                text = writer.operands.text(first)
                writer.write(f"{writer.named(name, name.name or 't')} = {text}")

    def streams(self) -> None:
        """Name what the loop takes one by one, from ends of lists or by `zip`."""
        writer = self.writer
        for stream in self.loop.streams:
            table = self.hoist(stream)
            if table is not None:
                name = writer.named(stream.name, stream.name.name or "t")
                self.iterated.append((name, table))
                continue
            written = segments(stream.entries, writer.where)
            texts = iter([x for x in stream.entries if writer.where(x) is None])
            popped = self.popped_list(stream, written)
            name = writer.named(stream.name, stream.name.name or "t")
            if popped is not None:
                self.popped.append((name, popped))
                continue
            parts = [writer.operands.text(next(texts)) if x is None else x for x in written]
            if len(parts) == 1 and parts[0].startswith("*"):
                self.iterated.append((name, parts[0][1:].removesuffix("[:]")))
            else:
                own = writer.new_name(f"{name}_s" if name[-1].isdigit() else f"{name}s")
                self.writer.write(f"{own} = [{', '.join(parts)}]")
                self.iterated.append((name, own))

    def hoist(self, stream: Stream) -> str | None:
        """Put a list of constants at the module's head; None where it has others, or is there."""
        writer = self.writer
        if any(isinstance(x, Value) or writer.where(x) for x in stream.entries):
            return None
        name = writer.operands.constant(_stacked(stream.entries), "table")
        for k, entry in enumerate(stream.entries):
            if isinstance(entry, np.ndarray):  # equal numbers may be one object
                writer.listed[id(entry)] = (name, k)
        return name

    def popped_list(self, stream: Stream, written: list[str]) -> str | None:
        """Return the list that a stream takes from its end on, if nobody else reads it."""
        writer = self.writer
        if len(written) != 1 or written[0] is None or not written[0].startswith("*"):
            return None
        if not isinstance(stream.entries[0], Value):
            return None
        name, first = writer.listed[id(stream.entries[0])]
        if writer.where(stream.entries[1]) != (name, first - 1):
            return None
        if self.readers[name] > 1:
            return None
        mine = set(stream.entries)
        for value in writer.kept_in[name]:
            end = writer.lives.ends.get(value, -1)
            if end > self.place or (end == self.place and value not in mine):
                return None
        if first < len(writer.kept_in[name]) - 1:
            writer.write(f"del {name}[{first + 1}:]")
        for ending in writer.lives.lists.values():
            if name in ending:
                ending.remove(name)
        return name

    def head(self) -> str:
        """Write the head of the loop."""
        counter, counting = self.loop.counter, self.writer.operands.counting
        is_counting = counter in counting
        counting.discard(counter)
        names, lists = [n for n, _ in self.iterated], [x for _, x in self.iterated]
        if not names:
            return f"for {counter if is_counting else '_'} in range({self.loop.count}):"
        if len(names) == 1:
            target, source = names[0], lists[0]
        else:
            target, source = ", ".join(names), f"zip({', '.join(lists)}, strict=True)"
        if is_counting:
            target = f"({target})" if len(names) > 1 else target
            return f"for {counter}, {target} in enumerate({source}):"
        return f"for {target} in {source}:"

    def body(self, lists: list[str]) -> None:
        """Write the steps, what is kept of them, and what the next repetition begins with."""
        writer = self.writer
        for name, popped in self.popped:
            writer.write(f"{name} = {popped}.pop()")
        for k, step in enumerate(self.loop.body):
            writer.step(step, k)
        for kept, name in zip(self.loop.kept, lists, strict=True):
            writer.write(f"{name}.append({writer.names[kept.name]})")
        pairs = [
            (writer.names[carried.name], writer.names[carried.following])
            for carried in self.loop.carried
        ]
        pairs = [(name, following) for name, following in pairs if name != following]
        if pairs:
            names, followings = zip(*pairs, strict=True)
            writer.write(f"{', '.join(names)} = {', '.join(followings)}")

    def name_results(self, lists: list[str]) -> None:
        """Name what is read after the loop, and set the other names of the body free."""
        writer, loop = self.writer, self.loop
        lasts = {value: writer.names[local] for value, local in loop.last.items()}
        counts = Counter(lasts.values())  # two values may be one in the body
        writer.shared |= {name: count for name, count in counts.items() if count > 1}
        for kept, name in zip(loop.kept, lists, strict=True):
            writer.names.pop(kept.name, None)
            writer.kept_in[name] = kept.values
            for k, value in enumerate(kept.values):
                writer.names[value] = f"{name}[{k}]"
                writer.listed[id(value)] = (name, k)
            end = max(writer.lives.ends.get(value, -1) for value in kept.values)
            writer.lives.lists.setdefault(end, []).append(name)
        used = set(lasts.values())
        local_values = [
            *(each.name for each in loop.carried),
            *(each.name for each in loop.streams),
            *(each.following for each in loop.carried),
            *loop.last.values(),
        ]
        for local in dict.fromkeys(local_values):  # names are free in this order
            if writer.where(local):
                continue
            if writer.names.get(local) not in used:
                writer.release(local)
            else:
                writer.names.pop(local, None)
        writer.names |= lasts


def segments(entries: Sequence[Any], where: Callable[[Any], tuple[str, int] | None]) -> list[str]:
    """Write the entries of a list, those that are a stretch of another list as its slice.

    `where` tells the list, and the index in it, of an entry; None where it is in none.

    >>> segments("abcx", lambda entry: ("s", "cba".index(entry)) if entry != "x" else None)
    ['*s[2::-1]', None]
    """
    written: list[Any] = []
    k = 0
    while k < len(entries):
        found = where(entries[k])
        end = k + 1
        if found is None:
            written.append(None)
            k += 1
            continue
        name, first = found
        step = 0
        while end < len(entries):
            following = where(entries[end])
            if following is None or following[0] != name:
                break
            if end == k + 1:
                step = following[1] - first
            if not step or following[1] != first + step * (end - k):
                break
            end += 1
        written.append(f"{name}[{first}]" if end == k + 1 else _slice(name, first, step, end - k))
        k = end
    return written


def _slice(name: str, first: int, step: int, count: int) -> str:
    last = first + step * (count - 1)
    stop = last + (1 if step > 0 else -1)
    start_text = "" if (step > 0 and first == 0) else str(first)
    stop_text = "" if stop < 0 else str(stop)
    step_text = "" if step == 1 else f":{step}"
    return f"*{name}[{start_text}:{stop_text}{step_text}]"


def _stacked(entries: Sequence[Any]) -> list[Any]:
    """Return a list of constants, arrays of one form as parts of one."""
    return list(np.stack(entries)) if are_of_one_form(entries) else list(entries)


def _own_memory(program: Program) -> set[int]:
    """Return the memory that the program makes itself: that of other results is an argument's, or
    may be a constant's.
    """
    own = set()
    steps: list[Any] = program.steps
    for step in steps:
        if type(step) is Loop:
            own |= _made_by_loop(step)
        elif type(step) is Blocked:
            own |= {memory_of_value(whole) for _, whole in step.outputs}
        elif type(step) is Call:
            own |= {memory_of_value(value) for value in _own_results(step)}
    return own - {memory_of_value(value) for value in program.inputs}


def _own_results(call: Call) -> list[Value]:
    """List the results of a call whose memory it has made itself."""
    is_new = isinstance(call.primal, np.ufunc) or call.primal in RETURN_NEW_ARRAYS
    operands = parts_of_operand((call.args, call.options))
    if not is_new and any(isinstance(x, np.ndarray) for x in operands):  # it might return one
        return []
    return [value for value in makes(call) if id(value.array) == memory_of_value(value)]


def _made_by_loop(loop: Loop) -> set[int]:
    """Return the memory that a loop makes for readers outside."""
    local = {value for step in loop.body if type(step) is Call for value in _own_results(step)}
    found = {memory_of_value(value) for value, name in loop.last.items() if name in local}
    for kept in loop.kept:
        if kept.name in local:
            found |= {memory_of_value(value) for value in kept.values}
    return found


class Lives:
    """Which values, and which lists of kept ones, are read for the last time at which of some steps.

    What is `kept` does not end; values that are deleted have their names until then. `ends` is the
    other way round: after all steps for what is kept.
    """

    def __init__(self, steps: Sequence[Any], kept: Set[Value]) -> None:
        deleted = {value for step in steps if type(step) is Freed for value in step.values}
        self.endings: dict[int, list[Value]] = {}
        self.lists: dict[int, list[str]] = {}
        for value, k in last_uses(steps).items():
            is_named = value in deleted and getattr(steps[k], "into", None) is not value
            if value not in kept and not is_named:
                self.endings.setdefault(k, []).append(value)
        self.ends = {value: k for k, values in self.endings.items() for value in values}
        self.ends |= dict.fromkeys(kept, len(steps))


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


def is_strict(step) -> bool:
    """Whether a step is one of a pullback."""
    return bool(getattr(step, "strict", False))


def _sentence(guard: Guard, operand: str) -> str:
    name = getattr(guard.question, "__name__", str(guard.question))
    at = f" at {Path(guard.place[0]).name}, line {guard.place[1]}" if guard.place else ""
    return f"{name}({operand}){at} is not {guard.answer!r}, as it was when this was recorded"


def printable(text: str) -> str:
    """Return a text without characters that end a line, or that nobody sees, for comments and names.

    >>> printable("a.py\\nimport os")
    'a.py\\\\nimport os'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def identifier(wish: str) -> str:
    """Return a name that Python takes: ``params_w`` for ``params['w']``."""
    name = re.sub(r"\W+", "_", wish).strip("_") or "x"
    if name[0].isdigit():
        name = f"x{name}"
    if not name.isidentifier():
        name = "x"
    return f"{name}_" if name in RESERVED else name


def name_of_program(function: Function) -> str:
    """The name that a program has in its source: that of the derivative, say `value_and_grad`."""
    made_by = getattr(type(function), "made_by", None)
    if made_by is not None:
        return str(made_by[function.func.__name__])  # type: ignore[attr-defined]
    return identifier(str(getattr(function, "__name__", "program")))
