"""Find the stretches of a program that are repeated, which `folding` shows once.

A stretch is repeated where operations of the same primal, rule and types stand a period apart, and
each operand moves by the same number of values from one repetition to the next: by none for what is
constant, by a period for what an operation of this repetition or of the one before has made, by
another number for what is taken one by one from elsewhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chainrules_programs.showing.program import Program, TracedOperation

Integers = NDArray[np.intp]
LONGEST = 1000  # operations in a period; longer ones are not folded
OPERANDS = 16  # of an operation; one with more is not folded
LEAST = 8  # lines that a loop has to hide
MOST = 100  # stretches in a program, each of which costs a search
# From the numbers of operations to those of inputs: so no operand seems to move evenly that is an
# input first, and the value of an operation then.
FAR = 1 << 40
TOKEN = re.compile(r"\d+(?:\.\d*)?(?:e[+-]?\d+)?|\w+|\W")


@dataclass(frozen=True, eq=False)
class Stretch:
    """Operations that run `count` times, `period` of them from `start` on; `parts` are repeated
    inside the first repetition.

    `carried` has the names that the first repetition reads of what was before it, and what becomes
    each in the next one.
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


class Repetitions:
    """The repeated stretches of a program; operations go by their numbers, inputs by negative ones.

    `makers` has the number of the operation, or of the input, that each value is from, and its
    place among the outputs.
    """

    def __init__(self, program: Program) -> None:
        self.operations, self.left = program.operations, MOST
        self.makers: dict[str, tuple[int, int]] = {}
        for k, value in enumerate(program.inputs, -len(program.inputs)):
            self.makers[value.name] = (k, 0)
        for k, operation in enumerate(self.operations):
            for place, value in enumerate(operation.outputs):
                self.makers[value.name] = (k, place)
        self.columns = columns_of(self)
        self.stretches = tuple(self.found(0, len(self.operations)))

    def found(self, low: int, high: int) -> Iterator[Stretch]:
        """The stretches among some operations: those before the one that hides most, that one, and
        those after it.
        """
        best = longest(*(column[low:high] for column in self.columns)) if self.left > 0 else None
        if best is None:
            return
        self.left -= 1
        first, slack, period, count = best
        # A repetition may begin at any of a few operations: it does where the fewest values are
        # carried, and as late as that.
        starts = reversed(range(low + first, low + first + slack + 1))
        carried_by = {start: self.carried(start, period, count) for start in starts}
        start, carried = min(carried_by.items(), key=lambda found: len(found[1]))
        yield from self.found(low, start)
        yield Stretch(start, period, count, carried, tuple(self.found(start, start + period)))
        yield from self.found(start + period * count, high)

    def carried(self, start: int, period: int, count: int) -> dict[str, str]:
        """The values that a repetition reads of the one before: the name of each in the first
        repetition, and the name that stands in its place in the second.
        """
        pairs: dict[str, str] = {}
        earliest = start - (count - 1) * period
        for k in range(start, start + period):
            reads, reads_after = self.operations[k].reads, self.operations[k + period].reads
            for now, after in zip(reads, reads_after, strict=True):
                maker, _ = self.makers[now]
                if earliest <= maker < start and self.is_moved(now, after, period):
                    pairs |= self.chain(now, start, period)
        return pairs

    def chain(self, name: str, start: int, period: int) -> Iterator[tuple[str, str]]:
        """A value from before a stretch and what becomes it in the next repetitions, until that is
        from the stretch itself.
        """
        while self.makers[name][0] < start:
            maker, place = self.makers[name]
            after = self.operations[maker + period].outputs[place].name
            yield name, after
            name = after

    def is_moved(self, now: str, after: str, period: int) -> bool:
        """Whether a value is made a period after another one, at the same place."""
        (maker, place), later = self.makers[now], self.makers[after]
        return maker >= 0 and later == (maker + period, place)


def columns_of(found: Repetitions) -> tuple[Integers, Integers, Integers]:
    """For each operation a number for its kind, and of each operand the number of its maker and its
    place there.
    """
    kinds: dict[object, int] = {}
    count = len(found.operations)
    operands = max((len(operation.reads) for operation in found.operations), default=0)
    kind = np.zeros(count, np.intp)
    read = np.zeros((count, min(operands, OPERANDS)), np.intp)
    places = np.zeros_like(read)
    for k, operation in enumerate(found.operations):
        own = k if len(operation.reads) > OPERANDS else kind_of(operation)
        kind[k] = kinds.setdefault(own, len(kinds))
        for j, name in enumerate(operation.reads[:OPERANDS]):
            maker, places[k, j] = found.makers[name]
            read[k, j] = maker if maker >= 0 else maker - FAR
    return kind, read, places


def kind_of(operation: TracedOperation) -> tuple[object, ...]:
    """A key that repetitions of an operation share: all of it but which values it reads and the
    numbers in it.
    """

    def form(token: str) -> object:
        if token in operation.reads:
            return operation.reads.index(token)
        return "0" if token[0].isdigit() else token

    types = [value.type for value in operation.outputs]
    of_rule = (id(operation.primal), id(operation.rule), len(operation.reads))
    return (*of_rule, *types, *map(form, tokens_of(operation)))


def tokens_of(operation: TracedOperation) -> list[str]:
    """The numbers, words and signs in an operation as it is written."""
    return TOKEN.findall(operation.source)


def longest(kinds: Integers, read: Integers, places: Integers) -> tuple[int, int, int, int] | None:
    """The repetition that hides most lines: where it begins at the earliest, how much later it may,
    its period and its count; None where all hide less than `LEAST`.
    """
    best = None
    most_hidden = LEAST - 1
    for period in range(1, min(len(kinds) // 3, LONGEST) + 1):
        alike = kinds[:-period] == kinds[period:]
        # so for nearly all periods, and their operands need not be compared
        if longest_run(alike)[1] < 2 * period:
            continue
        alike &= (places[:-period] == places[period:]).all(1)
        stride = read[period:] - read[:-period]
        same = alike[:-period] & alike[period:] & (stride[:-period] == stride[period:]).all(1)
        first, length = longest_run(same)
        pairs, slack = divmod(length, period)  # of repetitions that move in the same manner
        hidden = (pairs + 1) * period
        if pairs and hidden > most_hidden:
            best = first, slack, period, pairs + 2
            most_hidden = hidden
    return best


def longest_run(same: NDArray[np.bool_]) -> tuple[int, int]:
    """Where the longest stretch of true entries begins, and its length."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    if not ends.size:
        return 0, 0
    lengths = ends[1::2] - ends[::2]
    return int(ends[2 * np.argmax(lengths)]), int(lengths.max())
