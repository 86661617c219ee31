"""The history of speed: on one page that needs nothing from anywhere, no network, no server, no script,
and in the documentation.

First what is kept in the repository (`keeping` measures it), a point for each version and for some
commits before the first, then what asv has recorded on this machine.
"""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from benchmarks.keeping import KEPT, all_kept
from benchmarks.markdown import seconds
from benchmarks.picture import NAMES
from benchmarks.targets import Key

# Which of ours is followed, against whom; below 1, ours is faster.
PAIRS = (
    ("tape", "by hand"),
    ("tape", "autograd"),
    ("tape", "PyTorch"),
    ("compiled", "by hand"),
    ("compiled", "CasADi"),
    ("compiled", "PyTensor"),
    ('to="jax"', "JAX"),
    ("tape", "asdex"),
)
WIDTH, HEIGHT, EDGE = 300, 40, 6
STYLE = """
:root { color-scheme: light dark; --text: #1f2933; --faint: #6b7785; --grid: #d5dbe1 }
:root { --line: #2f6fb0; --slower: #b3261e; --faster: #2e7d32 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e7eb; --faint: #9aa5b1; --grid: #3e4c59 }
  :root { --line: #6cb0f0; --slower: #ff8a80; --faster: #81c784 } }
body { font: 15px system-ui, sans-serif; margin: 2em auto; padding: 0 1em; max-width: 900px; color: var(--text) }
h1 { font-size: 22px } h2 { font-size: 16px; margin: 1.8em 0 .3em }
"""
# Of the tables alone, which stand in the documentation, too, on a light ground or a dark one.
TABLES = """
.speed { border-collapse: collapse; width: 100% }
.speed th, .speed td { padding: 2px 10px 2px 0; text-align: right; font-weight: normal; border: 0 }
.speed thead th { color: var(--faint, gray); font-size: 13px; border-bottom: 1px solid var(--grid, gray) }
.speed th:first-child { text-align: left; width: 17em; overflow-wrap: anywhere }
.speed th:nth-child(2), .speed td.line { text-align: left; width: 40% }
.speed svg { width: 100%; max-width: 300px; height: 40px; display: block }
.speed .slower { color: var(--slower, #d0453c) } .speed .faster { color: var(--faster, #3c9a45) }
.speed .note { color: var(--faint, gray) } .speed path { stroke: var(--grid, gray) }
.speed polyline { fill: none; stroke: var(--line, #3f8fd8); stroke-width: 1.5 }
.speed circle { fill: var(--line, #3f8fd8) }
@media (max-width: 640px) {
  .speed thead { display: none }
  .speed tr { display: flex; flex-wrap: wrap; align-items: baseline; margin-bottom: .6em }
  .speed th:first-child { width: 100% } .speed td.line { width: 100%; order: 3 } }
"""
HEADS = ("program", "over time", "before", "last", "change")
Figures = dict[Key, float]
History = dict[str, Figures]  # by the name of a version or a commit, with its day


def kept(folder: Path = KEPT) -> History:
    """The ratios that are kept in the repository, the oldest first."""
    return {
        f"{name} of {data['date'][:10]}": dict(ratios(data["programs"]))
        for name, data in all_kept(folder)
    }


def ratios(programs: dict[str, dict[str, Any]]) -> Iterator[tuple[Key, float]]:
    """What is followed, of one version."""
    for ours, peer in PAIRS:
        title = f"{NAMES.get(ours, ours)} / {NAMES.get(peer, peer)}"
        for program, libraries in programs.items():
            of_ours, of_peer = (libraries.get(name, {}).get("steady") for name in (ours, peer))
            if of_ours is not None and of_peer is not None:
                yield (title, (program,)), of_ours / of_peer


def page(parts: dict[str, History], about: dict[str, dict[str, Any]]) -> str:
    """The page as text: a part for each history that has figures, under its heading."""
    head = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Speed over time</title><style>{STYLE}{TABLES}</style>"
    )
    lead = "<h1>Speed over time</h1><p>Lines begin at zero. Point at a dot to see what it is.</p>"
    body = [
        line
        for heading, history in parts.items()
        if history
        for line in part(heading, history, about)
    ]
    return "\n".join([head, lead, *(body or ["<p>no commit has figures yet</p>"]), "</html>\n"])


def part(heading: str, history: History, about: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The tables of one history."""
    names = list(history)
    yield f"<h1>{escape(heading)}</h1><p>From {escape(names[0])} to {escape(names[-1])}.</p>"
    yield from tables(history, about)


def tables(history: History, about: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A table for each benchmark of a history, in the order in which they were met."""
    keys: dict[str, list[Key]] = {}
    for place in dict.fromkeys(place for found in history.values() for place in found):
        keys.setdefault(place[0], []).append(place)
    for name, places in keys.items():
        yield from section(name, about.get(name, {}), places, history)


def section(
    name: str, about: dict[str, Any], keys: Iterable[Key], history: History
) -> Iterator[str]:
    """The table of one benchmark: a row for each combination of its parameters."""
    title, unit = about.get("pretty_name") or name, about.get("unit", "")
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    yield f'<h2>{escape(title)}</h2><table class="speed"><thead><tr>{heads}</tr></thead><tbody>'
    for key in keys:
        points = [(commit, found[key]) for commit, found in history.items() if key in found]
        yield row(", ".join(key[1]), points, unit)
    yield "</tbody></table>"


def row(name: str, points: list[tuple[str, float]], unit: str) -> str:
    """The line of one figure, its last two values, and how far these are apart."""
    *_, before, last = (None, *(value for _, value in points))
    change = last / before - 1 if before else 0.0
    mark = "note" if abs(change) <= 0.1 else "slower" if change > 0 else "faster"
    said = f"{change:+.0%}" if before else ""
    return (
        f'<tr><th>{escape(name)}</th><td class="line">{line(points, unit)}</td>'
        f"<td>{shown(before, unit)}</td><td>{shown(last, unit)}</td>"
        f'<td class="{mark}">{said}</td></tr>'
    )


def line(points: list[tuple[str, float]], unit: str) -> str:
    """The figures of some versions as a line."""
    top = max((value for _, value in points), default=0.0) or 1.0
    step = (WIDTH - 2 * EDGE) / max(len(points) - 1, 1)
    places = [
        (EDGE + k * step, HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * value / top)
        for k, (_, value) in enumerate(points)
    ]
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{escape(name)}:'
        f" {shown(value, unit)}</title></circle>"
        for (x, y), (name, value) in zip(places, points, strict=True)
    )
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    zero = f'<path d="M{EDGE} {HEIGHT - EDGE} H{WIDTH - EDGE}"/>'
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}">{zero}<polyline points="{joined}"/>{dots}</svg>'


def shown(value: float | None, unit: str) -> str:
    """A figure with its unit, as short as it is read; nothing, where there is none."""
    if value is None:
        return ""
    if unit == "seconds":
        return seconds(value)
    return escape(f"{value:.3g} {unit}" if unit and unit != "ratio" else f"{value:.2f}")
