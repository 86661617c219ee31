"""Find the stretches of a program that repeat, and write them as loops: for compiled programs, whose
text then does not grow with their steps, and for those that are shown to people.

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

Where that is asked for, a value may have another length in each repetition, as a row of a triangle
has: its array is an `Uneven` then, so that no pass takes its shape for that of all.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chainrules_programs.recording.patience import patience
from chainrules_programs.recording.program import (
    Call,
    Count,
    Guard,
    Value,
    array_of,
    key_of,
    parts_of_operand,
    with_parts,
    with_values,
)
from chainrules_programs.recording.steps import made_anew, makes, reads, with_other_operands

SHORTEST = 300  # steps of a program in which repetitions are sought
COUNTERS = ("k", "j", "i")  # names of the numbers of repetitions, for loops in each other
LEAST = 24  # steps that a loop has to hide
INNER = 100  # steps that a loop in a loop has to hide
GRAM = 6  # steps in a row that are compared at once where periods are sought
CANDIDATES = 24  # periods that are compared
TRIED = 4  # of these, of which a loop is made where that can be
MOST = 1 << 20  # results of a step
FARTHEST = 3  # repetitions back from which a value is carried


class Uneven(np.ndarray[Any, Any]):
    """An array whose shape is another one in other repetitions of a loop."""


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

    `straight` are the steps that it stands for, one after the other, `rows` what each value of the first
    repetition of these is in all of them, and `written` is memory that they change, or that changes
    elsewhere.
    """

    body: list[Any]
    count: int
    carried: list[Carried]
    streams: list[Stream]
    kept: list[Kept]
    last: dict[Value, Value]
    outside: Sequence[Value] = ()
    straight: Sequence[Any] = ()
    rows: Mapping[Value, list[Value]] = field(default_factory=dict)
    place: Any = None
    counter: str = "k"
    written: Set[int] = frozenset()

    @property
    def names(self) -> list[Value]:
        """The names that are another value in each repetition."""
        return [*(each.name for each in self.carried), *(each.name for each in self.streams)]

    def with_body(self, body: list[Any]) -> "Loop":
        """Return the loop with other steps; it takes from outside what these need."""
        read = {value for step in body for value in reads(step)}
        read |= {each.name for each in self.kept} | {each.following for each in self.carried}
        streams = [each for each in self.streams if each.name in read]
        given = [each.first for each in self.carried]
        given += [entry for each in streams for entry in each.entries]
        given = [part for part in given if type(part) is Value]
        made = {*self.names, *[value for step in body for value in made_anew(step)]}
        outside = [*(value for step in body for value in reads(step)), *given]
        outside = [value for value in dict.fromkeys(outside) if value not in made]
        return replace(self, body=body, streams=streams, outside=outside)

    def with_operands(self, by: Mapping[Value, Any]) -> "Loop":
        """Return the loop with others in the place of values from outside."""

        def of(value: Value):
            return by.get(value, value)

        carried = [replace(each, first=with_values(each.first, of)) for each in self.carried]
        same = dict(by)
        streams: dict[Any, Stream] = {}
        for each in self.streams:
            entries = [with_values(entry, of) for entry in each.entries]
            first = entries[0]
            known = streams.get(key := tuple(map(id, entries)))
            if all(entry is first for entry in entries):
                same[each.name] = first
            elif known is not None:
                same[each.name] = known.name
            else:
                streams[key] = Stream(each.name, entries)
        loop = replace(self, carried=carried, streams=list(streams.values()))
        return loop.with_body([with_other_operands(step, same) for step in self.body])

    @property
    def held(self) -> set[Value]:
        """The values of the body that are read after it, or come from outside."""
        return {
            *(value for carried in self.carried for value in (carried.name, carried.following)),
            *(stream.name for stream in self.streams),
            *(kept.name for kept in self.kept),
            *self.last.values(),
            *self.outside,
        }

    def uses(self) -> Counter[int]:
        """Count how often an operand is read in the loop, or by it, by its identity."""
        read = [value for step in self.body for value in reads(step)]
        firsts = [carried.first for carried in self.carried]
        return Counter(map(id, [*read, *firsts, *(x for s in self.streams for x in s.entries)]))

    @property
    def strict(self) -> bool:
        """Whether steps of pullbacks are in it."""
        return any(getattr(step, "strict", False) for step in self.body)

    @property
    def reads(self) -> Sequence[Value]:
        """The values from outside that it reads."""
        return self.outside

    @property
    def makes(self) -> list[Value]:
        """The values that it makes for readers outside."""
        return [*self.last, *[value for kept in self.kept for value in kept.values]]


