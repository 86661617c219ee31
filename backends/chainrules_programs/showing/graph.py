"""A program as a graph to be drawn: boxes for inputs, operations, loops and results, and the edges
between them.

A loop has a box where it begins, which gives the values that are carried, and one where it ends,
which takes them. Of its operations, those that read none of it hang on its begin, and those that
none of it reads on its end: all are between the two.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2

from chainrules_programs.showing.folding import Begin, Cut, End, Entry, Folded
from chainrules_programs.showing.listing import assigned, in_bytes, keeps, left_out, loop_note
from chainrules_programs.showing.program import Program, TracedOperation
from chainrules_programs.showing.repetition import Stretch

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
        self.folded, self.program, self.limit = folded, folded.program, limit
        self.boxes: list[Box] = []
        self.edges: dict[tuple[int, int], bool] = {}
        self.nodes: dict[int, int] = {}  # of operations and inputs, by their numbers
        self.begins: dict[Stretch, int] = {}
        self.ends: dict[Stretch, int] = {}
        self.add_boxes()
        self.add_edges()
        self.add_results()

    def add_boxes(self) -> None:
        """A box for each input, and for each thing of the program that is shown."""
        for number, value in enumerate(self.program.inputs, -len(self.program.inputs)):
            self.nodes[number] = len(self.boxes)
            self.boxes.append(Box((value.name, value.type), "input", f"input {value.name}"))
        largest = max((operation.nbytes for operation in self.program.operations), default=0)
        useful = operations_in_use(self.program)
        for entry, around in self.folded.shown(self.limit):
            node = len(self.boxes)
            if isinstance(entry, int):
                self.nodes[entry] = node
                source = self.folded.source(entry, self.counters(around))
                operation = self.program.operations[entry]
                self.boxes.append(operation_box(operation, source, largest, entry in useful))
                continue
            if isinstance(entry, Begin):
                self.begins[entry.stretch] = node
            elif isinstance(entry, End):
                self.ends[entry.stretch] = node
            else:
                self.nodes |= dict.fromkeys(entry.operations, node)
            self.boxes.append(other_box(self.folded, entry, len(around)))

    def add_edges(self) -> None:
        """Edges to all operations, of those that are not shown to what is shown for them."""
        for number, operation in enumerate(self.program.operations):
            for name in operation.reads:
                self.connect(self.origin(name, number), self.node(number))
        for stretch, node in self.ends.items():
            for name in stretch.carried.values():
                self.connect(self.origin(name, stretch.start + stretch.period - 1), node)
        for stretch, node in self.begins.items():
            for name in stretch.carried:
                self.connect(self.origin(name, stretch.start - 1), node)
            self.enclose(range(node + 1, self.ends[stretch]), node, self.ends[stretch])

    def enclose(self, inside: range, begin: int, end: int) -> None:
        """Edges that keep the boxes of a loop between its begin and its end."""
        fed = {later for earlier, later in self.edges if earlier in inside or earlier == begin}
        read = {earlier for earlier, later in self.edges if later in inside or later == end}
        for node in inside:
            if node not in fed:
                self.edges[begin, node] = False
            if node not in read:
                self.edges[node, end] = False

    def connect(self, start: int, end: int) -> None:
        """An edge for data; one from a repetition back to the next is drawn in another style."""
        if start < end:
            self.edges[start, end] = True

    def node(self, number: int) -> int:
        """The box of an operation or an input."""
        return self.nodes[self.folded.representative(number)]

    def origin(self, name: str, reader: int) -> int:
        """The box that a value comes from, for an operation that reads it: its maker's, or that of
        a loop which carries it.
        """
        maker = self.folded.makers[name][0]
        for stretch in self.folded.around(reader):
            if name in stretch.carried and stretch in self.begins and maker < stretch.start:
                return self.begins[stretch]
        for stretch in self.folded.around(maker):
            if reader < stretch.stop or stretch not in self.ends:
                continue
            if self.folded.last(stretch).get(name) in stretch.carried.values():
                return self.ends[stretch]
        return self.node(maker)

    def counters(self, around: Iterable[Stretch]) -> list[tuple[Stretch, str]]:
        """Loops with the names of what counts their repetitions."""
        return [(stretch, self.folded.counter(depth)) for depth, stretch in enumerate(around)]

    def add_results(self) -> None:
        """A box for each result, with an edge from what makes it; constants have none."""
        for name in dict.fromkeys(self.program.results):
            if name in self.folded.makers:
                self.connect(self.origin(name, len(self.program.operations)), len(self.boxes))
            self.boxes.append(Box((shortened(f"return {name}"),), "result", "result"))


def operation_box(operation: TracedOperation, source: str, largest: int, useful: bool) -> Box:
    """The box of an operation: what it computes, the types of its outputs, and what it keeps."""
    names = ", ".join(value.name for value in operation.outputs) or "_"
    memory = f" · keeps {in_bytes(operation.nbytes)}" if operation.nbytes else ""
    types = ", ".join(value.type for value in operation.outputs) + memory
    hint = f"{operation.rule}\n{keeps(operation.kept)}"
    kind = "operation" if useful else "unused"
    lines = (shortened(f"{names} = {source}"), types)
    return Box(lines, kind, hint, shade(operation.nbytes, largest))


def other_box(folded: Folded, entry: Entry, depth: int) -> Box:
    """The box of the begin or the end of a loop, or of what is left out."""
    if isinstance(entry, Begin):
        stretch = entry.stretch
        head = f"for {folded.counter(depth)} in range({stretch.count})"
        names = [shortened(", ".join(stretch.carried))] if stretch.carried else []
        return Box((head, *names), "loop", loop_note(folded, stretch))
    if isinstance(entry, End):
        carried, last = entry.stretch.carried, folded.last(entry.stretch)
        next_time = [assigned(carried, carried.values())] if carried else []
        after = [f"{assigned(last, last.values())} at last"] if last else []
        lines = tuple(map(shortened, [*next_time, *after])) or ("next",)
        hint = [*(f"{line} for the next time" for line in next_time), *after]
        return Box(lines, "loop", "\n".join(hint))
    assert isinstance(entry, Cut)
    count, how = left_out(entry)
    return Box((count, how), "cut", f"{count}; {how}")


def shortened(text: str) -> str:
    """A line that fits into a box."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def shade(nbytes: int, largest: int) -> str:
    """White for what keeps nothing, up to orange for what keeps most, by orders of magnitude."""
    part = log2(1 + nbytes) / log2(1 + largest) if nbytes else 0.0
    return f"#ff{round(255 - 55 * part**3):02x}{round(255 - 120 * part**3):02x}"


def operations_in_use(program: Program) -> set[int]:
    """The operations that the results depend on."""
    wanted, found = {*program.results}, set()
    for number, operation in reversed([*enumerate(program.operations)]):
        if wanted & {value.name for value in operation.outputs}:
            found.add(number)
            wanted |= {*operation.reads}
    return found
