"""`compare(f, x)`: what each engine makes of the gradient of a function at a point."""

import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from timeit import default_timer, timeit
from typing import Any

import numpy as np

from chainrules_engines.backends import engines as named_engines
from chainrules_engines.derivatives import derivatives
from chainrules_engines.layouts import Layout
from chainrules_py.annotations import Args, Function
from chainrules_py.engines import qualified_name
from chainrules_py.errors import said_by
from chainrules_py.testing.jacobian_report import lines_in_columns
from chainrules_tape.arguments import Arguments

SECONDS = 0.2  # that the calls of an engine take, beside the first one
COLUMNS = ("engine", "a call", "times f", "until the first", "memory", "off by", "at, or why not")


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
    off: float = 0.0
    entry: str = ""
    error: str = ""

    def texts(self, alone: float) -> tuple[str, ...]:
        """The row as people read it, beside the seconds of the function alone."""
        if self.error:
            return self.engine, *[""] * 5, self.error
        times, memory = f"{self.seconds / alone:.3g}", f"{self.memory / 1024:,.0f} kB"
        off = f"{self.off:.1e}"
        return self.engine, time(self.seconds), times, time(self.first), memory, off, self.entry

    def beside(self, expected: Any) -> "Row":
        """This row with how far its gradient is off another one, relative to the largest entry of
        that.
        """
        layout = Layout(expected)
        own, others = layout.vector(self.gradient), layout.vector(expected)
        off = np.abs(own - others) / (np.max(np.abs(others), initial=0) or 1)
        if not np.any(off):
            return self
        worst = np.argmax(off)  # of nan, if there is one
        return replace(self, off=float(off[worst]), entry=layout.labels()[worst])


@dataclass(frozen=True)
class Comparison:
    """The engines for a function at a point, the fastest first; `print` makes a table of it, and so
    does rich.
    """

    title: str
    seconds: float  # of the function alone
    rows: Sequence[Row]

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The rows as people read them; an engine that raised has its error alone."""
        return [row.texts(self.seconds) for row in self.rows]

    def __str__(self) -> str:
        rows = lines_in_columns([COLUMNS, *self.texts], str.ljust)
        return "\n".join([self.title, "", *rows])

    def __rich__(self) -> Any:
        from rich.table import Table

        table = Table(*COLUMNS, title=self.title)
        for line in self.texts:
            table.add_row(*line)
        return table


def compare(
    function: Function,
    *args: Any,
    engines: Iterable[Any] = (),
    argnums: Arguments = 0,
) -> Comparison:
    """Compare the engines, all that have names unless some are given, by the value and gradient of a
    function at a point: with the gradient of the first that has one, the tape's as a rule.

    >>> compare(lambda x: np.sum(x**2), np.ones(2), engines=["tape", "differences"]).rows[1].error
    ''
    """
    rows = [tried(function, args, each, argnums) for each in tuple(engines) or named_engines()]
    expected = next((row.gradient for row in rows if not row.error), None)
    compared = [row if row.error else row.beside(expected) for row in rows]
    alone = shortest(lambda: function(*args))
    title = f"Value and gradient of {qualified_name(function)}, a call of which takes {time(alone)}"
    return Comparison(title, alone, sorted(compared, key=lambda row: row.seconds))


def tried(function: Function, args: Args, engine: Any, argnums: Arguments) -> Row:
    """Measure an engine, or note why it cannot be."""
    name = str(getattr(engine, "name", engine))
    begin = default_timer()
    try:
        d = derivatives(function, engine, argnums=argnums)
        _, gradient = d.value_and_gradient(*args)
        first = default_timer() - begin
        again = shortest(lambda: d.gradient(*args))
        return Row(name, gradient, again, first, bytes_of(lambda: d.gradient(*args)))
    except Exception as error:  # whatever an engine raises is its answer
        return Row(name, error=said_by(error).partition("\n")[0] or type(error).__name__)


def shortest(call: Callable[[], Any]) -> float:
    """The shortest time of a call, among as many as take `SECONDS`, at least three."""
    found: list[float] = []
    while len(found) < 3 or sum(found) < SECONDS:
        found.append(timeit(call, number=1))
    return min(found)


def bytes_of(call: Callable[[], Any]) -> int:
    """The most memory of Python's and NumPy's that a call has at a time."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def time(seconds: float) -> str:
    """A time as it stands in a column: in one unit, for all are compared."""
    return f"{1e6 * seconds:,.1f} µs"