class Search:
    """The repetitions of steps that hide at least so many of them, longest first.

    `results` are read afterwards. `counters` has a name for each depth: loops in a loop hide at least
    `inner` steps of it. `uneven` says whether lengths may differ between repetitions. `makers` has the
    step that makes a value times `MOST`, and which of its results that is.
    """

    def __init__(
        self,
        steps: Sequence[Any],
        results: Iterable[Value],
        counters: Sequence[str],
        least: int,
        inner: int,
        uneven: bool = False,
    ) -> None:
        self.counters, self.least, self.inner, self.uneven = counters, least, inner, uneven
        self.all: list[Any] = list(steps)
        self.results = set(results)
        # by the number of a step, of the loop that it went into, if it did: what that reads
        self.read_by_loop: list[set[Value] | None] = [None] * len(self.all)
        self.readers: dict[Value, list[int]] = {}
        numbers: dict[Any, int] = {}
        kinds: list[int] = []
        self.makers: dict[Value, int] = {}
        for k, step in enumerate(self.all):
            kind, read = _kind_of_step(step)
            kinds.append(numbers.setdefault(kind, len(numbers)))
            for value in read:
                self.readers.setdefault(value, []).append(k)
            if type(step) is Call and type(step.results) is Value:
                if step.results is not step.into:  # which may be from before
                    self.makers[step.results] = k * MOST
            else:
                for place, value in enumerate(makes(step)):
                    self.makers.setdefault(value, k * MOST + place)
        self.kinds = [np.array(kinds, np.int64)]
        if uneven:  # loops whose shapes stay come first: they take less time
            patterns: dict[Any, int] = {}
            same = [
                patterns.setdefault((form, _pattern(shapes)), len(patterns))
                for form, shapes in numbers
            ]
            if len(patterns) < len(numbers):
                self.kinds.append(np.array(same, np.int64)[self.kinds[0]])

    def loops(self) -> list[Any]:
        """Return the steps with loops in the place of repetitions."""
        return self.found(0, len(self.all)) if self.counters else self.all

    def is_read_from(self, value: Value, stop: int) -> bool:
        """Whether a value is read by the steps from one on, or is a result."""
        for k in reversed(self.readers.get(value, ())):
            if k < stop:
                break
            read = self.read_by_loop[k]
            if read is None or value in read:
                return True
        return value in self.results

    def found(self, low: int, high: int) -> list[Any]:
        """Return the steps between two places, the repetitions of the period that hides most as loops."""
        for kinds in self.kinds:
            for runs, period in longest(kinds[low:high], self.least):
                steps: list[Any] = []
                place = low
                for first, length in runs:
                    start, stop, loop = self.loop_among(low + first, length, period, place)
                    if loop is not None:
                        steps += [*self.found(place, start), loop]
                        place = stop
                if steps:
                    return steps + self.found(place, high)
        return self.all[low:high]

    def loop_among(
        self, first: int, length: int, period: int, place: int
    ) -> tuple[int, int, Loop | None]:
        """Make a loop of steps that repeat, after a place; None where there is none."""
        for start, count in self.starts(first, length, period):
            patience.ask()
            stop = start + period * count
            loop = _Body(self, start, period, count).loop() if start >= place else None
            if loop is not None:
                self.read_by_loop[start:stop] = [set(reads(loop))] * (stop - start)
                return start, stop, loop
        return first, first, None

    def starts(self, first: int, length: int, period: int) -> list[tuple[int, int]]:
        """Where a loop may begin, and how often it runs then: first where it carries least and runs as
        often as it can, then after the first repetition, which may be unlike the others.
        """
        counts = {
            first + k: (length - k) // period + 1
            for k in range(period)
            if length - k >= max(2 * period, self.least)
        }
        most = max(counts.values())
        crossing = self.crossing(first, period)
        found = sorted(counts, key=lambda start: (crossing[start - first], -start))
        often = [start for start in found if counts[start] == most]
        less = [start for start in found if counts[start] < most]
        return [(start, counts[start]) for start in (*often[:4], *less[:2])]

    def crossing(self, first: int, period: int) -> list[int]:
        """Count the values that a repetition reads of the one before, if the first begins at each of
        the steps of a period.
        """
        changes = np.zeros(period + 1, np.int64)
        counted: dict[Value, int] = {}  # the starts before which a value is counted already
        for k in range(first + period, min(first + 3 * period, len(self.all))):
            for value in reads(self.all[k]):
                made = self.makers.get(value, -1) // MOST - first
                low = max(made - period + 1, k - first - 2 * period + 1, counted.get(value, 0), 0)
                high = min(made, k - first - period, period - 1) + 1
                if low < high:
                    changes[low] += 1
                    changes[high] -= 1
                    counted[value] = high
        return list(map(int, np.cumsum(changes)))


