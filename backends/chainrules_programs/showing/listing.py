"""`show`: a traced call as lines that read like Python, with shapes, rules and what is kept in
memory, forward and reverse.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

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
    Nested,
    last_time,
    next_time,
    to_begin_with,
)
from chainrules_programs.showing.notation import bar_of, notation, parameter_of, type_of
from chainrules_programs.showing.program import (
    Kept,
    Note,
    TracedProgram,
    bytes_kept,
    read_program,
)
from chainrules_py.annotations import Function
from chainrules_py.table.registry import RuleTable, default_rules

Row = tuple[str, ...]
INDENT = "    "


class Listing:
    """A program to be read: printing it, or showing it in a notebook, gives its lines."""

    def __init__(self, program: TracedProgram, limit: int | None = LIMIT) -> None:
        self.program = program
        self.lines = tuple(listed(Folded(program), limit))

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__


def show(
    function: Function,
    *args: Any,
    argnums: int | Sequence[int] | None = None,
    rules: RuleTable = default_rules,
    limit: int | None = LIMIT,
) -> Listing:
    """The operations of ``function(*args)``: what each computes, which rule fires, and what it
    keeps for its pullback.

    `argnums` are the positions of the arguments that are differentiated, by default all. What is
    repeated is written once, as a loop. Where more than `limit` operations remain, the middle is
    left out.

    >>> def loss(x, w):
    ...     return np.sum(w * np.sin(x))
    >>> print(show(loss, np.ones(3), np.ones((2, 3))))  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    def loss(x, w):                                # x: float64[3], w: float64[2, 3]
        v1 = np.sin(x)                             # float64[3]     sin_rrule, elementwise.py:...       keeps 24 B: x
        v2 = w * v1                                # float64[2, 3]  multiply_rrule, elementwise.py:...  keeps 72 B: w, v1
        v3 = np.sum(v2)                            # float64        sum_rrule, reductions.py:...        keeps nothing
        return v3                                  # kept in all: 96 B
    <BLANKLINE>
    def pullback(v3_bar):
        v2_bar = sum_pullback(v3_bar)              # float64[2, 3]
        w_bar, v1_bar = multiply_pullback(v2_bar)  # float64[2, 3], float64[3]  frees 72 B
        x_bar = sin_pullback(v1_bar)               # float64[3]                 frees 24 B
        return x_bar, w_bar
    """
    return Listing(read_program(function, *args, argnums=argnums, rules=rules), limit)


def listed(folded: Folded, limit: int | None) -> Iterable[str]:
    """The lines of both directions, with their comments in one column."""
    entries = folded.shown(limit)
    forward, reverse = forward_rows(folded, entries), reverse_rows(folded, entries)
    width = max((len(row[0]) for row in forward + reverse if len(row) > 2), default=0)
    yield from aligned_comments(forward, width)
    yield ""
    yield from aligned_comments(reverse, width)


def aligned_comments(rows: list[Row], width: int) -> Iterable[str]:
    """Rows of code and comment, the parts of the comments in columns."""
    table = [row for row in rows if len(row) > 2]
    widths = [max(map(len, column)) for column in zip(*(row[1:] for row in table), strict=True)]
    for code, *comment in rows:
        if not any(comment):
            yield code
            continue
        if len(comment) > 1:
            comment = [part.ljust(w) for part, w in zip(comment, widths, strict=True)]
        yield f"{code.ljust(width)}  # {'  '.join(comment)}".rstrip()


def forward_rows(folded: Folded, entries: Nested) -> list[Row]:
    """The program as it ran."""
    program = folded.program
    parameters = dict.fromkeys(parameter_of(str(value.name)) for value in program.inputs)
    types = ", ".join(f"{value.name}: {type_of(value)}" for value in program.inputs)
    head = (f"def {program.name}({', '.join(parameters)}):", types)
    last = (f"    return {', '.join(program.results)}", f"kept in all: {in_bytes(program.nbytes)}")
    body = [row for entry, depth in entries for row in indented(forward_entry(entry), depth)]
    seen = [(f"# seen through: {', '.join(program.seen)}",)] if program.seen else []
    return [*seen, head, *body, last]


def indented(rows: Iterable[Row], depth: int) -> Iterator[Row]:
    """Rows inside a function and as many loops."""
    return ((INDENT * (1 + depth) + code, *comment) for code, *comment in rows)


def forward_entry(entry: Entry) -> Iterator[Row]:
    """The rows of an operation, or of what stands between operations."""
    if isinstance(entry, Call):
        yield forward_row(entry)
    elif isinstance(entry, Begin):
        yield from assigned(to_begin_with(entry.loop), "to begin with")
        yield f"for {entry.loop.counter} in range({entry.loop.count}):", loop_note(entry.loop)
    elif isinstance(entry, End):
        yield from assigned(next_time(entry.loop), "for the next time", INDENT)
        yield from assigned(last_time(entry.loop), "of the last time")
    else:
        yield "...", "; ".join(left_out(entry))


def assigned(values: dict[Value, Any], note: str, indent: str = "") -> Iterator[Row]:
    """The assignment of several values at once, if there are any."""
    if values:
        sources = map(notation.text, values.values())
        yield f"{indent}{', '.join(map(notation.text, values))} = {', '.join(sources)}", note


def assigned_back(values: dict[Value, Any], note: str, indent: str = "") -> Iterator[Row]:
    """The cotangents of what is assigned, from those of what it is assigned to."""
    pairs = {source: value for value, source in values.items() if isinstance(source, Value)}
    if pairs:
        targets = ", ".join(map(bar_of, pairs))
        yield f"{indent}{targets} = {', '.join(map(bar_of, pairs.values()))}", note


def loop_note(loop: Loop) -> str:
    """How many operations a loop stands for, and what all of them keep."""
    kept = in_bytes(bytes_kept(loop.straight))
    return f"{loop.count} × {len(loop.straight) // loop.count} operations, keeping {kept}"


def left_out(cut: Cut) -> tuple[str, str]:
    """The notes in place of operations that are left out: how many, and how to see them."""
    return f"{len(cut)} operations left out", "limit=None shows all"


def forward_row(call: Call) -> Row:
    """One operation: its call, what comes out, the rule, what it keeps."""
    place = PurePath(call.note.rule.where).name
    types = ", ".join(map(type_of, makes(call)))
    code = f"{names_of(call)} = {notation.call(call)}"
    return code, types, f"{call.note.rule.name}, {place}", keeps(call.note.kept)


def names_of(call: Call) -> str:
    """The names of what an operation makes."""
    return ", ".join(map(notation.text, makes(call))) or "_"


def keeps(kept: tuple[Kept, ...]) -> str:
    """The note on what an operation keeps: the bytes, and the values that they belong to."""
    if not kept:
        return "keeps nothing"
    names = ", ".join(dict.fromkeys(k.name or "a value of its own" for k in kept))
    return f"keeps {in_bytes(sum(k.nbytes for k in kept))}: {names}"


def reverse_rows(folded: Folded, entries: Nested) -> list[Row]:
    """The reverse sweep: the operations that the results depend on, the last one first; each frees
    the arrays that no earlier one keeps.
    """
    program = folded.program
    made = {*program.values}
    seeds = dict.fromkeys(value for value in values_of(program.result) if value in made)
    rows: list[Row] = [(f"def pullback({', '.join(map(bar_of, seeds))}):", "")]
    swept = sweep_of(program)
    for entry, depth in reversed(entries):
        rows += indented(reverse_entry(folded, entry, swept), depth)
    return [*rows, (f"    return {', '.join(map(bar_of, program.inputs))}", "")]


class Swept(NamedTuple):
    """What the reverse sweep does at an operation: the operands to whose cotangents it adds, the
    results of which cotangents have arrived, and the bytes that are freed.
    """

    adding: set[Value]
    made: list[Value]
    freed: int


def sweep_of(program: TracedProgram) -> dict[Note, Swept]:
    """What the sweep does at each of the operations that the results depend on."""
    arrived = {*values_of(program.result)}
    keepers: dict[int, Note] = {}
    for call in program.calls:
        for kept in call.note.kept:
            keepers.setdefault(kept.key, call.note)
    found = {}
    for call in reversed(program.calls):
        made = [value for value in makes(call) if value in arrived]
        if made:
            freed = sum(k.nbytes for k in call.note.kept if keepers[k.key] is call.note)
            operands = reads(call)
            found[call.note] = Swept(arrived.intersection(operands), made, freed)
            arrived.update(operands)
    return found


def reverse_entry(folded: Folded, entry: Entry, swept: dict[Note, Swept]) -> Iterator[Row]:
    """The rows of the reverse sweep; a loop is written as the sweep passes its first repetition."""
    if isinstance(entry, Call):
        if entry.note in swept:
            yield reverse_row(folded, entry, swept[entry.note])
    elif isinstance(entry, End):
        yield from assigned_back(last_time(entry.loop), "of the last time")
        yield f"for _ in range({entry.loop.count}):", "the last time first"
    elif isinstance(entry, Begin):
        yield from assigned_back(next_time(entry.loop), "for the time before", INDENT)
        yield from assigned_back(to_begin_with(entry.loop), "of the first time")
    else:
        yield "...", "; ".join(left_out(entry))


def reverse_row(folded: Folded, call: Call, swept: Swept) -> Row:
    """One operation in the reverse sweep."""
    targets = [value for value in dict.fromkeys(reads(call)) if value in folded.active]
    adds = [bar_of(value) for value in targets if folded.original(value) in swept.adding]
    notes = []
    if swept.freed:
        notes.append(f"frees {in_bytes(swept.freed)}")
    if adds:
        notes.append(f"adds to {', '.join(adds)}")
    name = call.note.rule.name.removesuffix("_rrule")
    pullback = f"{name}_pullback({', '.join(map(bar_of, swept.made))})"
    code = f"{', '.join(map(bar_of, targets))} = {pullback}"
    return code, ", ".join(map(type_of, targets)), ", ".join(notes)


def in_bytes(count: int) -> str:
    """``24 B``, ``1.5 kB``, ``12 MB``."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= 0.9995 * size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"
