"""`draw`: a traced call as a graph, in the text of Mermaid, which notebooks, GitHub and editors draw.

Boxes are inputs, operations and results; arrows lead from what is made to what reads it. A loop is a
frame. A box in it gives the values that are carried, another one takes them and leads back.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from chainrules_programs.recording.program import Call, Value, values_of
from chainrules_programs.recording.repetitions import Loop
from chainrules_programs.recording.steps import makes, reads
from chainrules_programs.showing.folding import (
    LIMIT,
    Begin,
    Cut,
    End,
    Entry,
    Folded,
    last_time,
    next_time,
)
from chainrules_programs.showing.listing import (
    assigned,
    in_bytes,
    left_out,
    loop_note,
    names_of,
    sweep_of,
)
from chainrules_programs.showing.notation import notation, type_of
from chainrules_programs.showing.program import TracedProgram, read_program
from chainrules_py.annotations import Function
from chainrules_py.table.registry import RuleTable, default_rules

LONGEST = 40  # characters of a line in a box
ESCAPED = str.maketrans({sign: f"#{ord(sign)};" for sign in '"#&<>*_`~'})


class Drawing:
    """The graph of a program: printing it gives Mermaid's text, and notebooks draw it."""

    def __init__(self, program: TracedProgram, limit: int | None = LIMIT) -> None:
        self.program = program
        self.lines = tuple(Graph(Folded(program), limit).lines())

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return f"```mermaid\n{self}\n```\n"


def draw(
    function: Function,
    *args: Any,
    argnums: int | Sequence[int] | None = None,
    rules: RuleTable = default_rules,
    limit: int | None = LIMIT,
) -> Drawing:
    """A graph of what ``function(*args)`` computes, as its derivative sees it, in the text of
    Mermaid; `argnums` and `limit` as in `show`.

    >>> print(draw(lambda x: np.sum(np.sin(x) * x), np.ones(3)))
    flowchart TD
    n0(["x<br>float64[3]"])
    n1["v1 = np.sin(x)<br>float64[3] · keeps 24 B"]
    n2["v2 = v1 #42; x<br>float64[3] · keeps 48 B"]
    n3["v3 = np.sum(v2)<br>float64"]
    n4(["return v3"])
    n0 --> n1
    n0 --> n2
    n1 --> n2
    n2 --> n3
    n3 --> n4
    classDef unused stroke-dasharray: 4 3
    """
    return Drawing(read_program(function, *args, argnums=argnums, rules=rules), limit)


class Graph:
    """The boxes of a program, each after those that lead to it, and the arrows between them.

    `sources` are the boxes that a value comes from, and `begins` those where loops begin, by the
    loops' identity.
    """

    def __init__(self, folded: Folded, limit: int | None) -> None:
        program = folded.program
        self.useful = sweep_of(program)
        self.boxes: list[str] = []
        self.count = 0
        self.arrows: dict[str, None] = {}
        self.sources: dict[Value, set[int]] = {}
        self.begins: dict[int, int] = {}
        for value in program.inputs:
            self.sources[value] = {self.box([str(value.name), type_of(value)], "([{}])")}
        for entry, _ in folded.shown(limit):
            self.add_entry(entry)
        for name, value in dict(zip(program.results, program.result, strict=True)).items():
            self.connect(values_of(value), self.box([f"return {name}"], "([{}])"))

    def lines(self) -> list[str]:
        """The text: boxes first, as an arrow would put a new one into the frame that it stands in."""
        return ["flowchart TD", *self.boxes, *self.arrows, "classDef unused stroke-dasharray: 4 3"]

    def box(self, lines: Iterable[str], shape: str = "[{}]") -> int:
        """Add a box, and return its number."""
        text = "<br>".join(shortened(line).translate(ESCAPED) for line in lines)
        number, self.count = self.count, self.count + 1
        self.boxes.append(f"n{number}" + shape.format(f'"{text}"'))
        return number

    def connect(self, values: Iterable[Value], box: int) -> None:
        """Arrows to a box from those that some values come from."""
        starts = {start for value in values for start in self.sources_of(value)}
        self.arrows |= {f"n{start} --> n{box}": None for start in sorted(starts - {box})}

    def sources_of(self, value: Value) -> set[int]:
        """The boxes that a value comes from: none for a constant."""
        return self.sources.get(value, set())

    def add_entry(self, entry: Entry) -> None:
        """Add a box for an entry, and its arrows."""
        if isinstance(entry, Call):
            self.add_call(entry, self.box(*described(entry, entry.note in self.useful)))
        elif isinstance(entry, Begin):
            self.boxes.append(f'subgraph loop{self.count}["{loop_note(entry.loop)}"]')
            self.begin(entry.loop, self.box(begin_lines(entry.loop)))
        elif isinstance(entry, End):
            box = self.box(end_lines(entry.loop))
            self.boxes.append("end")
            self.end(entry.loop, box)
            self.arrows[f"n{box} -.-> n{self.begins[id(entry.loop)]}"] = None
        else:
            self.add_cut(entry, self.box(left_out(entry), "[{}]:::unused"))

    def add_call(self, call: Call, box: int) -> None:
        """Arrows to the box of an operation, from which its results come."""
        self.connect(reads(call), box)
        self.sources |= {value: {box} for value in makes(call)}

    def add_cut(self, cut: Cut, box: int) -> None:
        """Arrows to the one box of all that is left out."""
        for entry in cut.entries:
            if isinstance(entry, Call):
                self.add_call(entry, box)
            elif isinstance(entry, Begin):
                self.begin(entry.loop, box)
            else:
                self.end(entry.loop, box)

    def begin(self, loop: Loop, box: int) -> None:
        """Arrows to where a loop begins, from which the values that are carried come."""
        self.begins[id(loop)] = box
        for carried in loop.carried:
            self.connect(values_of(carried.first), box)
            self.sources[carried.name] = {box}
        for stream in loop.streams:
            entries = values_of(stream.entries)
            self.sources[stream.name] = set().union(*map(self.sources_of, entries))

    def end(self, loop: Loop, box: int) -> None:
        """Arrows to where a loop ends, from which the last of what is carried comes."""
        following = [carried.following for carried in loop.carried]
        self.connect(following, box)
        for kept in loop.kept:
            self.sources |= dict.fromkeys(kept.values, self.sources_of(kept.name))
        for value, local in last_time(loop).items():
            self.sources[value] = {box} if local in following else self.sources_of(local)


def described(call: Call, useful: bool) -> tuple[list[str], str]:
    """The lines of an operation, what it computes, its types, and what it keeps; and its shape."""
    nbytes = call.note.nbytes
    memory = f" · keeps {in_bytes(nbytes)}" if nbytes else ""
    types = ", ".join(map(type_of, makes(call))) + memory
    shape = "[{}]" if useful else "[{}]:::unused"
    return [f"{names_of(call)} = {notation.call(call)}", types], shape


def begin_lines(loop: Loop) -> list[str]:
    """The lines where a loop begins, with the values that are carried."""
    names = ", ".join(map(notation.text, next_time(loop)))
    return [f"for {loop.counter} in range({loop.count})", *([names] if names else [])]


def end_lines(loop: Loop) -> list[str]:
    """The lines where a loop ends: what the next repetition reads, and what is read after it."""
    again = [line for line, _ in assigned(next_time(loop), "")]
    after = [f"{line} at last" for line, _ in assigned(last_time(loop), "")]
    return [*again, *after] or ["next"]


def shortened(text: str) -> str:
    """A line that fits into a box."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
