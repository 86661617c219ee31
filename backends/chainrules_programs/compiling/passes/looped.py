"""Stretches of a program that repeat become loops, so that its text does not grow with its steps.

Calls are of one kind where they differ in the values, numbers and arrays that they read alone. A
stretch of `period` steps that are of the kinds of the `period` before is a repetition, and what an
operand of it is in all repetitions says how the loop reads it:

    one value in all of them           its name
    made in this repetition            a local name
    made one or a few before           a carried name, which has a value before the loop
    an integer that goes up evenly     an expression of the number of the repetition
    anything else from before          an entry of a list, one per repetition

A value that is read outside of the loop is kept in a list, but in the last repetition, where its
name is at hand. All of this concerns names alone: each call has the operands that it had.

The first and last repetitions may write into operands where the others make arrays, or the other
way round. They are made alike: a call does as most of its repetitions do, where it may.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chainrules_programs.compiling.passes.constants import key_of
from chainrules_programs.compiling.passes.freed import freed_steps
from chainrules_programs.compiling.passes.steps import makes, reads, replaced
from chainrules_programs.recording.program import (
    Call,
    Guard,
    Program,
    Value,
    Write,
    values_of,
    with_operands,
    with_values,
)

SHORTEST = 300  # steps of a program in which repetitions are sought
LEAST = 24  # steps that a loop has to hide
GRAM = 6  # steps in a row that are compared at once where periods are sought
CANDIDATES = 24  # periods that are tried
FARTHEST = 3  # repetitions back from which a value is carried


@dataclass(eq=False, slots=True)
class Count:
    """An integer of a loop: ``first + step * k`` in repetition k."""

    first: int
    step: int


@dataclass(eq=False, slots=True)
class Carried:
    """A name that is `first` in the first repetition, and becomes `following` after each."""

    name: Value
    first: Any
    following: Value


@dataclass(eq=False, slots=True)
class Stream:
    """A name that has one of `entries` in each repetition."""

    name: Value
    entries: list[Any]


@dataclass(eq=False, slots=True)
class Kept:
    """A value of the body, and what it is in each repetition, for readers outside of the loop."""

    name: Value
    values: list[Value]


@dataclass(eq=False, slots=True)
class Loop:
    """`body` runs `count` times; `last` maps values of the last repetition to those of the body.

    `straight` are the steps that it stands for, one after the other.
    """

    body: list[Any]
    count: int
    carried: list[Carried]
    streams: list[Stream]
    kept: list[Kept]
    last: dict[Value, Value]
    outside: list[Value] = field(default_factory=list)
    straight: Sequence[Any] = ()
    place: Any = None

    @property
    def strict(self) -> bool:
        """Whether steps of pullbacks are in it."""
        return any(getattr(step, "strict", False) for step in self.body)

    @property
    def reads(self) -> list[Value]:
        """The values from outside that it reads."""
        return self.outside

    @property
    def makes(self) -> list[Value]:
        """The values that it makes for readers outside."""
        return [*self.last, *[value for kept in self.kept for value in kept.values]]


def looped(program: Program) -> Program:
    """Write the repetitions of a long program as loops."""
    if len(program.steps) < SHORTEST:
        return program
    return replace(program, steps=_Search(program).steps())


class _Search:
    """The repetitions of a program, longest first."""

    def __init__(self, program: Program) -> None:
        self.all: list[Any] = list(program.steps)
        self.numbers: dict[Any, int] = {}
        self.forms = list(map(_kind, self.all))
        self.kinds = np.array(list(map(self.number_of, self.forms)), np.int64)
        self.makers: dict[Value, tuple[int, int]] = {}
        self.readers: dict[Value, list[int]] = {}
        for k, step in enumerate(self.all):
            for place, value in enumerate(makes(step)):
                self.makers.setdefault(value, (k, place))
            for value in reads(step):
                self.readers.setdefault(value, []).append(k)
        for value in values_of(program.result):
            self.readers.setdefault(value, []).append(len(self.all))

    def number_of(self, form) -> int:
        """Return a number for what a step shares with its repetitions."""
        return self.numbers.setdefault(form, len(self.numbers))

    def steps(self) -> list[Any]:
        """All steps, repetitions as loops."""
        return list(self.found(0, len(self.all)))

    def even_out(self, low: int, high: int) -> None:
        """Have calls between two places write into operands where their repetitions do."""
        places = [k for k in range(low, high) if _is_written_into(self.all[k])]
        kinds = self.kinds[low:high].copy()
        for k in places:
            kinds[k - low] = self.number_of(_not_written_into(self.forms[k]))
        best = longest(kinds) if places else None
        if best is None:
            return
        first, length, period = best
        end = low + first + length + period
        for start in range(low + first, low + first + period):
            self.even_out_one(range(start, end, period), range(low, high))

    def even_out_one(self, repetitions: Sequence[int], within: range) -> None:
        """Have all repetitions of one call write into an operand, or none."""
        written = [k for k in repetitions if _is_written_into(self.all[k])]
        free = [k for k in written if self.all[k].results is not self.all[k].into]
        if len(free) < len(written):
            for k in free:
                self.rename_operand(k, within)
        elif 2 * len(free) < len(repetitions):
            for k in free:
                call = self.all[k]
                self.exchange(k, with_operands(call, call.args, call.options, None))

    def rename_operand(self, place: int, within: range) -> None:
        """Have the result of a call stand for the operand into which it is written, too.

        Not where blocks read that, which have other names for its parts, and not where it comes from
        without: there are loops already.
        """
        call = self.all[place]
        result, operand = call.results, call.into
        by = {operand: result}
        maker, position = self.makers[operand]
        concerned = [maker, *self.readers[operand]]
        if not all(k in within and type(self.all[k]) in (Call, Write, Guard) for k in concerned):
            return
        del self.makers[operand]
        self.makers[result] = maker, position
        made = with_values(self.all[maker].results, lambda value: by.get(value, value))
        self.exchange(maker, replace(self.all[maker], results=made))
        readers = self.readers.pop(operand)
        for k in readers:
            self.exchange(k, replaced(self.all[k], by))
        self.readers[result] = sorted({*readers, *self.readers.get(result, ())})

    def exchange(self, place: int, step) -> None:
        """Put another step in the place of one."""
        self.all[place] = step
        self.forms[place] = _kind(step)
        self.kinds[place] = self.number_of(self.forms[place])

    def found(self, low: int, high: int) -> Iterator[Any]:
        """Yield the steps between two places, the repetition that hides most as a loop."""
        self.even_out(low, high)
        best = longest(self.kinds[low:high])
        if best is None:
            yield from self.all[low:high]
            return
        first, length, period = best
        pairs, slack = divmod(length, period)
        loop = start = None
        for start in self.starts(low + first, slack, period):
            loop = self.loop(start, period, pairs + 1)
            if loop is not None:
                break
        if loop is None or start is None:
            yield from self.all[low:high]
            return
        yield from self.found(low, start)
        yield loop
        yield from self.found(start + period * (pairs + 1), high)

    def starts(self, first: int, slack: int, period: int) -> list[int]:
        """Where a loop may begin, those first from which it carries least."""
        found = range(first, first + min(slack, period - 1) + 1)
        return sorted(found, key=lambda start: (self.crossing(start, period), start))[:4]

    def crossing(self, start: int, period: int) -> int:
        """Count the values that the second repetition reads of the first."""
        middle = start + period
        crossing = {
            value
            for step in self.all[middle : middle + period]
            for value in reads(step)
            if start <= self.makers.get(value, (-1, 0))[0] < middle
        }
        return len(crossing)

    def loop(self, start: int, period: int, count: int) -> Loop | None:
        """Make the loop of a repetition; None where its operands follow no rule."""
        return _Body(self, start, period, count).loop()


class _Body:
    """A loop in the making: the first repetition, with names for what changes."""

    def __init__(self, search: _Search, start: int, period: int, count: int) -> None:
        self.search, self.start, self.period, self.count = search, start, period, count
        self.stop = start + period * count
        self.carried: dict[tuple[int, int, int], Carried] = {}
        self.streams: dict[Any, Stream] = {}
        self.outside: dict[Value, None] = {}

    def loop(self) -> Loop | None:
        """Return the loop, if each operand of its body follows a rule."""
        try:
            body = [self.step(k) for k in range(self.start, self.start + self.period)]
        except _Irregular:
            return None
        kept, last = self.readers_outside()
        held = {
            *(carried.following for carried in self.carried.values()),
            *(carried.name for carried in self.carried.values()),
            *(stream.name for stream in self.streams.values()),
            *(each.name for each in kept),
            *last.values(),
            *self.outside,
        }
        body = freed_steps(body, held)
        carried, streams = list(self.carried.values()), list(self.streams.values())
        outside = [
            *self.outside,
            *(c.first for c in carried if isinstance(c.first, Value)),
            *(v for s in streams for v in s.entries if isinstance(v, Value)),
        ]
        straight = self.search.all[self.start : self.stop]
        outside = list(dict.fromkeys(outside))
        return Loop(body, self.count, carried, streams, kept, last, outside, straight)

    def step(self, k: int) -> Any:
        """Return a step of the body, with names in the place of operands that change."""
        repetitions: list[Any] = self.search.all[k : self.stop : self.period]
        step = repetitions[0]
        if type(step) is Call:
            args = self.joined([each.args for each in repetitions])
            options = self.joined([each.options for each in repetitions]) if step.options else {}
            into = step.into
            if into is not None:
                into = self.value([each.into for each in repetitions])
            results = into if step.results is step.into and into is not None else step.results
            return replace(step, args=args, options=options, into=into, results=results)
        if type(step) is Write:
            target = self.value([each.target for each in repetitions])
            index = self.joined([each.index for each in repetitions])
            entries = self.joined([each.entries for each in repetitions])
            return replace(step, target=target, index=index, entries=entries)
        return replace(step, operand=self.joined([each.operand for each in repetitions]))

    def joined(self, operands: list[Any]) -> Any:
        """Return what the body has in the place of an operand."""
        first = operands[0]
        # also where the first repetition has a number, and the others what is made of it
        if any(isinstance(each, Value) for each in operands):
            return self.value(operands)
        if isinstance(first, tuple):
            parts = [self.joined(list(part)) for part in zip(*operands, strict=True)]
            return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
        if isinstance(first, list):
            return [self.joined(list(part)) for part in zip(*operands, strict=True)]
        if isinstance(first, dict):
            return {key: self.joined([each[key] for each in operands]) for key in first}
        if isinstance(first, slice):
            starts = self.joined([each.start for each in operands])
            stops = self.joined([each.stop for each in operands])
            return slice(starts, stops, self.joined([each.step for each in operands]))
        return self.constant(operands)

    def constant(self, operands: list[Any]) -> Any:
        """Return a constant, an integer that is counted, or an entry of a list."""
        first = operands[0]
        if all(each is first for each in operands):
            return first
        keys = tuple(map(key_of, operands))
        if keys.count(keys[0]) == len(keys):
            return first
        if type(first) is int:
            step = operands[1] - first
            if all(each == first + step * k for k, each in enumerate(operands)):
                return Count(first, step)
        return self.stream(keys, operands)

    def value(self, operands: list[Any]) -> Value:
        """Return the value, or the name, that the body reads for a value of each repetition."""
        first = operands[0]
        if operands[1] is first and operands[-1] is first:
            return self.single(operands)
        maker, place = self.made_at(operands[-1])
        if maker < self.start:
            if any(self.is_inside(value) for value in operands):
                raise _Irregular
            return self.stream(tuple(map(key_of_entry, operands)), list(operands))
        repetition, offset = divmod(maker - self.start, self.period)
        back = self.count - 1 - repetition
        if not 0 <= back <= FARTHEST or back >= self.count:
            raise _Irregular
        local = self.local(offset, place)
        for k, value in enumerate(operands[back:]):
            made = self.start + offset + k * self.period
            if self.made_at(value) != (made, place):
                raise _Irregular
        if back == 0:
            return local
        if any(self.is_inside(value) for value in operands[:back]):
            raise _Irregular
        return self.carry(offset, place, operands[:back])

    def single(self, operands: list[Value]) -> Value:
        """Return a value that all repetitions read."""
        first = operands[0]
        if any(each is not first for each in operands):
            return self.stream(tuple(operands), list(operands))
        if self.is_inside(first):
            raise _Irregular
        self.outside[first] = None
        return first

    def is_inside(self, operand) -> bool:
        """Whether an operand is a value that is made in the loop."""
        return self.start <= self.made_at(operand)[0] < self.stop

    def made_at(self, operand) -> tuple[int, int]:
        """Return the step that makes an operand, and which of its results that is; -1 for others."""
        unknown = -1, 0
        return self.search.makers.get(operand, unknown) if isinstance(operand, Value) else unknown

    def local(self, offset: int, place: int) -> Value:
        """Return the body's value that a step makes."""
        return makes(self.search.all[self.start + offset])[place]

    def carry(self, offset: int, place: int, firsts: list[Any]) -> Value:
        """Return the name that carries a value over one or more repetitions.

        `firsts` are its values in the first repetitions, which were made before the loop.
        """
        following = self.local(offset, place)
        for back, first in enumerate(reversed(firsts), 1):
            key = (offset, place, back)
            known = self.carried.get(key)
            if known is None:
                like = first if isinstance(first, Value) else following
                name = Value(like.array, like.name or following.name)
                known = self.carried[key] = Carried(name, first, following)
            elif known.first is not first:
                raise _Irregular
            following = known.name
        return following

    def stream(self, key, entries: list[Any]) -> Value:
        """Return the name that has one of the entries in each repetition."""
        if key not in self.streams:
            first = entries[0]
            name = replace(first) if isinstance(first, Value) else Value(first)
            self.streams[key] = Stream(name, entries)
        return self.streams[key].name

    def readers_outside(self) -> tuple[list[Kept], dict[Value, Value]]:
        """Return the values that are read outside of the loop: in lists, or as the last ones."""
        kept, last = [], {}
        for offset in range(self.period):
            rows = [
                makes(self.search.all[k])
                for k in range(self.start + offset, self.stop, self.period)
            ]
            for place, local in enumerate(rows[0]):
                values = [row[place] for row in rows]
                if self.search.makers.get(local) != (self.start + offset, place):
                    continue
                outside = [self.is_read_outside(value) for value in values]
                if any(outside[:-1]):
                    kept.append(Kept(local, values))
                elif outside[-1]:
                    last[values[-1]] = local
        return kept, last

    def is_read_outside(self, value: Value) -> bool:
        """Whether a step after the loop, or the result, reads a value."""
        readers = self.search.readers.get(value)
        return readers is not None and readers[-1] >= self.stop


