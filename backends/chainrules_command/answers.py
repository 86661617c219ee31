"""Answers of commands, and how they are written: as JSON for programs, or as text and tables."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TextIO

# Columns where the output is no terminal: other programs read a row of a table as one line.
WIDE = 10_000


@dataclass(frozen=True)
class Table:
    """Rows of text under headings; `right` names the columns of numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    right: Sequence[str] = ()


@dataclass(frozen=True)
class Answer:
    """The result of a command: `data` for programs, `parts` for people to read, an exit status."""

    data: Any
    parts: Sequence[str | Table]
    status: int = 0


def write_answer(answer: Answer, out: TextIO, *, as_json: bool) -> None:
    """Write an answer, as JSON or for people."""
    if as_json:
        print(json.dumps(answer.data, indent=2, ensure_ascii=False), file=out)
        return
    for part in answer.parts:
        if isinstance(part, Table):
            write_table(part, out)
        else:
            print(part, file=out)


def write_table(table: Table, out: TextIO) -> None:
    """Draw a table by rich: as wide as a terminal, or with a line per row."""
    # plum needs it, so that it is installed; most commands do not
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Grid

    grid = Grid(
        title=table.title or None,
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
    )
    for name in table.columns:
        justify: Literal["left", "right"] = "right" if name in table.right else "left"
        grid.add_column(name, justify=justify, overflow="fold", no_wrap=name == table.columns[0])
    for row in table.rows:
        grid.add_row(*row)
    width = None if out.isatty() else WIDE
    Console(file=out, width=width, markup=False, highlight=False, emoji=False).print(grid)
