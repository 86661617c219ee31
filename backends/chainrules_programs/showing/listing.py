"""`show`: a traced call as lines that read like Python, with shapes, rules and what is kept in
memory, forward and reverse.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any

from chainrules_programs.showing.folding import LIMIT, Begin, Cut, End, Entry, Folded, Nested
from chainrules_programs.showing.notation import Value
from chainrules_programs.showing.program import (
    Kept,
    Program,
    TracedOperation,
    bytes_kept,
    read_program,
)
from chainrules_programs.showing.repetition import Stretch
from chainrules_py.table.registry import RuleTable, default_rules

Row = tuple[str, ...]
INDENT = "    "


class Listing:
    """A program to be read: printing it, or showing it in a notebook, gives its lines."""

    def __init__(self, program: Program, limit: int | None = LIMIT) -> None:
        self.program = program
        self.lines = tuple(listed(Folded(program), limit))

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__


def show(
    function: Callable[..., Any],
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
    yield from aligned(forward, width)
    yield ""
    yield from aligned(reverse, width)


def aligned(rows: list[Row], width: int) -> Iterable[str]:
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
    parameters = dict.fromkeys(value.name.split("[")[0].split(".")[0] for value in program.inputs)
    types = ", ".join(f"{value.name}: {value.type}" for value in program.inputs)
    head = (f"def {program.name}({', '.join(parameters)}):", types)
    last = (f"    return {', '.join(program.results)}", f"kept in all: {in_bytes(program.nbytes)}")
    body = [
        row
        for entry, around in entries
        for row in indented(forward_entry(folded, entry, around), len(around))
    ]
    return [head, *body, last]


def indented(rows: Iterable[Row], depth: int) -> Iterator[Row]:
    """Rows inside a function and as many loops."""
    return ((INDENT * (1 + depth) + code, *comment) for code, *comment in rows)


def forward_entry(folded: Folded, entry: Entry, around: list[Stretch]) -> Iterator[Row]:
    """The rows of an operation, or of what stands between operations."""
    if isinstance(entry, int):
        counters = [(stretch, folded.counter(depth)) for depth, stretch in enumerate(around)]
        yield forward_row(folded.operations[entry], folded.source(entry, counters))
    elif isinstance(entry, Begin):
        stretch = entry.stretch
        yield (
            f"for {folded.counter(len(around))} in range({stretch.count}):",
            loop_note(folded, stretch),
        )
    elif isinstance(entry, End):
        yield from end_rows(folded, entry.stretch)
    else:
        yield "...", "; ".join(left_out(entry))


def end_rows(folded: Folded, stretch: Stretch) -> Iterator[Row]:
    """The rows at the end of a loop: what the next repetition reads, and what is read after it."""
    if stretch.carried:
        yield INDENT + assigned(stretch.carried, stretch.carried.values()), "for the next time"
    if last := folded.last(stretch):
        yield assigned(last, last.values()), "of the last time"


def loop_note(folded: Folded, stretch: Stretch) -> str:
    """How many operations a loop stands for, and what all of them keep."""
    kept = bytes_kept(folded.operations[stretch.start : stretch.stop])
    return f"{stretch.count} × {stretch.period} operations, keeping {in_bytes(kept)}"


def assigned(names: Iterable[str], values: Iterable[str]) -> str:
    """An assignment of several at once."""
    return f"{', '.join(names)} = {', '.join(values)}"


def left_out(cut: Cut) -> tuple[str, str]:
    """The notes in place of operations that are left out: how many, and how to see them."""
    return f"{len(cut.operations)} operations left out", "limit=None shows all"


def forward_row(operation: TracedOperation, source: str) -> Row:
    """One operation: its call, what comes out, the rule, what it keeps."""
    names = ", ".join(value.name for value in operation.outputs) or "_"
    types = ", ".join(value.type for value in operation.outputs)
    place = PurePath(operation.rule.where).name
    return f"{names} = {source}", types, f"{operation.rule.name}, {place}", keeps(operation.kept)


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
    seeds = [name for name in program.results if name in folded.makers]
    parameters = ", ".join(bars(folded, dict.fromkeys(seeds)))
    rows: list[Row] = [(f"def pullback({parameters}):", "")]
    shown = {entry for entry, _ in entries if isinstance(entry, int)}
    by_number = dict(operation_rows(folded, shown))
    for entry, around in reversed(entries):
        rows += indented(reverse_entry(folded, entry, by_number), len(around))
    return [*rows, (f"    return {', '.join(value.bar for value in program.inputs)}", "")]


def reverse_entry(folded: Folded, entry: Entry, rows: dict[int, Row]) -> Iterator[Row]:
    """The rows of the reverse sweep; a loop is written as the sweep passes its first repetition."""
    if isinstance(entry, int):
        if entry in rows:
            yield rows[entry]
    elif isinstance(entry, End):
        if last := folded.last(entry.stretch):
            yield assigned(bars(folded, last.values()), bars(folded, last)), "of the last time"
        yield f"for _ in range({entry.stretch.count}):", "the last time first"
    elif isinstance(entry, Begin):
        if carried := entry.stretch.carried:
            yield (
                INDENT + assigned(bars(folded, carried.values()), bars(folded, carried)),
                "for the time before",
            )
    else:
        yield "...", "; ".join(left_out(entry))


def bars(folded: Folded, names: Iterable[str]) -> list[str]:
    """The names of the cotangents of some values."""
    return [folded.values[name].bar for name in names]


def operation_rows(folded: Folded, shown: set[int]) -> Iterator[tuple[int, Row]]:
    """The rows of those operations that are shown and that the results depend on."""
    arrived = {*folded.program.results}
    keepers: dict[int, int] = {}
    for number, operation in enumerate(folded.operations):
        for kept in operation.kept:
            keepers.setdefault(kept.key, number)
    for number, operation in reversed([*enumerate(folded.operations)]):
        if not arrived & {value.name for value in operation.outputs}:
            continue
        if number in shown:
            freed = sum(kept.nbytes for kept in operation.kept if keepers[kept.key] == number)
            yield number, reverse_row(folded.values, operation, arrived, freed)
        arrived |= {*operation.reads}


def reverse_row(
    values: dict[str, Value], operation: TracedOperation, arrived: set[str], freed: int
) -> Row:
    """One operation in the reverse sweep."""
    targets = [values[name] for name in operation.reads]
    adds = [value.bar for value in targets if value.name in arrived]
    notes = []
    if freed:
        notes.append(f"frees {in_bytes(freed)}")
    if adds:
        notes.append(f"adds to {', '.join(adds)}")
    made = [value.bar for value in operation.outputs if value.name in arrived]
    pullback = f"{operation.rule.name.removesuffix('_rrule')}_pullback({', '.join(made)})"
    code = f"{', '.join(value.bar for value in targets)} = {pullback}"
    return code, ", ".join(value.type for value in targets), ", ".join(notes)


def in_bytes(count: int) -> str:
    """``24 B``, ``1.5 kB``, ``12 MB``."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= 0.9995 * size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"