class _Body:
    """A loop in the making: the first repetition, with names for what changes."""

    def __init__(self, search: Search, start: int, period: int, count: int) -> None:
        self.search, self.start, self.period, self.count = search, start, period, count
        self.stop = start + period * count
        self.carried: dict[tuple[int, int, int], Carried] = {}
        self.streams: dict[Any, Stream] = {}

    def loop(self) -> Loop | None:
        """Return the loop, if each operand of its body follows a rule; None otherwise."""
        try:
            body = [self.step(k) for k in range(self.start, self.start + self.period)]
        except _Irregular:
            return None
        kept, last, rows = self.readers_outside()
        carried, streams = list(self.carried.values()), list(self.streams.values())
        search = self.search
        straight = search.all[self.start : self.stop]
        loop = Loop(body, self.count, carried, streams, kept, last, (), straight, rows)
        if search.uneven:
            mark_uneven(loop)
        loop = loop.with_body(body)
        loop.counter, *counters = search.counters
        least = search.inner
        loop.body = Search(body, loop.held, counters, least, least, search.uneven).loops()
        return loop

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
            note = as_uneven(step.note, [each.note for each in repetitions])
            return replace(step, args=args, options=options, into=into, results=results, note=note)
        return replace(step, operand=self.joined([each.operand for each in repetitions]))

    def joined(self, operands: list[Any]) -> Any:
        """Return what the body has in the place of an operand."""
        first = operands[0]
        # also where the first repetition has a number, and the others what is made of it
        if Value in set(map(type, operands)):
            return self.value(operands)
        if type(first) is tuple:
            return tuple([self.joined(list(part)) for part in zip(*operands, strict=True)])
        if not isinstance(first, tuple | list | dict | slice):
            return self.constant(operands)
        parts = map(self.joined, map(list, zip(*map(parts_of_operand, operands), strict=True)))
        return with_parts(first, lambda part: next(parts))

    def constant(self, operands: list[Any]) -> Any:
        """Return a constant, an integer that is counted, or an entry of a list."""
        first = operands[0]
        if len(set(map(id, operands))) == 1:
            return first
        kinds = set(map(type, operands))
        # of floats, zeros of either sign are equal; a key takes 1 us
        is_plain = kinds == {int} or (kinds == {float} and 0.0 not in operands)
        keys = operands if is_plain else list(map(key_of, operands))
        if keys.count(keys[0]) == len(keys):
            return first
        if kinds == {int}:
            step = operands[1] - first
            if operands == [first + step * k for k in range(self.count)]:
                return Count(first, step, self.search.counters[0])
        return self.stream((type(first), *keys), operands)

    def value(self, operands: list[Any]) -> Value:
        """Return the value, or the name, that the body reads for a value of each repetition."""
        first = operands[0]
        if operands[1] is first and len(set(map(id, operands))) == 1:
            if self.is_inside(first):
                raise _Irregular
            return first
        maker, place = divmod(self.made_at(operands[-1]), MOST)
        if maker < self.start:
            if any(self.is_inside(value) for value in operands):
                raise _Irregular
            return self.stream(tuple(map(key_of, operands)), list(operands))
        repetition, offset = divmod(maker - self.start, self.period)
        back = self.count - 1 - repetition
        if not 0 <= back <= FARTHEST or back >= self.count:
            raise _Irregular
        local = self.local(offset, place)
        first = (self.start + offset) * MOST + place
        made = range(first, self.stop * MOST, self.period * MOST)
        if list(map(self.search.makers.get, operands[back:])) != list(made)[: self.count - back]:
            raise _Irregular
        if back == 0:
            return local
        if any(self.is_inside(value) for value in operands[:back]):
            raise _Irregular
        return self.carry(offset, place, operands[:back])

    def is_inside(self, operand) -> bool:
        """Whether an operand is a value that is made in the loop."""
        return self.start * MOST <= self.made_at(operand) < self.stop * MOST

    def made_at(self, operand) -> int:
        """Return the step that makes an operand, and which of its results that is; -1 for others."""
        return self.search.makers.get(operand, -1) if type(operand) is Value else -1

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

    def readers_outside(self) -> tuple[list[Kept], dict[Value, Value], dict[Value, list[Value]]]:
        """Return the values that are read outside of the loop, in lists or as the last ones, and what
        each value is in all repetitions.
        """
        kept, last, rows = [], {}, {}
        for offset in range(self.period):
            repetitions = self.search.all[self.start + offset : self.stop : self.period]
            for place, values in enumerate(made_by(repetitions)):
                local = values[0]
                rows[local] = values
                if self.made_at(local) != (self.start + offset) * MOST + place:
                    continue
                if any(self.search.is_read_from(value, self.stop) for value in values[:-1]):
                    kept.append(Kept(local, values))
                elif self.search.is_read_from(values[-1], self.stop):
                    last[values[-1]] = local
        return kept, last, rows