class _Irregular(Exception):
    """An operand of a repetition follows no rule."""


def longest(kinds: NDArray[np.int64]) -> tuple[int, int, int] | None:
    """Find the repetition that hides most steps: its first step, for how many steps the next period
    is alike, and the period; None where all hide few.
    """
    best, most = None, LEAST - 1
    for period in _periods(kinds):
        first, length = _longest_run(kinds[:-period] == kinds[period:])
        pairs = length // period
        hidden = pairs * period
        if pairs >= 2 and hidden > most:
            best, most = (first, length, period), hidden
    return best


def _periods(kinds: NDArray[np.int64]) -> list[int]:
    """List distances at which some steps in a row occur again, the most frequent ones."""
    if len(kinds) < LEAST:
        return []
    mixed = kinds.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    grams = np.zeros(len(kinds) - GRAM + 1, np.uint64)
    for k in range(GRAM):
        grams = grams * np.uint64(31) + mixed[k : k + len(grams)]
    order = np.argsort(grams, kind="stable")
    distances = []
    for lag in (1, 2, 3, 4):
        same = grams[order[lag:]] == grams[order[:-lag]]
        distances.append((order[lag:] - order[:-lag])[same])
    found, counts = np.unique(np.concatenate(distances), return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:CANDIDATES]
    return sorted(int(found[k]) for k in frequent)


