"""The picture of speed: a line for each program, a mark for each library, further right is faster.

It is SVG that is written here, without a library, and follows the reader's choice of light or dark. It
has a ground of its own, so that it can be read on any page.
"""

from collections.abc import Iterator, Mapping
from html import escape
from math import ceil, floor, log10
from typing import Any

WIDTH, LEFT, RIGHT, TOP, ROW = 860, 262, 24, 92, 34
# Shapes beside colours, for those who do not tell colours apart (Okabe and Ito 2008).
SHAPES: dict[str, tuple[str, str]] = {
    "compiled": ("disc", "ours"),
    'to="jax"': ("ring", "ours"),
    "by hand": ("bar", "hand"),
    "autograd": ("triangle", "a"),
    "advect": ("diamond", "a"),
    "PyTorch": ("square", "b"),
    "JAX": ("triangle", "c"),
    "asdex": ("triangle", "c"),
    "CasADi": ("diamond", "d"),
    "PyTensor": ("square", "e"),
}
NAMES = {
    "tape": "grad(f)",
    "compiled": "compiled(grad(f))",
    'to="jax"': 'compiled(grad(f), to="jax")',
    "by hand": "NumPy by hand",
    "asdex": "asdex on JAX",
}
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2933 } .small { font-size: 12px; fill: #52606d }
.ground { fill: #ffffff; stroke: #d5dbe1 } .grid { stroke: #e4e8ec } .one { stroke: #0b6e75; stroke-width: 2 }
.ours { fill: #0b6e75; stroke: #0b6e75 } .hand { fill: #1f2933; stroke: #1f2933 } .a { fill: #b8860b; stroke: #b8860b }
.b { fill: #d55e00; stroke: #d55e00 } .c { fill: #7b3fa0; stroke: #7b3fa0 } .d { fill: #0072b2; stroke: #0072b2 }
.e { fill: #c2478d; stroke: #c2478d } .ring { fill: none; stroke-width: 2.5 }
@media (prefers-color-scheme: dark) {
text { fill: #e4e7eb } .small { fill: #9aa5b1 } .ground { fill: #16191d; stroke: #3e4c59 } .grid { stroke: #2b3138 }
.one { stroke: #5cc8cf } .ours { fill: #5cc8cf; stroke: #5cc8cf } .hand { fill: #e4e7eb; stroke: #e4e7eb }
.a { fill: #f0c75e; stroke: #f0c75e } .b { fill: #ff8c42; stroke: #ff8c42 } .c { fill: #c89bea; stroke: #c89bea }
.d { fill: #6cb8f0; stroke: #6cb8f0 } .e { fill: #f095c8; stroke: #f095c8 } .ring { fill: none } }
"""
Speeds = dict[str, dict[str, float]]


def speeds(programs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Speeds:
    """How many times as fast as the tape each library is on each program."""
    return {
        program: {
            library: 1 / about["steady"]
            for library, about in libraries.items()
            if library in SHAPES and "steady" in about
        }
        for program, libraries in programs.items()
    }


def picture(programs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """All of the file."""
    found = speeds(programs)
    height = TOP + ROW * len(found) + 44
    title = "How many times as fast as grad(f) each library computes a value and gradient"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" role="img"><title>{title}</title><style>{STYLE}</style>'
        f'<rect class="ground" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
    )
    return "\n".join([head, *legend(found), *axis(found), *rows(found), "</svg>\n"])


def ends(found: Speeds) -> tuple[float, float]:
    """The logarithms between which all speeds lie, with some room."""
    every = [1.0, *(speed for row in found.values() for speed in row.values())]
    return log10(min(every)) - 0.12, log10(max(every)) + 0.12


def place(speed: float, found: Speeds) -> float:
    """Where a speed stands, from the left."""
    low, high = ends(found)
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(speed) - low) / (high - low)


def legend(found: Speeds) -> Iterator[str]:
    """The libraries that were measured, in two lines."""
    shown = [name for name in SHAPES if any(name in row for row in found.values())]
    x, y = 20.0, 24.0
    for name in shown:
        text = NAMES.get(name, name)
        width = 30 + 6.7 * len(text)
        if x + width > WIDTH - RIGHT:
            x, y = 20.0, y + 22
        yield mark(name, x + 6, y)
        yield f'<text x="{x + 17:.0f}" y="{y + 4:.0f}">{escape(text)}</text>'
        x += width


def axis(found: Speeds) -> Iterator[str]:
    """A line for each power of ten; that of the tape is stronger."""
    bottom = TOP + ROW * len(found)
    low, high = ends(found)
    for power in range(ceil(low), floor(high) + 1):
        x = place(10.0**power, found)
        kind = "one" if power == 0 else "grid"
        yield f'<path class="{kind}" d="M{x:.1f} {TOP - 8} V{bottom}"/>'
        said = "grad(f)" if power == 0 else f"{10.0**power:g} ×"
        yield f'<text class="small" x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{said}</text>'
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield (
        f'<text class="small" x="{middle:.0f}" y="{bottom + 35}" text-anchor="middle">slower ←  times'
        " as fast as grad(f) on NumPy  → faster</text>"
    )


def rows(found: Speeds) -> Iterator[str]:
    """The programs."""
    for k, (program, row) in enumerate(found.items()):
        y = TOP + ROW * (k + 0.5) - 4
        yield f'<text x="20" y="{y + 4:.0f}">{escape(program)}</text>'
        yield f'<path class="grid" d="M{LEFT} {y:.1f} H{WIDTH - RIGHT}"/>'
        for name, speed in sorted(row.items(), key=lambda each: list(SHAPES).index(each[0]))[::-1]:
            said = f"{program}, {NAMES.get(name, name)}: {speed:.3g} times as fast as grad(f)"
            yield mark(name, place(speed, found), y, said)


def mark(name: str, x: float, y: float, said: str = "") -> str:
    """The mark of a library, with what a pointer shows."""
    shape, kind = SHAPES[name]
    title = f"<title>{escape(said)}</title>" if said else ""
    at = f'transform="translate({x:.1f} {y:.1f})"'
    if shape in ("disc", "ring"):
        return f'<circle class="{kind} {shape}" r="{6 if shape == "disc" else 5}" {at}>{title}</circle>'
    paths = {
        "bar": "M-1.5 -8 h3 v16 h-3 z",
        "triangle": "M0 -6 l6 10.5 h-12 z",
        "diamond": "M0 -6.5 l6 6.5 l-6 6.5 l-6 -6.5 z",
        "square": "M-5 -5 h10 v10 h-10 z",
    }
    return f'<path class="{kind}" d="{paths[shape]}" {at}>{title}</path>'
