"""`show`: a traced call as lines that read like Python, with shapes, rules and what is kept in memory, forward and reverse."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from typing import Any

from chainrules_py.registry import RuleTable, default_rules
from chainrules_tape.program import Kept, Operation, Program, read_program

Row = tuple[str, ...]


class Listing:
    """A program to be read: printing it, or showing it in a notebook, gives its lines."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines = tuple(listed(program))

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__


def show(
    function: Callable[..., Any], *args: Any, argnums: int | Sequence[int] | None = None, rules: RuleTable = default_rules
) -> Listing:
    """The operations of ``function(*args)``: what each computes, which rule fires, and what it keeps for the way back.

    `argnums` names the arguments that are differentiated, by default all.

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
    return Listing(read_program(function, *args, argnums=argnums, rules=rules))


def listed(program: Program) -> Iterable[str]:
    """Both directions, their comments in one column."""
    forward, reverse = forward_rows(program), reverse_rows(program)
    width = max((len(row[0]) for row in forward + reverse if len(row) > 2), default=0)
    yield from aligned(forward, width)
    yield ""
    yield from aligned(reverse, width)


def aligned(rows: list[Row], width: int) -> Iterable[str]:
    """Rows of code and comment, the parts of the comments in columns."""
    table = [row for row in rows if len(row) > 2]
    widths = [max(map(len, column)) for column in zip(*(row[1:] for row in table), strict=True)]
    for code, *comment in rows:
        parts = [part.ljust(w) for part, w in zip(comment, widths, strict=True)] if len(comment) > 1 else comment
        yield f"{code.ljust(width)}  # {'  '.join(parts)}".rstrip() if any(comment) else code


def forward_rows(program: Program) -> list[Row]:
    """The program as it ran."""
    parameters = dict.fromkeys(value.name.split("[")[0].split(".")[0] for value in program.inputs)
    types = ", ".join(f"{value.name}: {value.type}" for value in program.inputs)
    head = (f"def {program.name}({', '.join(parameters)}):", types)
    last = (f"    return {', '.join(program.results)}", f"kept in all: {in_bytes(program.nbytes)}")
    return [head, *map(forward_row, program.operations), last]


def forward_row(operation: Operation) -> Row:
    """One operation: its call, what comes out, the rule, what it keeps."""
    names = ", ".join(value.name for value in operation.outputs) or "_"
    types = ", ".join(value.type for value in operation.outputs)
    place = PurePath(operation.rule.where).name
    return f"    {names} = {operation.source}", types, f"{operation.rule.name}, {place}", keeps(operation.kept)


def keeps(kept: tuple[Kept, ...]) -> str:
    """What is kept: its bytes, and the values that it belongs to."""
    if not kept:
        return "keeps nothing"
    names = ", ".join(dict.fromkeys(k.name or "a value of its own" for k in kept))
    return f"keeps {in_bytes(sum(k.nbytes for k in kept))}: {names}"


def reverse_rows(program: Program) -> list[Row]:
    """The way back: operations that the results depend on, in reverse, each freeing what nobody before it keeps."""
    values = program.values
    seeds = [name for name in program.results if name in values]
    rows: list[Row] = [(f"def pullback({', '.join(values[name].bar for name in dict.fromkeys(seeds))}):", "")]
    arrived = set(seeds)
    for number, operation in reversed([*enumerate(program.operations)]):
        if not arrived & {value.name for value in operation.outputs}:
            continue
        rows.append(reverse_row(program, number, arrived))
        arrived |= {*operation.reads}
    return [*rows, (f"    return {', '.join(value.bar for value in program.inputs)}", "")]


def reverse_row(program: Program, number: int, arrived: set[str]) -> Row:
    """One operation on the way back."""
    operation, values = program.operations[number], program.values
    targets = [values[name] for name in operation.reads]
    adds = [value.bar for value in targets if value.name in arrived]
    still = {kept.key for earlier in program.operations[:number] for kept in earlier.kept}
    freed = sum(kept.nbytes for kept in operation.kept if kept.key not in still)
    notes = [f"frees {in_bytes(freed)}"] * (freed > 0) + [f"adds to {', '.join(adds)}"] * bool(adds)
    made = [value.bar for value in operation.outputs if value.name in arrived]
    pullback = f"{operation.rule.name.removesuffix('_rrule')}_pullback({', '.join(made)})"
    code = f"    {', '.join(value.bar for value in targets)} = {pullback}"
    return code, ", ".join(value.type for value in targets), ", ".join(notes)


def in_bytes(count: int) -> str:
    """``24 B``, ``1.5 kB``, ``12 MB``."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= 0.9995 * size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"
