"""Tables that can be read in their source, and numbers as people write them."""

from collections.abc import Iterable, Sequence

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with aligned columns, the first to the left, the others to the right.

    >>> print(table(("name", "µs"), [("sin", "1.5")]))
    | name |  µs |
    | :--- | --: |
    | sin  | 1.5 |
    """
    lines = [tuple(heads), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    head, *body = (aligned(line, widths) for line in lines)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *body))


def aligned(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The cells of a line, as wide as their columns."""
    return [
        cells[0].ljust(widths[0]),
        *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)),
    ]


def number(value: float | None, digits: int = 2) -> str:
    """A figure, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def seconds(value: float | None) -> str:
    """A duration in the unit that suits it.

    >>> seconds(0.00123), seconds(None)
    ('1.23 ms', '–')
    """
    if value is None:
        return "–"
    scale, unit = next((pair for pair in UNITS if value >= pair[0]), UNITS[-1])
    return f"{value / scale:.3g} {unit}"
