"""A program as a graph to be drawn: boxes for inputs, operations, loops and results, and the edges
between them.

A loop has a box where it begins, which gives the values that are carried, and one where it ends,
which takes them. Of its operations, those that read none of it hang on its begin, and those that
none of it reads on its end: all are between the two.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2

from chainrules_programs.recording.program import Call, Value, values_of
from chainrules_programs.recording.repetitions import Loop
from chainrules_programs.recording.steps import makes, reads
from chainrules_programs.showing.folding import Begin, Cut, End, Entry, Folded, last_time, next_time
from chainrules_programs.showing.listing import (
    assigned,
    in_bytes,
    keeps,
    left_out,
    loop_note,
    names_of,
    sweep_of,
)
from chainrules_programs.showing.notation import notation, type_of

CHARACTER, LINE = 7.3, 16  # width and height of text, in pixels
LONGEST = 40  # characters in a box


@dataclass(frozen=True)
class Box:
    """A node of the picture: its lines of text, its kind, and the text shown under a pointer."""

    lines: tuple[str, ...]
    kind: str
    hint: str
    fill: str = "#ffffff"

    @property
    def width(self) -> float:
        """The width of the box: that of its text."""
        return max(map(len, self.lines)) * CHARACTER + 22

    @property
    def height(self) -> float:
        """The height of the box: that of its text."""
        return len(self.lines) * LINE + 12


class Graph:
    """Boxes, each after those that lead to it, and edges, which are true for data and false for
    what only belongs to a loop.
    """

    def __init__(self, folded: Folded, limit: int | None) -> None:
        self.folded, self.program = folded, folded.program
        self.boxes: list[Box] = []
        self.edges: dict[tuple[int, int], bool] = {}
        self.sources: dict[Value, set[int]] = {}  # the boxes that a value comes from
        self.begins: dict[int, int] = {}  # of loops, by their identity
        self.loops: list[tuple[int, int]] = []  # where each begins and ends
        self.largest = max((call.note.nbytes for call in self.program.calls), default=0)
        self.useful = sweep_of(self.program)
        for value in self.program.inputs:
            self.sources[value] = {len(self.boxes)}
            name = str(value.name)
            self.boxes.append(Box((name, type_of(value)), "input", f"input {name}"))
        for entry, _ in folded.shown(limit):
            self.boxes.append(self.box(entry))
            for part in entry.entries if isinstance(entry, Cut) else (entry,):
                self.add(part, len(self.boxes) - 1)
        self.add_results()

    def box(self, entry: Entry) -> Box:
        """The box of an entry."""
        if isinstance(entry, Call):
            return operation_box(entry, self.largest, entry.note in self.useful)
        if isinstance(entry, Cut):
            count, how = left_out(entry)
            return Box((count, how), "cut", f"{count}; {how}")
        return begin_box(entry.loop) if isinstance(entry, Begin) else end_box(entry.loop)

    def add(self, entry: Entry, node: int) -> None:
        """Connect a box with those that it reads, and note what comes from it."""
        if isinstance(entry, Call):
            self.connect(reads(entry), node)
            self.sources |= {value: {node} for value in makes(entry)}
        elif isinstance(entry, Begin):
            self.begins[id(entry.loop)] = node
            for carried in entry.loop.carried:
                self.connect(values_of(carried.first), node)
                self.sources[carried.name] = {node}
            for stream in entry.loop.streams:
                entries = values_of(stream.entries)
                self.sources[stream.name] = set().union(*map(self.sources_of, entries))
        elif isinstance(entry, End):
            self.end(entry.loop, node)

    def end(self, loop: Loop, node: int) -> None:
        """Connect the end of a loop with what it carries on, and with all of the loop."""
        following = [carried.following for carried in loop.carried]
        self.connect(following, node)
        for kept in loop.kept:
            self.sources |= dict.fromkeys(kept.values, self.sources_of(kept.name))
        for value, local in last_time(loop).items():
            self.sources[value] = {node} if local in following else self.sources_of(local)
        begin = self.begins[id(loop)]
        if begin < node:
            self.loops.append((begin, node))
            self.enclose(range(begin + 1, node), begin, node)

    def enclose(self, inside: range, begin: int, end: int) -> None:
        """Edges that keep the boxes of a loop between its begin and its end."""
        fed = {later for earlier, later in self.edges if earlier in inside or earlier == begin}
        read = {earlier for earlier, later in self.edges if later in inside or later == end}
        for node in inside:
            if node not in fed:
                self.edges[begin, node] = False
            if node not in read:
                self.edges[node, end] = False

    def sources_of(self, value: Value) -> set[int]:
        """The boxes that a value comes from: none for a constant."""
        return self.sources.get(value, set())

    def connect(self, values: Iterable[Value], node: int) -> None:
        """Edges for data, from the boxes of some values to a later one."""
        starts = {start for value in values for start in self.sources_of(value)}
        self.edges |= {(start, node): True for start in sorted(starts) if start < node}

    def add_results(self) -> None:
        """A box for each result, with an edge from what makes it; constants have none."""
        for result in dict(zip(self.program.results, self.program.result, strict=True)).items():
            name, value = result
            self.connect(values_of(value), len(self.boxes))
            self.boxes.append(Box((shortened(f"return {name}"),), "result", "result"))


def operation_box(call: Call, largest: int, useful: bool) -> Box:
    """The box of an operation: what it computes, the types of its outputs, and what it keeps."""
    nbytes = call.note.nbytes
    memory = f" · keeps {in_bytes(nbytes)}" if nbytes else ""
    types = ", ".join(map(type_of, makes(call))) + memory
    hint = f"{call.note.rule}\n{keeps(call.note.kept)}"
    kind = "operation" if useful else "unused"
    lines = (shortened(f"{names_of(call)} = {notation.call(call)}"), types)
    return Box(lines, kind, hint, shade(nbytes, largest))


def begin_box(loop: Loop) -> Box:
    """The box where a loop begins, with the values that are carried."""
    head = f"for {loop.counter} in range({loop.count})"
    names = ", ".join(map(notation.text, next_time(loop)))
    return Box((head, *([shortened(names)] if names else [])), "loop", loop_note(loop))


def end_box(loop: Loop) -> Box:
    """The box where a loop ends: what the next repetition reads, and what is read after it."""
    again = [line for line, _ in assigned(next_time(loop), "")]
    after = [f"{line} at last" for line, _ in assigned(last_time(loop), "")]
    hint = [*(f"{line} for the next time" for line in again), *after]
    return Box(tuple(map(shortened, [*again, *after])) or ("next",), "loop", "\n".join(hint))


def shortened(text: str) -> str:
    """A line that fits into a box."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def shade(nbytes: int, largest: int) -> str:
    """White for what keeps nothing, up to orange for what keeps most, by orders of magnitude."""
    part = log2(1 + nbytes) / log2(1 + largest) if nbytes else 0.0
    return f"#ff{round(255 - 55 * part**3):02x}{round(255 - 120 * part**3):02x}"
