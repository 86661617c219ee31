"""The history of every benchmark on one page, which needs nothing from anywhere: no network, no
server, no script.

First the ratios that are kept in the repository (`keeping` measures them), then what asv has
recorded on this machine.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from asv.results import iter_results
from asv.util import human_value

from benchmarks import figures
from benchmarks.figures import Figures, figures_of_benchmark
from benchmarks.ratios import BETWEEN
from benchmarks.targets import Key

KEPT = figures.ROOT / "benchmarks" / "results"
RATIO = (
    "value and gradient in units of a peer's: below 1 we are faster; differences below a fifth may"
    " be noise"
)
WIDTH, HEIGHT, EDGE = 360, 44, 6
STYLE = """
body { font: 14px system-ui, sans-serif; margin: 2em auto; max-width: 1000px; color: #1f2933 }
h2 { font-size: 15px; margin: 1.6em 0 .3em } td { padding: 1px 12px 1px 0 } td.figure { text-align: right; width: 7em }
td.name { width: 20em; color: #52606d; overflow-wrap: anywhere } .slower { color: #b3261e } .faster { color: #2e7d32 }
path { stroke: #d5dbe1 }
polyline { fill: none; stroke: #4a86c5; stroke-width: 1.5 } circle { fill: #4a86c5 } p, .note { color: #6b7785 }
"""
Commit = tuple[str, datetime]
History = dict[Commit, Figures]


def figures_by_commit() -> History:
    """Read the figures that asv recorded of each commit, the oldest first."""
    found: History = {}
    for results in sorted(iter_results(str(figures.RESULTS)), key=lambda results: results.date):
        commit = (results.commit_hash, datetime.fromtimestamp(results.date / 1000, UTC))
        for name in results.get_all_result_keys():
            found.setdefault(commit, {}).update(figures_of_benchmark(results, name))
    return found


def about_benchmarks() -> dict[str, dict[str, Any]]:
    """Read each benchmark's title and unit, among others, as asv stored them."""
    path = figures.RESULTS / "benchmarks.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: about for name, about in known.items() if isinstance(about, dict)}


def kept(folder: Path) -> History:
    """The ratios of each commit that are kept in the repository, the oldest first."""
    read: list[dict[str, Any]] = [
        json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")
    ]
    return {
        (each["commit"], datetime.fromisoformat(each["date"])): {
            (RATIO, tuple(place.split(BETWEEN))): value for place, value in each["ratios"].items()
        }
        for each in sorted(read, key=lambda each: datetime.fromisoformat(each["date"]))
    }


def page(parts: dict[str, History], about: dict[str, dict[str, Any]]) -> str:
    """The page as text: a part for each history that has figures, under its heading."""
    head = (
        '<!doctype html><html lang="en"><meta'
        f' charset="utf-8"><title>Benchmarks</title><style>{STYLE}</style>'
    )
    lead = "<h1>Benchmarks</h1><p>Lines begin at zero. Point at a dot to see its commit.</p>"
    body = [
        line
        for heading, history in parts.items()
        if history
        for line in part(heading, history, about)
    ]
    return "\n".join([head, lead, *(body or ["<p>no commit has figures yet</p>"]), "</html>\n"])


def part(heading: str, history: History, about: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The sections of one history, in alphabetical order."""
    commits = [f"{commit[:10]} of {date:%Y-%m-%d}" for commit, date in history]
    yield (
        f"<h1>{escape(heading)}</h1><p>{len(commits)} commits, from {commits[0]} to"
        f" {commits[-1]}.</p>"
    )
    keys: dict[str, list[Key]] = {}
    for place in dict.fromkeys(place for found in history.values() for place in found):
        keys.setdefault(place[0], []).append(place)
    for title, name in sorted(
        (about.get(name, {}).get("pretty_name") or name, name) for name in keys
    ):
        yield from section(title, about.get(name, {}), keys[name], history)


def section(
    title: str, about: dict[str, Any], keys: Iterable[Key], history: History
) -> Iterator[str]:
    """The table of one benchmark: a row for each combination of its parameters."""
    yield f'<h2 id="{escape(about.get("name", title))}">{escape(title)}</h2><table>'
    unit = about.get("unit", "")
    for key in keys:
        points = [(commit, found[key]) for (commit, _), found in history.items() if key in found]
        yield row(", ".join(key[1]), points, unit)
    yield "</table>"


def row(name: str, points: list[tuple[str, float]], unit: str) -> str:
    """The line of one figure, its newest value, and how far that is from the one before."""
    newest = points[-1][1]
    change = newest / points[-2][1] - 1 if len(points) > 1 and points[-2][1] else 0.0
    mark = "note"
    if abs(change) > 0.1:
        mark = "slower" if change > 0 else "faster"
    said = f'<td class="figure {mark}">{change:+.0%}</td>' if len(points) > 1 else "<td></td>"
    figure = f'<td class="figure">{shown(newest, unit)}</td>'
    return (
        f'<tr><td class="name">{escape(name)}</td><td>{line(points, unit)}</td>{figure}{said}</tr>'
    )


def line(points: list[tuple[str, float]], unit: str) -> str:
    """The figures of some commits as a line."""
    top = max((value for _, value in points), default=0.0) or 1.0
    step = (WIDTH - 2 * EDGE) / max(len(points) - 1, 1)
    places = [
        (EDGE + k * step, HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * value / top)
        for k, (_, value) in enumerate(points)
    ]
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{commit[:10]}:'
        f" {shown(value, unit)}</title></circle>"
        for (x, y), (commit, value) in zip(places, points, strict=True)
    )
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    zero = f'<path d="M{EDGE} {HEIGHT - EDGE} H{WIDTH - EDGE}"/>'
    return f'<svg width="{WIDTH}" height="{HEIGHT}">{zero}<polyline points="{joined}"/>{dots}</svg>'


def shown(value: float, unit: str) -> str:
    """A figure with its unit, as short as it is read."""
    return escape(human_value(value, unit))


def write(folder: Path) -> Path:
    """Write the page into a folder."""
    path = folder / "history.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = {
        "Ratios that are kept in the repository": kept(KEPT),
        "Measured on this machine": figures_by_commit(),
    }
    path.write_text(page(parts, about_benchmarks()), encoding="utf-8")
    return path
