"""Shorten a program that is shown: each repeated stretch is written once, as a loop. If that is
still too long, only the two ends are written.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from chainrules_programs.recording.notation import count_text
from chainrules_programs.recording.program import Call, Count, Value, values_of
from chainrules_programs.recording.repetitions import Carried, Loop, Search
from chainrules_programs.recording.steps import last_uses, makes
from chainrules_programs.showing.notation import notation, parameter_of
from chainrules_programs.showing.program import TracedProgram

LIMIT = 200  # operations shown
LEAST = 8  # operations that a loop has to hide
DEPTHS = 8  # loops in each other
TOKEN = re.compile(r"\d+(?:\.\d*)?(?:e[+-]?\d+)?|\w+|\W")


@dataclass(frozen=True)
class Begin:
    """Before the first repetition of a loop, which stands for all."""

    loop: Loop


@dataclass(frozen=True)
class End:
    """After the first repetition of a loop."""

    loop: Loop


@dataclass(frozen=True)
class Cut:
    """What is left out."""

    entries: tuple[Any, ...]

    def __len__(self) -> int:
        return sum(type(entry) is Call for entry in self.entries)


Entry = Call | Begin | End | Cut
Nested = list[tuple[Entry, int]]  # each entry with the number of loops around it


class Folded:
    """A program with loops in the place of what it repeats.

    `active` are the values that have a derivative, those of loops included, and `firsts` what those of
    loops are in the first repetition.
    """

    def __init__(self, program: TracedProgram) -> None:
        self.program = program
        self.active = set(program.values)
        self.firsts: dict[Value, Any] = {}
        results = values_of(program.result)
        used = {parameter_of(str(value.name)) for value in program.values}
        names = ("k" if number == 0 else f"k{number}" for number in count())
        free = (name for name in names if name not in used)
        counters = [next(free) for _ in range(DEPTHS)]
        self.numbers = count(len(self.active))  # of values that begin a loop
        self.steps = Search(program.steps, results, counters, LEAST, LEAST).loops()
        self.name_values(self.steps, results)

    def name_values(self, steps: Sequence[Any], results: Iterable[Value]) -> None:
        """Name what changes with the repetitions of the loops among some steps."""
        ends = last_uses(steps) | dict.fromkeys(results, len(steps))
        made = {value for step in steps for value in makes(step)}
        for k, step in enumerate(steps):
            if type(step) is not Loop:
                continue
            for stream in step.streams:
                stream.name.name = in_common(map(notation.text, stream.entries), step.counter)
                self.firsts[stream.name] = stream.entries[0]
                if not self.active.isdisjoint(values_of(stream.entries)):
                    self.active.add(stream.name)
            mine = {value for value in made if ends.get(value) == k}
            uses = step.uses()
            for carried in step.carried:
                self.name_carried(carried, uses, mine)
            self.name_values(step.body, step.held)

    def name_carried(self, carried: Carried, uses: Counter[int], mine: set[Value]) -> None:
        """Give a carried value the name of the first one, where nobody else reads that."""
        first = carried.first
        is_free = isinstance(first, Value) and first in mine
        if is_free and uses[id(first)] == 1:
            carried.name.name = first.name
        else:
            carried.name.name = f"v{next(self.numbers)}"
        self.active.add(carried.name)
        self.firsts[carried.name] = first

    def original(self, value: Value) -> Any:
        """What a value is in the first repetition of the loops around it."""
        while value in self.firsts:
            value = self.firsts[value]
        return value

    def shown(self, limit: int | None) -> Nested:
        """The entries to show, in order: each loop once, and if even those have too many
        operations, the two ends.
        """
        return [*nested(cut([*walked(self.steps)], limit))]


def cut(entries: list[Entry], limit: int | None) -> list[Entry]:
    """The entries with at most so many operations; loops that are left out in part are begun and
    ended even so.
    """
    operations = [k for k, entry in enumerate(entries) if type(entry) is Call]
    if limit is None or len(operations) <= limit:
        return entries

    # the larger half of those that are shown comes first
    behind = limit // 2
    low = operations[limit - behind]
    high = operations[-behind] if behind else len(entries)
    middle = entries[low:high]
    within = Counter(id(entry.loop) for entry in middle if isinstance(entry, Begin | End))
    edges = [e for e in middle if isinstance(e, Begin | End) and within[id(e.loop)] == 1]
    hidden = tuple(entry for entry in middle if not any(entry is edge for edge in edges))
    return [*entries[:low], Cut(hidden), *edges, *entries[high:]]


def walked(steps: Iterable[Any]) -> Iterator[Entry]:
    """The operations of a program, of each loop those of one repetition between begin and end."""
    for step in steps:
        if type(step) is Loop:
            yield Begin(step)
            yield from walked(step.body)
            yield End(step)
        else:
            yield step


def nested(entries: Iterable[Entry]) -> Iterator[tuple[Entry, int]]:
    """Each entry with the number of loops around it."""
    depth = 0
    for entry in entries:
        depth -= isinstance(entry, End)
        yield entry, depth
        depth += isinstance(entry, Begin)


def to_begin_with(loop: Loop) -> dict[Value, Any]:
    """What the carried values are before a loop, where they have names of their own."""
    return {
        carried.name: carried.first
        for carried in loop.carried
        if not isinstance(carried.first, Value) or carried.first.name != carried.name.name
    }


def next_time(loop: Loop) -> dict[Value, Value]:
    """What each carried value becomes at the end of a repetition."""
    return {carried.name: carried.following for carried in loop.carried}


def last_time(loop: Loop) -> dict[Value, Value]:
    """The values of the last repetition that are read after a loop, and those of the first that
    stand for them.
    """
    return loop.last | {kept.values[-1]: kept.name for kept in loop.kept}


def in_common(texts: Iterable[str], counter: str) -> str:
    """One text for those of all repetitions: what differs is counted, or said by its ends.

    >>> in_common(["p[0]", "p[1]", "p[2]"], "k"), in_common(["v1", "v2", "v7"], "k")
    ('p[k]', 'v1…v7')
    """
    rows = [*map(TOKEN.findall, texts)]
    if len(set(map(len, rows))) > 1:
        return "…"
    columns = [*zip(*rows, strict=True)]
    written = [column[0] for column in columns]
    for place, tokens in enumerate(columns):
        if len(set(tokens)) > 1:
            said = counting_text(tokens, counter)
            written[place] = (
                f"({said})" if " " in said and not is_bracketed(written, place) else said
            )
    return "".join(written)


def is_bracketed(tokens: list[str], place: int) -> bool:
    """Whether brackets are around a token."""
    before, after = tokens[place - 1 : place], tokens[place + 1 : place + 2]
    return before in (["["], ["("]) and after in (["]"], [")"], [","])


def counting_text(tokens: tuple[str, ...], counter: str) -> str:
    """One text for tokens that differ: ``k + 1`` for 1, 2, 3; the first and the last of names."""
    if not all(map(str.isdigit, tokens)):
        return f"{tokens[0]}…{tokens[-1]}" if tokens[0].isidentifier() else "…"
    numbers = [*map(int, tokens)]
    first, step = numbers[0], numbers[1] - numbers[0]
    if numbers != [first + step * k for k in range(len(numbers))]:
        return "…"
    return count_text(Count(first, step, counter))