def mark_uneven(loop: Loop) -> None:
    """Make the arrays of a loop uneven whose shapes differ between repetitions."""
    pairs: list[tuple[Value, list[Any]]] = [*loop.rows.items()]
    pairs += [(each.name, [each.following]) for each in loop.carried]
    pairs += [(each.name, each.entries) for each in loop.streams]
    for value, others in pairs:
        value.array = as_uneven(value.array, list(map(array_of, others)))


def as_uneven(array, others: Sequence[Any]) -> Any:
    """Return an array, as an uneven one where others are uneven, or of another shape."""
    if type(array) is np.ndarray and any(
        each.shape != array.shape or type(each) is Uneven for each in others
    ):
        return array.view(Uneven)
    return array


def made_by(repetitions: Sequence[Any]) -> list[list[Value]]:
    """List for each result of a step what it is in all repetitions."""
    if type(repetitions[0]) is Call and type(repetitions[0].results) is Value:  # nearly always
        return [[step.results for step in repetitions]]
    return [list(row) for row in zip(*map(makes, repetitions), strict=True)]


class _Irregular(Exception):
    """An operand of a repetition follows no rule."""


def longest(
    kinds: NDArray[np.int64], least: int = LEAST
) -> list[tuple[list[tuple[int, int]], int]]:
    """Find the repetitions that hide most steps, those first that hide more, and all at least so many:
    the first step, and for how many steps the next period is alike, of the longest run and of those
    half as long; and the period.
    """
    found = []
    for period in _periods(kinds, least):
        first, length = _runs(kinds[:-period] == kinds[period:])
        hidden = length - length % period
        most = int(hidden.max(initial=0))
        if most >= max(2 * period, least):
            long = hidden >= max(2 * period, least, most / 2)
            runs = [
                (k, n)
                for k, n in zip(first[long].tolist(), length[long].tolist(), strict=True)
                if n >= most or not _is_shorter(kinds[k : k + n], period)
            ]
            found.append((most, runs, period))
    found.sort(key=lambda each: -each[0])  # of those that hide as many the shortest period
    return [(runs, period) for _, runs, period in found[:TRIED]]


