"""Shorten a program that is shown: each repeated stretch is written once, as a loop, and of a
program that is too long even so, the two ends are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice

from chainrules_programs.showing.program import Program
from chainrules_programs.showing.repetition import Repetitions, Stretch, tokens_of

LIMIT = 200  # operations shown


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
# each entry with the stretches around it, the outermost first
Nested = list[tuple[Entry, list[Stretch]]]


class Folded:
    """A program with its repeated stretches, and how they are written as loops; operations go by
    their numbers.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.operations, self.values = program.operations, program.values
        self._last: dict[Stretch, dict[str, str]] = {}
        repetitions = Repetitions(program)
        self.stretches, self.makers = repetitions.stretches, repetitions.makers
        self.is_moved = repetitions.is_moved

    def source(self, number: int, around: Iterable[tuple[Stretch, str]]) -> str:
        """An operation as one would write it inside the loops around it, each with the name of what
        counts its repetitions.
        """
        first = tokens_of(self.operations[number])
        written = list(first)
        for stretch, counter in around:
            alike = [number + k * stretch.period for k in range(stretch.count)]
            others = [tokens_of(self.operations[k]) for k in alike]
            for place, tokens in enumerate(zip(*others, strict=True)):
                if len(set(tokens)) == 1 or self.is_inner(tokens, stretch):
                    continue
                is_first = written[place] == first[place]  # no inner loop counts it already
                said = counted(tokens, counter) if is_first else "…"
                if " " in said and not is_alone(first, place):
                    said = f"({said})"
                written[place] = said
        return "".join(written)

    def is_inner(self, tokens: tuple[str, ...], stretch: Stretch) -> bool:
        """Whether the repetitions of a stretch read a value of their own, or of the one before."""
        first, second, *_ = tokens
        maker, _ = self.makers.get(first, (-1, 0))
        is_inner = first in stretch.carried or maker >= stretch.start
        return is_inner and self.is_moved(first, second, stretch.period)

    def counter(self, depth: int) -> str:
        """The name of what counts the repetitions of a loop, inside so many others; no value has
        it.
        """
        used = {name.split("[")[0].split(".")[0] for name in self.values}
        names = ("k" if number == 0 else f"k{number}" for number in count())
        free = (name for name in names if name not in used)
        return next(islice(free, depth, None))

    def last(self, stretch: Stretch) -> dict[str, str]:
        """The names of the last repetition that are read after a stretch, and those that stand for
        them in the first.
        """
        if stretch not in self._last:
            self._last[stretch] = self._find_last(stretch)
        return self._last[stretch]

    def _find_last(self, stretch: Stretch) -> dict[str, str]:
        back = stretch.period * (stretch.count - 1)
        later = [name for op in self.operations[stretch.stop :] for name in op.reads]
        later += self.program.results
        found = {}
        for name in later:
            maker, place = self.makers.get(name, (-1, 0))
            if stretch.stop - stretch.period <= maker < stretch.stop:
                found[name] = self.operations[maker - back].outputs[place].name
        return found

    def shown(self, limit: int | None) -> Nested:
        """The entries to show, in order: each stretch once, and if even those have too many
        operations, the two ends.
        """
        entries = [*walked(self.stretches, 0, len(self.operations))]
        return [*nested(self.cut(entries, limit))]

    def cut(self, entries: list[Entry], limit: int | None) -> list[Entry]:
        """The entries with at most so many operations; loops that are left out in part are begun
        and ended even so.
        """
        operations = [k for k, entry in enumerate(entries) if isinstance(entry, int)]
        if limit is None or len(operations) <= limit:
            return entries

        # the larger half of those that are shown comes first
        behind = limit // 2
        low = operations[limit - behind]
        high = operations[-behind] if behind else len(entries)
        middle = entries[low:high]
        left_out = tuple(entry for entry in middle if isinstance(entry, int))
        within = [entry.stretch for entry in middle if isinstance(entry, Begin | End)]
        edges = [e for e in middle if isinstance(e, Begin | End) and within.count(e.stretch) == 1]
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
    """The operations between two, of each stretch the first repetition only, with its begin and its
    end.
    """
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


def is_alone(tokens: list[str], place: int) -> bool:
    """Whether brackets are around a token."""
    before, after = tokens[place - 1 : place], tokens[place + 1 : place + 2]
    return before in (["["], ["("]) and after in (["]"], [")"], [","])


def counted(tokens: tuple[str, ...], counter: str) -> str:
    """One text for tokens that differ: ``k + 1`` for 1, 2, 3; the first and the last of names."""
    if not all(map(str.isdigit, tokens)):
        return f"{tokens[0]}…{tokens[-1]}" if tokens[0].isidentifier() else "…"
    numbers = [*map(int, tokens)]
    first, step = numbers[0], numbers[1] - numbers[0]
    if step <= 0 or numbers != [*range(first, first + step * len(numbers), step)]:
        return "…"
    factor = f"{step} * " if step > 1 else ""
    start = f" + {first}" if first else ""
    return f"{factor}{counter}{start}"
