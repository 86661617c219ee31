"""`draw`: a traced call as a picture.

Values flow down; the colour of a box says how much memory its operation keeps.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_tape.showing.folding import LIMIT, Folded
from chainrules_tape.showing.graph import CHARACTER, LINE, Box, Graph
from chainrules_tape.showing.layout import DrawingLayout, lay_out
from chainrules_tape.showing.listing import in_bytes
from chainrules_tape.showing.program import Program, read_program

BOX, GAP, LAYER, MARGIN, HEAD, LOOP = 44, 26, 84, 24, 46, 20

STYLE = """
text { font: 12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2933; text-anchor: middle }
.type { fill: #6b7785 } .note { fill: #6b7785; text-anchor: start }
.head { font-weight: bold; font-size: 14px; text-anchor: start }
rect { stroke: #8895a3; rx: 6 } .input rect { fill: #e3effb; stroke: #4a86c5; rx: 16 }
.result rect { fill: #e4f5e6; stroke: #4c9a57; rx: 16 }
.unused rect { stroke-dasharray: 4 3 } .unused text { fill: #9aa5b1 }
.loop rect { fill: #efe6fa; stroke: #7d55b0 } .cut rect { fill: #f4f5f7; stroke-dasharray: 2 3 }
path { fill: none; stroke: #8895a3; stroke-width: 1.4 } .arrow { fill: #8895a3; stroke: none }
.part { stroke: #cdb9e6; stroke-dasharray: 2 4 } .back { stroke: #7d55b0; stroke-width: 2 } .arrow.back { fill: #7d55b0 }
"""


class Drawing:
    """A picture of a program; notebooks show it, `save` writes it to a file."""

    def __init__(self, program: Program, limit: int | None = LIMIT) -> None:
        self.program = program
        self.svg = svg(program, limit)

    def __repr__(self) -> str:
        return f"<a picture of {self.program!r}; save(path) writes it>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: "str | PathLike[str]") -> None:
        """Write the picture as an SVG file."""
        Path(path).write_text(self.svg, encoding="utf-8")


def draw(
    function: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] | None = None,
    rules: RuleTable = default_rules,
    limit: int | None = LIMIT,
) -> Drawing:
    """A picture of what ``function(*args)`` computes, as its derivative sees it; `argnums` and
    `limit` as in `show`.

    >>> picture = draw(lambda x: np.sum(np.sin(x) * x), np.ones(3))
    >>> picture.svg[:4], picture.svg.count("<rect")
    ('<svg', 6)
    """
    return Drawing(read_program(function, *args, argnums=argnums, rules=rules), limit)


def svg(program: Program, limit: int | None) -> str:
    """The picture as text."""
    graph = Graph(Folded(program), limit)
    boxes = graph.boxes
    layout = lay_out([box.width for box in boxes], list(graph.edges), GAP)
    sides = [
        (x - box.width / 2, x + box.width / 2) for x, box in zip(layout.x, boxes, strict=False)
    ]
    left = min((low for low, _ in sides), default=0.0) - MARGIN - (LOOP if graph.begins else 0)
    caption = (
        f"{len(program.operations)} operations, {in_bytes(program.nbytes)} kept for the way back"
    )
    right = max([*(high for _, high in sides), *layout.x, left + CHARACTER * len(caption)]) + MARGIN
    height = HEAD + LAYER * (max(layout.layer, default=0) + 1) + MARGIN
    size = (
        f'width="{right - left:.0f}" height="{height:.0f}" viewBox="{left:.1f} 0 {right - left:.1f}'
        f' {height:.0f}"'
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>',
        (
            f'<rect x="{left:.1f}" width="{right - left:.1f}" height="{height:.0f}" style="fill:'
            ' #ffffff; stroke: none; rx: 0"/>'
        ),
        f'<text class="head" x="{left + MARGIN:.1f}" y="24">{escape(program.name)}</text>',
        f'<text class="note" x="{left + MARGIN:.1f}" y="42">{caption}</text>',
        *edges_drawn(boxes, layout, list(graph.edges.values())),
        *(
            loop_drawn(boxes, layout, begin, graph.ends[stretch])
            for stretch, begin in graph.begins.items()
        ),
        *(
            box_drawn(box, layout.x[node], height_of(layout.layer[node]))
            for node, box in enumerate(boxes)
        ),
        "</svg>",
    ]
    return "\n".join(parts)


def height_of(layer: int) -> float:
    """The middle of a layer."""
    return HEAD + LAYER * (layer + 0.5)


def loop_drawn(boxes: list[Box], layout: DrawingLayout, begin: int, end: int) -> str:
    """What leads from the end of a loop back to its begin, past everything in between."""
    layers = range(layout.layer[begin], layout.layer[end] + 1)
    left = min(
        x - (boxes[node].width / 2 if node < len(boxes) else 0)
        for node, x in enumerate(layout.x)
        if layout.layer[node] in layers
    )
    (x0, y0), (x1, y1) = (
        (layout.x[n] - boxes[n].width / 2, height_of(layout.layer[n])) for n in (end, begin)
    )
    way = (
        f"M{x0:.1f} {y0:.1f} H{left:.1f} q{-LOOP} 0 {-LOOP} {-LOOP} V{y1 + LOOP:.1f} q0 {-LOOP}"
        f" {LOOP} {-LOOP} H{x1 - 6:.1f}"
    )
    return (
        f'<path class="back" d="{way}"/><path class="arrow back" d="M{x1 - 6:.1f} {y1 - 4:.1f} v8'
        ' l6 -4 z"/>'
    )


def edges_drawn(boxes: list[Box], layout: DrawingLayout, kinds: list[bool]) -> Iterator[str]:
    """A smooth curve per edge, straight where it passes between boxes, with an arrow at its end if
    data goes along it.
    """
    for (start, *passed, end), data in zip(layout.paths, kinds, strict=True):
        points = [(layout.x[start], height_of(layout.layer[start]) + boxes[start].height / 2)]
        for node in passed:
            points += [
                (layout.x[node], height_of(layout.layer[node]) + side * BOX / 2) for side in (-1, 1)
            ]
        x, y = layout.x[end], height_of(layout.layer[end]) - boxes[end].height / 2 - 6
        if not data:
            yield f'<path class="part" d="{curve([*points, (x, y + 6)])}"/>'
            continue
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
    corner = (
        f'x="{x - box.width / 2:.1f}" y="{y - box.height / 2:.1f}" width="{box.width:.1f}"'
        f' height="{box.height:.1f}"'
    )
    first = y - (len(box.lines) - 1) * LINE / 2 + 4
    texts = "".join(
        f'<text class="{"type" if k else "name"}" x="{x:.1f}"'
        f' y="{first + k * LINE:.1f}">{escape(line)}</text>'
        for k, line in enumerate(box.lines)
    )
    fill = f' fill="{box.fill}"' if box.kind in ("operation", "unused") else ""
    return (
        f'<g class="{box.kind}"><title>{escape(box.hint)}</title><rect {corner}{fill}/>{texts}</g>'
    )
