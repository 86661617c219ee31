"""The makers write Python, which is compiled here so that tracebacks and debuggers show it."""

import linecache
import symtable
from collections.abc import Callable, Iterable
from typing import Any


def define(
    name: str, lines: Iterable[str], scope: dict[str, Any], origin: str
) -> Callable[..., Any]:
    """Compile the function called `name` from these lines; `origin` is what a traceback shows in
    place of a file.

    >>> define("doubled", ["def doubled(x):", "    return factor * x"], {"factor": 2}, "<an example>")(4)
    8
    """
    source = "\n".join(lines) + "\n"
    linecache.cache[origin] = (len(source), None, source.splitlines(keepends=True), origin)
    scope.setdefault("__name__", __name__)
    exec(compile(source, origin, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


def stem(primal: Any) -> str:
    """Find a stem for the names of functions that are written for a primal."""
    name: str = getattr(primal, "__name__", "")
    return name if name.isidentifier() else "function"


def names_read(*body: str) -> list[str]:
    """List the names that the body of a function reads and does not define, in the order of their
    appearance.

    >>> names_read("    y = sin(x)", "    return y * x.size")
    ['sin', 'x']
    """
    function = symtable.symtable(
        "\n".join(["def function():", *body]), "names", "exec"
    ).get_children()[0]
    return [symbol.get_name() for symbol in function.get_symbols() if symbol.is_global()]
