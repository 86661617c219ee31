"""`draw`: a traced call as a picture.

Values flow down; the colour of a box says how much memory its operation keeps.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

from chainrules_programs.showing.folding import LIMIT, Folded
from chainrules_programs.showing.graph import CHARACTER, LINE, Box, Graph
from chainrules_programs.showing.layout import DrawingLayout, lay_out
from chainrules_programs.showing.listing import in_bytes
from chainrules_programs.showing.program import TracedProgram, read_program
from chainrules_py.table.registry import RuleTable, default_rules

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

    def __init__(self, program: TracedProgram, limit: int | None = LIMIT) -> None:
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


def svg(program: TracedProgram, limit: int | None) -> str:
    """The picture as text."""
    graph = Graph(Folded(program), limit)
    boxes = graph.boxes
    layout = lay_out([box.width for box in boxes], list(graph.edges), GAP)
    kept = in_bytes(program.nbytes)
    caption = f"{len(program.steps)} operations, {kept} kept for the pullbacks"

    places = list(zip(layout.x, boxes, strict=False))  # those of stand-ins come after the boxes
    left = min((x - box.width / 2 for x, box in places), default=0.0) - MARGIN
    if graph.loops:
        left -= LOOP
    right = max((x + box.width / 2 for x, box in places), default=0.0)
    right = max(right, *layout.x, left + CHARACTER * len(caption)) + MARGIN
    width = right - left
    height = HEAD + LAYER * (max(layout.layer, default=0) + 1) + MARGIN

    size = f'width="{width:.0f}" height="{height:.0f}"'
    view = f'viewBox="{left:.1f} 0 {width:.1f} {height:.0f}"'
    white = "fill: #ffffff; stroke: none; rx: 0"
    text_at = f'x="{left + MARGIN:.1f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view}><style>{STYLE}</style>',
        f'<rect x="{left:.1f}" width="{width:.1f}" height="{height:.0f}" style="{white}"/>',
        f'<text class="head" {text_at} y="24">{escape(program.name)}</text>',
        f'<text class="note" {text_at} y="42">{caption}</text>',
    ]
    parts += edges_drawn(boxes, layout, list(graph.edges.values()))
    parts += [loop_drawn(boxes, layout, begin, end) for begin, end in graph.loops]
    for node, box in enumerate(boxes):
        parts.append(box_drawn(box, layout.x[node], height_of(layout.layer[node])))
    return "\n".join([*parts, "</svg>"])


def height_of(layer: int) -> float:
    """The middle of a layer."""
    return HEAD + LAYER * (layer + 0.5)


def loop_drawn(boxes: list[Box], layout: DrawingLayout, begin: int, end: int) -> str:
    """The arrow from the end of a loop back to its begin, past all boxes in between."""

    def left_edge(node: int) -> float:
        width = boxes[node].width if node < len(boxes) else 0.0  # stand-ins have none
        return layout.x[node] - width / 2

    layers = range(layout.layer[begin], layout.layer[end] + 1)
    left = min(left_edge(node) for node, layer in enumerate(layout.layer) if layer in layers)
    x0, y0 = left_edge(end), height_of(layout.layer[end])
    x1, y1 = left_edge(begin) - 6, height_of(layout.layer[begin])
    out = f"M{x0:.1f} {y0:.1f} H{left:.1f} q{-LOOP} 0 {-LOOP} {-LOOP}"
    up = f"V{y1 + LOOP:.1f} q0 {-LOOP} {LOOP} {-LOOP} H{x1:.1f}"
    head = f"M{x1:.1f} {y1 - 4:.1f} v8 l6 -4 z"
    return f'<path class="back" d="{out} {up}"/><path class="arrow back" d="{head}"/>'


def edges_drawn(boxes: list[Box], layout: DrawingLayout, kinds: list[bool]) -> Iterator[str]:
    """A smooth curve per edge, straight where it passes between boxes, with an arrow at its end if
    data goes along it.
    """
    for (start, *passed, end), is_data in zip(layout.paths, kinds, strict=True):
        points = [(layout.x[start], height_of(layout.layer[start]) + boxes[start].height / 2)]
        for node in passed:
            x, y = layout.x[node], height_of(layout.layer[node])
            points += [(x, y - BOX / 2), (x, y + BOX / 2)]
        x, y = layout.x[end], height_of(layout.layer[end]) - boxes[end].height / 2 - 6
        if not is_data:
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
    corner = f'x="{x - box.width / 2:.1f}" y="{y - box.height / 2:.1f}"'
    size = f'width="{box.width:.1f}" height="{box.height:.1f}"'
    fill = f' fill="{box.fill}"' if box.kind in ("operation", "unused") else ""
    drawn = f"<title>{escape(box.hint)}</title><rect {corner} {size}{fill}/>"
    first = y - (len(box.lines) - 1) * LINE / 2 + 4
    for k, line in enumerate(box.lines):
        kind = "type" if k else "name"
        place = f'x="{x:.1f}" y="{first + k * LINE:.1f}"'
        drawn += f'<text class="{kind}" {place}>{escape(line)}</text>'
    return f'<g class="{box.kind}">{drawn}</g>'