def _longest_run(same: NDArray[np.bool_]) -> tuple[int, int]:
    """Return where the longest stretch of true entries begins, and its length."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    if not edges.size:
        return 0, 0
    lengths = edges[1::2] - edges[::2]
    k = int(np.argmax(lengths))
    return int(edges[2 * k]), int(lengths[k])


def _kind(step) -> Any:
    """Return what a step shares with its repetitions."""
    kind = type(step)
    if kind is Call:
        into = -1 if step.into is None else _position(step.into, step.args)
        parts = _form(step.args), _form(step.options) if step.options else None
        is_into = step.into is not None and step.results is step.into
        return step.primal, step.strict, into, is_into, parts, _form(step.results), step.place
    if kind is Write:
        return Write, _form(step.target), _form(step.index), _form(step.entries), step.place
    if kind is Guard:
        return Guard, step.question, key_of(step.answer), _form(step.operand), step.place
    return id(step)


def _not_written_into(kind) -> Any:
    """Return the kind of a call as it is without an operand into which it writes."""
    primal, strict, _, _, *rest = kind
    return primal, strict, -1, False, *rest


def _is_written_into(step) -> bool:
    """Whether a call of a ufunc writes into one of its operands."""
    if type(step) is not Call or step.into is None or type(step.results) is not Value:
        return False
    return isinstance(step.primal, np.ufunc) and _position(step.into, step.args) < len(step.args)


def _position(into: Value, args: Sequence[Any]) -> int:
    for k, arg in enumerate(args):
        if arg is into:
            return k
    return len(args)


def _form(operand) -> Any:
    """Return an operand without its numbers: types, shapes and dtypes."""
    kind = type(operand)
    if kind is Value:
        array = operand.array
        if type(array) is np.ndarray:
            dtype = array.dtype
            return array.shape, dtype.num, dtype.byteorder
        return type(array)
    if kind is int or kind is float:
        return kind
    if kind is tuple or kind is list:
        return kind, *[_form(part) for part in operand]
    if kind is slice:
        return slice, _form(operand.start), _form(operand.stop), _form(operand.step)
    if isinstance(operand, dict):
        return dict, *[(key, _form(part)) for key, part in operand.items()]
    if isinstance(operand, tuple):
        return kind, *[_form(part) for part in operand]
    if isinstance(operand, np.ndarray):
        return np.ndarray, operand.shape, operand.dtype
    if isinstance(operand, np.generic | complex):
        return kind
    return key_of(operand)


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


def key_of_entry(operand) -> Any:
    """Identify an entry of a list: a value, or a constant."""
    return operand if isinstance(operand, Value) else key_of(operand)