def _periods(kinds: NDArray[np.int64], least: int) -> list[int]:
    """List distances at which some steps in a row occur again, the most frequent ones."""
    if len(kinds) < max(least, GRAM):
        return []
    weights = np.uint64(0x9E3779B97F4A7C15) ** np.arange(1, GRAM + 1, dtype=np.uint64)
    grams = np.convolve(kinds.astype(np.uint64), weights, "valid")
    order = np.argsort(grams, kind="stable")
    distances = []
    for lag in (1, 2, 3, 4):
        same = grams[order[lag:]] == grams[order[:-lag]]
        distances.append((order[lag:] - order[:-lag])[same])
    counts = np.bincount(np.concatenate(distances))
    found = np.flatnonzero(counts)
    frequent = np.argsort(-counts[found], kind="stable")[:CANDIDATES]
    return sorted(found[frequent].tolist())


def _is_shorter(kinds: NDArray[np.int64], period: int) -> bool:
    """Whether steps repeat with a part of a period, too."""
    parts = [part for part in range(1, period // 2 + 1) if period % part == 0]
    return any(np.array_equal(kinds[:-part], kinds[part:]) for part in parts)


def _runs(same: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the stretches of true entries begin, and their lengths."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    return edges[::2], edges[1::2] - edges[::2]


Shapes = tuple[tuple[int, ...], ...]


def _kind_of_step(step) -> tuple[tuple[Any, Shapes], list[Value]]:
    """Return what a step shares with its repetitions, last the shapes of its arrays; and what it reads."""
    kind = type(step)
    shapes: list[tuple[int, ...]] = []
    read: list[Value] = []
    if kind is Call:
        forms = [step.primal, step.strict, step.place, _form(step.results, shapes, [])]
        forms += [_form(arg, shapes, read) for arg in step.args]
        if step.options:
            forms.append(_form(step.options, shapes, read))
        if step.into is not None:
            forms += ["into", *[part is step.into for part in (step.results, *step.args)]]
            read.append(step.into)
        if isinstance(step.note, np.ndarray):
            shapes.append(step.note.shape)
        return (tuple(forms), tuple(shapes)), read
    if kind is Guard:
        form = _form(step.operand, shapes, read)
        asked = Guard, step.question, key_of(step.answer), form, step.place
        return (asked, tuple(shapes)), read
    return (id(step), ()), reads(step)


@cache
def _pattern(shapes: Shapes) -> Shapes:
    """Return which lengths of some shapes are equal: what is broadcast is so in all repetitions.

    >>> _pattern(((5, 1), (7,), (5, 7))) == _pattern(((2, 1), (3,), (2, 3)))
    True
    """
    known = {0: 0, 1: 1}
    return tuple([tuple([known.setdefault(n, len(known)) for n in shape]) for shape in shapes])


def _form(operand, shapes: list[tuple[int, ...]], read: list[Value]) -> Any:
    """Return an operand without its numbers: types and dtypes; note the shapes of its arrays, and
    its values.
    """
    kind = type(operand)
    if kind is Value:
        read.append(operand)
        array = operand.array
        if not isinstance(array, np.ndarray):
            return type(array)
        shapes.append(array.shape)
        return array.dtype
    if kind is int or kind is float:
        return kind
    if operand is None:  # at the ends of slices
        return None
    if isinstance(operand, tuple | list):
        return kind, *[_form(part, shapes, read) for part in operand]
    if kind is slice:
        ends = (operand.start, operand.stop, operand.step)
        return slice, *[_form(end, shapes, read) for end in ends]
    if isinstance(operand, dict):
        return dict, *[(key, _form(part, shapes, read)) for key, part in operand.items()]
    if isinstance(operand, np.ndarray):
        shapes.append(operand.shape)
        return np.ndarray, operand.dtype
    if isinstance(operand, np.generic | complex):
        return kind
    return key_of(operand)
