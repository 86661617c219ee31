"""Repeated stretches of a program, each to be shown once, and the middle of what is long even so.

A stretch is repeated where operations of the same primal, rule and types stand a period apart, and each operand moves by the
same number of values from one repetition to the next: by none for what is constant, by a period for what an operation of
this repetition or of the one before has made, by another number for what is taken one by one from elsewhere.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from chainrules_tape.program import Operation, Program

Integers = NDArray[np.intp]
LIMIT = 200  # operations shown
LONGEST, OPERANDS, LEAST = 1000, 16, 8  # not folded: longer periods, operations of more operands, what would hide fewer lines
TOKEN = re.compile(r"\d+(?:\.\d*)?(?:e[+-]?\d+)?|\w+|\W")


@dataclass(frozen=True, eq=False)
class Stretch:
    """Operations that run `count` times, `period` of them from `start` on; `parts` are repeated inside the first repetition.

    `carried` has the names that the first repetition reads of what was before it, and what becomes each in the next one.
    """

    start: int
    period: int
    count: int
    carried: dict[str, str]
    parts: "tuple[Stretch, ...]"

    @property
    def stop(self) -> int:
        """The operation after the last repetition."""
        return self.start + self.period * self.count


@dataclass(frozen=True)
class Begin:
    """Before the first repetition of a stretch, which stands for all."""

    stretch: Stretch


@dataclass(frozen=True)
class End:
    """After the first repetition of a stretch."""

    stretch: Stretch


@dataclass(frozen=True)
class Cut:
    """Operations that are left out, by their numbers."""

    operations: tuple[int, ...]


Entry = int | Begin | End | Cut
Nested = list[tuple[Entry, list[Stretch]]]  # each entry with the stretches around it, the outermost first


class Folded:
    """A program with its repeated stretches; operations go by their numbers, inputs by negative ones."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.operations, self.values = program.operations, program.values
        self._last: dict[Stretch, dict[str, str]] = {}
        self.columns = self.kinds, self.read, self.places = columns_of(self)
        self.stretches = tuple(self.found(0, len(self.operations)))

    @cached_property
    def makers(self) -> dict[str, tuple[int, int]]:
        """The number of the operation, or of the input, that each value is from, and its place among the outputs."""
        inputs = self.program.inputs
        made = {v.name: (k, place) for k, op in enumerate(self.operations) for place, v in enumerate(op.outputs)}
        return {value.name: (k - len(inputs), 0) for k, value in enumerate(inputs)} | made

    def found(self, low: int, high: int) -> Iterator[Stretch]:
        """The stretches among some operations: those before the one that hides most, that one, and those after it."""
        best = longest(*(column[low:high] for column in self.columns))
        if best is None:
            return
        first, slack, period, count = best
        # A repetition may begin at any of a few operations: it does where the fewest values are carried, and as late as that.
        starts = reversed(range(low + first, low + first + slack + 1))
        start, carried = min(((s, self.carried(s, period, count)) for s in starts), key=lambda found: len(found[1]))
        yield from self.found(low, start)
        yield Stretch(start, period, count, carried, tuple(self.found(start, start + period)))
        yield from self.found(start + period * count, high)

    def carried(self, start: int, period: int, count: int) -> dict[str, str]:
        """What repetitions read of the one before: the name of each in the first repetition, and what becomes it."""
        pairs: dict[str, str] = {}
        for k in range(start, start + period):
            for now, after in zip(self.operations[k].reads, self.operations[k + period].reads, strict=True):
                if self.is_moved(now, after, period) and start - (count - 1) * period <= self.makers[now][0] < start:
                    pairs |= self.chain(now, start, period)
        return pairs

    def chain(self, name: str, start: int, period: int) -> Iterator[tuple[str, str]]:
        """A value from before a stretch and what becomes it in the next repetitions, until that is from the stretch itself."""
        while self.makers[name][0] < start:
            maker, place = self.makers[name]
            after = self.operations[maker + period].outputs[place].name
            yield name, after
            name = after

    def is_moved(self, now: str, after: str, period: int) -> bool:
        """Whether a value is made a period after another one, at the same place."""
        (maker, place), later = self.makers[now], self.makers[after]
        return maker >= 0 and later == (maker + period, place)

    def source(self, number: int, around: Iterable[tuple[Stretch, str]]) -> str:
        """An operation as one would write it inside the loops around it, each with the name of what counts its repetitions."""
        first = TOKEN.findall(self.operations[number].source)
        written = list(first)
        for stretch, counter in around:
            others = [TOKEN.findall(self.operations[number + k * stretch.period].source) for k in range(stretch.count)]
            for place, tokens in enumerate(zip(*others, strict=True)):
                if len(set(tokens)) > 1 and not self.is_inner(tokens, stretch):
                    written[place] = counted(tokens, counter) if written[place] == first[place] else "…"
        return "".join(written)

    def is_inner(self, tokens: tuple[str, ...], stretch: Stretch) -> bool:
        """Whether the repetitions of a stretch read a value of their own, or of the one before."""
        inner = tokens[0] in stretch.carried or self.makers.get(tokens[0], (-1, 0))[0] >= stretch.start
        return inner and self.is_moved(tokens[0], tokens[1], stretch.period)

    def counter(self, depth: int) -> str:
        """The name of what counts the repetitions of a loop, inside so many others; no value has it."""
        stems = {name.split("[")[0].split(".")[0] for name in self.values}
        free = (name for number in count() for name in (f"k{number or ''}",) if name not in stems)
        return next(islice(free, depth, None))

    def last(self, stretch: Stretch) -> dict[str, str]:
        """The names of the last repetition that are read after a stretch, and those that stand for them in the first."""
        if stretch not in self._last:
            self._last[stretch] = self._find_last(stretch)
        return self._last[stretch]

    def _find_last(self, stretch: Stretch) -> dict[str, str]:
        back = stretch.period * (stretch.count - 1)
        later = [name for op in self.operations[stretch.stop :] for name in op.reads] + [*self.program.results]
        found = {}
        for name in later:
            maker, place = self.makers.get(name, (-1, 0))
            if stretch.stop - stretch.period <= maker < stretch.stop:
                found[name] = self.operations[maker - back].outputs[place].name
        return found

    def shown(self, limit: int | None) -> Nested:
        """What there is to show, in order: each stretch once, and if even that has too many operations, its two ends."""
        return [*nested(self.cut([*walked(self.stretches, 0, len(self.operations))], limit))]

    def cut(self, entries: list[Entry], limit: int | None) -> list[Entry]:
        """The entries with at most so many operations; loops that are left out in part are begun and ended even so."""
        at = [k for k, entry in enumerate(entries) if isinstance(entry, int)]
        if limit is None or len(at) <= limit:
            return entries
        low, high = at[(limit + 1) // 2], at[len(at) - limit // 2] if limit > 1 else len(entries)
        middle = entries[low:high]
        left_out = tuple(entry for entry in middle if isinstance(entry, int))
        within = [entry.stretch.start for entry in middle if isinstance(entry, Begin | End)]
        edges = [e for e in middle if isinstance(e, Begin | End) and within.count(e.stretch.start) == 1]
        return [*entries[:low], Cut(left_out), *edges, *entries[high:]]

    def around(self, number: int) -> Iterator[Stretch]:
        """The stretches that an operation is in, the outermost first."""
        inside = next((s for s in self.stretches if s.start <= number < s.stop), None)
        while inside is not None:
            yield inside
            number = inside.start + (number - inside.start) % inside.period
            inside = next((s for s in inside.parts if s.start <= number < s.stop), None)

    def representative(self, number: int) -> int:
        """The operation that is shown for another one."""
        for stretch in self.around(number):
            number = stretch.start + (number - stretch.start) % stretch.period
        return number


def walked(stretches: Iterable[Stretch], low: int, high: int) -> Iterator[Entry]:
    """The operations between two, of each stretch the first repetition only, with its begin and its end."""
    for stretch in stretches:
        yield from range(low, stretch.start)
        yield Begin(stretch)
        yield from walked(stretch.parts, stretch.start, stretch.start + stretch.period)
        yield End(stretch)
        low = stretch.stop
    yield from range(low, high)


def nested(entries: Iterable[Entry]) -> Iterator[tuple[Entry, list[Stretch]]]:
    """Each entry with the stretches around it."""
    around: list[Stretch] = []
    for entry in entries:
        if isinstance(entry, End):
            around = around[:-1]
        yield entry, around
        if isinstance(entry, Begin):
            around = [*around, entry.stretch]


def counted(tokens: tuple[str, ...], counter: str) -> str:
    """What differs between repetitions: ``k + 1`` for 1, 2, 3, otherwise the first and the last."""
    if all(map(str.isdigit, tokens)):
        numbers = [*map(int, tokens)]
        first, step = numbers[0], numbers[1] - numbers[0]
        if step > 0 and numbers == [*range(first, first + step * len(numbers), step)]:
            return (f"{step}*" if step > 1 else "") + counter + (f" + {first}" if first else "")
    return f"{tokens[0]}…{tokens[-1]}"


def columns_of(folded: Folded) -> tuple[Integers, Integers, Integers]:
    """Of each operation a number for its kind, and of each operand the number of its maker and its place there."""
    kinds: dict[object, int] = {}
    shape = (len(folded.operations), OPERANDS)
    kind, read, places = np.zeros(shape[0], np.intp), np.zeros(shape, np.intp), np.zeros(shape, np.intp)
    for k, operation in enumerate(folded.operations):
        found = k if len(operation.reads) > OPERANDS else kind_of(folded, operation)
        kind[k] = kinds.setdefault(found, len(kinds))
        for j, name in enumerate(operation.reads[:OPERANDS]):
            read[k, j], places[k, j] = folded.makers[name]
    return kind, read, places


def kind_of(folded: Folded, operation: Operation) -> tuple[object, ...]:
    """What repetitions of an operation have in common: all but the names of values and the numbers in it."""
    tokens = TOKEN.findall(operation.source)
    form = ("0" if t[0].isdigit() else "v" if folded.makers.get(t, (-1, 0))[0] >= 0 else t for t in tokens)
    return id(operation.primal), id(operation.rule), len(operation.reads), *(value.type for value in operation.outputs), *form


def longest(kinds: Integers, read: Integers, places: Integers) -> tuple[int, int, int, int] | None:
    """The repetition that hides most: where it begins at the earliest, how much later it may, its period and its count."""
    best, hidden = None, LEAST - 1
    for period in range(1, min(len(kinds) // 3, LONGEST) + 1):
        alike = (kinds[:-period] == kinds[period:]) & (places[:-period] == places[period:]).all(1)
        if np.count_nonzero(alike) < 2 * period:
            continue
        stride = read[period:] - read[:-period]
        same = alike[:-period] & alike[period:] & (stride[:-period] == stride[period:]).all(1)
        first, length = longest_run(same)
        if length >= period and (length // period + 1) * period > hidden:
            best, hidden = (first, length % period, period, length // period + 2), (length // period + 1) * period
    return best


def longest_run(same: NDArray[np.bool_]) -> tuple[int, int]:
    """Where the longest stretch of true entries begins, and its length."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    if not ends.size:
        return 0, 0
    lengths = ends[1::2] - ends[::2]
    return int(ends[2 * np.argmax(lengths)]), int(lengths.max())
