"""Small tables in HTML for notebooks, in which every text is escaped."""

from collections.abc import Iterable, Sequence
from typing import Any

LONGEST = 80


def html_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of texts under headings; without headings where there are none.

    >>> html_table("a < b", ["x"], [[1]])
    '<table><caption>a &lt; b</caption><tr><th>x</th></tr><tr><td>1</td></tr></table>'
    """
    from html import escape  # a millisecond that only notebooks need

    head = [row_of("th", columns)] if columns else []
    body = (row_of("td", row) for row in rows)
    return f"<table><caption>{escape(caption)}</caption>{''.join([*head, *body])}</table>"


def row_of(tag: str, cells: Iterable[Any]) -> str:
    """A row of cells of one kind."""
    from html import escape

    return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"


def in_short(value) -> tuple[str, str]:
    """Write a value's type, with dtype and shape where it has them, and its text on one line.

    >>> import numpy as np
    >>> in_short(np.zeros((2, 2)))
    ('float64[2, 2]', '[[0. 0.] [0. 0.]]')
    """
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    known = dtype is not None and shape is not None
    text = " ".join(str(value).split())
    kind = type(value).__name__
    if known:
        kind = f"{dtype}{list(shape)}" if shape else str(dtype)
    return kind, text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
