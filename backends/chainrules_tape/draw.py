"""`draw`: a traced call as a picture. Values flow down; the colour of a box says how much memory its operation keeps."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import log2
from os import PathLike
from pathlib import Path
from typing import Any

from chainrules_py.registry import RuleTable, default_rules
from chainrules_tape.layout import Layout, lay_out
from chainrules_tape.program import Operation, Program, read_program
from chainrules_tape.show import in_bytes, keeps

CHARACTER, LINE, BOX, GAP, LAYER, MARGIN, HEAD = 7.3, 16, 44, 26, 84, 24, 46
LONGEST = 40

STYLE = """
text { font: 12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2933; text-anchor: middle }
.type { fill: #6b7785 } .note { fill: #6b7785; text-anchor: start }
.head { font-weight: bold; font-size: 14px; text-anchor: start }
rect { stroke: #8895a3; rx: 6 } .input rect { fill: #e3effb; stroke: #4a86c5; rx: 16 }
.result rect { fill: #e4f5e6; stroke: #4c9a57; rx: 16 }
.unused rect { stroke-dasharray: 4 3 } .unused text { fill: #9aa5b1 }
path { fill: none; stroke: #8895a3; stroke-width: 1.4 } .arrow { fill: #8895a3; stroke: none }
"""


class Drawing:
    """A picture of a program; notebooks show it, `save` writes it to a file."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.svg = svg(program)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: "str | PathLike[str]") -> None:
        """Write the picture as an SVG file."""
        Path(path).write_text(self.svg, encoding="utf-8")


def draw(
    function: Callable[..., Any], *args: Any, argnums: int | Sequence[int] | None = None, rules: RuleTable = default_rules
) -> Drawing:
    """A picture of what ``function(*args)`` computes, as its derivative sees it; `argnums` as in `show`.

    >>> picture = draw(lambda x: np.sum(np.sin(x) * x), np.ones(3))
    >>> picture.svg[:4], picture.svg.count("<rect")
    ('<svg', 6)
    """
    return Drawing(read_program(function, *args, argnums=argnums, rules=rules))


@dataclass(frozen=True)
class Box:
    """A node of the picture: its lines of text, its kind, and what a pointer resting on it reads."""

    lines: tuple[str, ...]
    kind: str
    hint: str
    fill: str = "#ffffff"

    @property
    def width(self) -> float:
        """As wide as its text."""
        return max(map(len, self.lines)) * CHARACTER + 22

    @property
    def height(self) -> float:
        """As high as its text."""
        return len(self.lines) * LINE + 12


def boxes_and_edges(program: Program) -> tuple[list[Box], list[tuple[int, int]]]:
    """The graph: inputs, operations in order, results."""
    largest = max((operation.nbytes for operation in program.operations), default=0)
    useful = operations_in_use(program)
    boxes = [Box((value.name, value.type), "input", f"input {value.name}") for value in program.inputs]
    maker = {value.name: node for node, value in enumerate(program.inputs)}
    edges = []
    for number, operation in enumerate(program.operations):
        edges += [(maker[name], len(boxes)) for name in operation.reads]
        maker |= {value.name: len(boxes) for value in operation.outputs}
        boxes.append(operation_box(operation, largest, number in useful))
    for name in dict.fromkeys(program.results):
        edges += [(maker[name], len(boxes))] if name in maker else []
        boxes.append(Box((f"return {name}",), "result", "result"))
    return boxes, edges


def operation_box(operation: Operation, largest: int, useful: bool) -> Box:
    """The box of an operation: what it computes, the types of its outputs, and what it keeps."""
    names = ", ".join(value.name for value in operation.outputs) or "_"
    memory = f" · keeps {in_bytes(operation.nbytes)}" if operation.nbytes else ""
    types = ", ".join(value.type for value in operation.outputs) + memory
    hint = f"{operation.rule}\n{keeps(operation.kept)}"
    kind = "operation" if useful else "unused"
    return Box((shortened(f"{names} = {operation.source}"), types), kind, hint, shade(operation.nbytes, largest))


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


def svg(program: Program) -> str:
    """The picture as text."""
    boxes, edges = boxes_and_edges(program)
    layout = lay_out([box.width for box in boxes], edges, GAP)
    sides = [(x - box.width / 2, x + box.width / 2) for x, box in zip(layout.x, boxes, strict=False)]
    left = min((low for low, _ in sides), default=0.0) - MARGIN
    caption = f"{len(program.operations)} operations, {in_bytes(program.nbytes)} kept for the way back"
    right = max([*(high for _, high in sides), *layout.x, left + CHARACTER * len(caption)]) + MARGIN
    height = HEAD + LAYER * (max(layout.layer, default=0) + 1) + MARGIN
    size = f'width="{right - left:.0f}" height="{height:.0f}" viewBox="{left:.1f} 0 {right - left:.1f} {height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>',
        f'<rect x="{left:.1f}" width="{right - left:.1f}" height="{height:.0f}" style="fill: #ffffff; stroke: none; rx: 0"/>',
        f'<text class="head" x="{left + MARGIN:.1f}" y="24">{escape(program.name)}</text>',
        f'<text class="note" x="{left + MARGIN:.1f}" y="42">{caption}</text>',
        *edges_drawn(boxes, layout),
        *(box_drawn(box, layout.x[node], height_of(layout.layer[node])) for node, box in enumerate(boxes)),
        "</svg>",
    ]
    return "\n".join(parts)


def height_of(layer: int) -> float:
    """The middle of a layer."""
    return HEAD + LAYER * (layer + 0.5)


def edges_drawn(boxes: list[Box], layout: Layout) -> Iterator[str]:
    """A smooth curve per edge, straight where it passes between boxes, with an arrow at its end."""
    for start, *passed, end in layout.paths:
        points = [(layout.x[start], height_of(layout.layer[start]) + boxes[start].height / 2)]
        for node in passed:
            points += [(layout.x[node], height_of(layout.layer[node]) + side * BOX / 2) for side in (-1, 1)]
        x, y = layout.x[end], height_of(layout.layer[end]) - boxes[end].height / 2 - 6
        yield f'<path d="{curve([*points, (x, y)])}"/>'
        yield f'<path class="arrow" d="M{x - 4:.1f} {y:.1f} h8 l-4 6 z"/>'


def curve(points: list[tuple[float, float]]) -> str:
    """Cubic pieces that leave and reach each point vertically."""
    pieces = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        bend = (y0 + y1) / 2
        pieces.append(f"C{x0:.1f} {bend:.1f} {x1:.1f} {bend:.1f} {x1:.1f} {y1:.1f}")
    return " ".join(pieces)


def box_drawn(box: Box, x: float, y: float) -> str:
    """A box with its text, centred."""
    corner = f'x="{x - box.width / 2:.1f}" y="{y - box.height / 2:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    first = y - (len(box.lines) - 1) * LINE / 2 + 4
    texts = "".join(
        f'<text class="{"type" if k else "name"}" x="{x:.1f}" y="{first + k * LINE:.1f}">{escape(line)}</text>'
        for k, line in enumerate(box.lines)
    )
    fill = f' fill="{box.fill}"' if box.kind in ("operation", "unused") else ""
    return f'<g class="{box.kind}"><title>{escape(box.hint)}</title><rect {corner}{fill}/>{texts}</g>'
