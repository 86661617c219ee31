"""`compare(f, x)`: what each engine makes of the gradient of a function at a point."""

import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from chainrules_engines.backends import engines as named_engines
from chainrules_engines.derivatives import Derivatives, derivatives
from chainrules_engines.layouts import Layout
from chainrules_py.engines import qualified_name
from chainrules_py.errors import said_by

SECONDS = 0.2  # that the calls of an engine take, beside the first one
COLUMNS = ("engine", "a call", "times f", "until the first", "memory", "off by", "at")


@dataclass(frozen=True)
class Row:
    """An engine: the seconds of a call and of the first one, its bytes, and by how much its gradient
    is off at the worst entry; or the error that it ends in.
    """

    engine: str
    gradient: Any = None
    seconds: float = np.inf
    first: float = np.inf
    memory: int = 0
    off: float = np.nan
    entry: str = ""
    error: str = ""

    def texts(self, seconds: float) -> tuple[str, ...]:
        """The row as people read it, beside the seconds of the function alone."""
        if self.error:
            return self.engine, self.error
        times = f"{self.seconds / seconds:.3g}"
        memory = f"{self.memory / 1024:,.0f} kB"
        call, first = duration(self.seconds), duration(self.first)
        return self.engine, call, times, first, memory, f"{self.off:.1e}", self.entry


@dataclass(frozen=True)
class Comparison:
    """The engines for a function at a point, the fastest first; `print` makes a table of it, and so
    does rich.
    """

    function: str
    seconds: float  # of the function alone
    rows: Sequence[Row]

    @property
    def title(self) -> str:
        """What is compared."""
        return (
            f"Value and gradient of {self.function}, of which a call takes {duration(self.seconds)}"
        )

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The rows as people read them; an engine that raised has its error alone."""
        return [row.texts(self.seconds) for row in self.rows]

    def __str__(self) -> str:
        lines = [COLUMNS, *self.texts]
        whole = [line for line in lines if len(line) == len(COLUMNS)]
        widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
        rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        return "\n".join([self.title, "", *rows])

    def __rich__(self) -> Any:
        from rich.table import Table

        table = Table(*COLUMNS, title=self.title)
        for line in self.texts:
            table.add_row(*line)
        return table


def compare(
    function: Callable[..., Any],
    *args: Any,
    engines: Iterable[Any] = (),
    argnums: int | tuple[int, ...] = 0,
    seconds: float = SECONDS,
) -> Comparison:
    """Compare the engines, all that have names unless some are given, by the value and gradient of a
    function at a point: with the gradient of the first that has one, the tape's as a rule.

    >>> compare(lambda x: np.sum(x**2), np.ones(2), engines=["tape", "differences"]).rows[1].error
    ''
    """
    chosen = tuple(engines) or tuple(named_engines())
    rows = [tried(function, args, engine, argnums, seconds) for engine in chosen]
    expected = next((row.gradient for row in rows if not row.error), None)
    compared = [row if row.error else beside(row, expected) for row in rows]
    alone = shortest(lambda: function(*args), seconds)
    fastest = sorted(compared, key=lambda row: row.seconds)
    return Comparison(qualified_name(function), alone, fastest)


def tried(
    function: Callable[..., Any], args: tuple[Any, ...], engine: Any, argnums: Any, seconds: float
) -> Row:
    """Measure an engine, or note why it cannot be."""
    name = engine if isinstance(engine, str) else getattr(engine, "name", repr(engine))
    begin = perf_counter()
    try:
        d = derivatives(function, engine, argnums=argnums)
        _, gradient = d.value_and_gradient(*args)
        first = perf_counter() - begin
        again = shortest(lambda: d.gradient(*args), seconds)
        return Row(name, gradient, again, first, bytes_of(d, args))
    except Exception as error:  # whatever an engine raises is its answer
        lines = said_by(error).splitlines()
        return Row(name, error=lines[0] if lines else type(error).__name__)


def shortest(call: Callable[[], Any], seconds: float) -> float:
    """The shortest time of a call, among as many as take some seconds, at least three."""
    found: list[float] = []
    while len(found) < 3 or sum(found) < seconds:
        begin = perf_counter()
        call()
        found.append(perf_counter() - begin)
    return min(found)


def bytes_of(d: Derivatives, args: tuple[Any, ...]) -> int:
    """The most memory of Python's and NumPy's that a call has at a time."""
    tracemalloc.start()
    try:
        d.gradient(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def beside(row: Row, expected: Any) -> Row:
    """A row with how far its gradient is off another one, relative to the largest entry of that."""
    layout = Layout(expected)
    own, others = layout.vector(row.gradient), layout.vector(expected)
    off = np.abs(own - others) / (np.max(np.abs(others), initial=0) or 1)
    if not off.size:
        return replace(row, off=0.0)
    worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    return replace(row, off=float(off[worst]), entry=layout.labels()[worst] if off[worst] else "")


def duration(seconds: float) -> str:
    """A time in the unit in which one reads it."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} µs"
