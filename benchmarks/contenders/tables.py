"""What was measured of all libraries side by side, as tables for readers."""

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.contenders.turns import BASE
from benchmarks.contenders.worker import CONTENDERS, OURS
from benchmarks.markdown import seconds, table

Libraries = Mapping[str, Mapping[str, Any]]
Programs = Mapping[str, Libraries]
COMPILING = ("compiled", 'to="jax"', "advect", "JAX", "CasADi", "PyTensor")
WITH_JAX = {"asdex": "JAX"}  # what is built on another, and stands in its column


def known_table(programs: Programs) -> str:
    """The libraries side by side, on programs that readers know; the fastest are bold."""
    shown = columns(programs, CONTENDERS)
    rows = []
    for program, libraries in programs.items():
        found = in_columns(libraries, "steady")
        least = min(found.values())
        cells = (emphasised(found.get(name), least) for name in shown if name != BASE)
        rows.append((program, seconds(libraries[BASE]["seconds"]), *cells))
    return table(("program", "`grad(f)`", *(shown_name(n) for n in shown if n != BASE)), rows)


def waiting_table(programs: Programs) -> str:
    """How long it takes until a program is compiled, in calls of the tape."""
    shown = columns(programs, COMPILING)
    rows = []
    for program, libraries in programs.items():
        found = in_columns(libraries, "two")
        rows.append((program, *(rough(found.get(name)) for name in shown)))
    return table(("program", *map(shown_name, shown)), rows)


def columns(programs: Programs, names: Iterable[str]) -> list[str]:
    """Those libraries that were there when it was measured."""
    found = {name for libraries in programs.values() for name in libraries}
    return [name for name in names if name in found and name not in WITH_JAX]


def in_columns(libraries: Libraries, figure: str) -> dict[str, float]:
    """A figure of those that have it, by column."""
    return {
        WITH_JAX.get(name, name): about[figure]
        for name, about in libraries.items()
        if figure in about
    }


def shown_name(name: str) -> str:
    """The head of a column; what is code is shown as code."""
    return f"`{name}`" if name in OURS else name


def emphasised(value: float | None, least: float) -> str:
    """A ratio, in bold where nobody is faster by more than a twentieth."""
    if value is None:
        return "–"
    return f"**{value:.2g}**" if value <= 1.05 * least else f"{value:.2g}"


def rough(value: float | None) -> str:
    """A number of calls, to two digits."""
    return "–" if value is None else f"{float(f'{value:.2g}'):,.0f}"


def is_replaced(name: str, libraries: Libraries) -> bool:
    """Tell whether something that is built on a library stands in its column."""
    return any(of == name and "steady" in libraries.get(by, {}) for by, of in WITH_JAX.items())


def dashes(programs: Programs) -> str:
    """Why there are dashes, and which libraries were not there at all."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for program, libraries in programs.items():
        for name, about in libraries.items():
            if "left out" in about and name not in WITH_JAX and not is_replaced(name, libraries):
                reasons.setdefault((program, about["left out"]), []).append(shown_name(name))
    lines = [
        f"- {program}, {', '.join(names)}: {reason}" for (program, reason), names in reasons.items()
    ]
    present = {name for libraries in programs.values() for name in libraries}
    absent = [name for name in CONTENDERS if name not in present]
    if absent:
        lines.append(f"- Not installed where this was measured: {', '.join(absent)}.")
    return "Dashes:\n\n" + "\n".join(lines) + "\n" if lines else ""
