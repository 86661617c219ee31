"""Python that the makers write: compiled so that tracebacks and debuggers show it."""

import linecache
import symtable
from collections.abc import Callable, Iterable
from typing import Any


def define(name: str, lines: Iterable[str], scope: dict[str, Any], origin: str) -> Callable[..., Any]:
    """The function called `name` that these lines define; `origin` is what a traceback shows in place of a file.

    >>> define("doubled", ["def doubled(x):", "    return factor * x"], {"factor": 2}, "<an example>")(4)
    8
    """
    source = "\n".join(lines) + "\n"
    linecache.cache[origin] = (len(source), None, source.splitlines(keepends=True), origin)
    exec(compile(source, origin, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


def stem(primal: Any, otherwise: str) -> str:
    """What the functions written for a primal are called after."""
    name: str = getattr(primal, "__name__", otherwise)
    return name if name.isidentifier() else otherwise


def names_read(*body: str) -> list[str]:
    """The names that the body of a function reads and does not define, in the order of their appearance.

    >>> names_read("    y = sin(x)", "    return y * x.size")
    ['sin', 'x']
    """
    function = symtable.symtable("\n".join(["def function():", *body]), "names", "exec").get_children()[0]
    return [symbol.get_name() for symbol in function.get_symbols() if symbol.is_global()]


def indented(lines: Iterable[str]) -> list[str]:
    """The lines of a block."""
    return [f"    {line}" for line in lines]


def strictly(body: Iterable[str], carefully: str) -> list[str]:
    """The body of a function, computed strictly (see `strictness`), and what it returns where that raises."""
    return [
        "    token = strict()",
        "    try:",
        "        try:",
        *indented(indented(body)),
        "        finally:",
        "            relax(token)",
        "    except FloatingPointError:",
        f"        return {carefully}",
    ]
