"""Write Python as text, each line with what the names in it stand for, and compile it.

    source = Source()
    with source.block("def doubled(x):"):
        source.write("return factor * x", factor=2)
    source.compile("doubled", "<an example>")(4)        # 8

A maker writes such text where a function for one pattern of arguments is faster than a closure for
all patterns. The condition under which a line is written stands around the `write` of that line,
and the objects that the line names are arguments of `write`.
"""

import linecache
import re
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.introspection import with_filename

_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


class Source:
    """Lines of Python that are being written; `scope` maps names in them to objects."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {}
        self._margin = ""

    def write(self, text: str, /, **names) -> None:
        """Add lines, without their common indentation, and what the names in them stand for.

        >>> source = Source()
        >>> source.write('''
        ...     if x < low:
        ...         return low
        ... ''', low=0)
        >>> source.lines, source.scope
        (['if x < low:', '    return low'], {'low': 0})
        """
        if "\n" not in text:
            self.lines.append(self._margin + text)
        else:
            lines = text.strip("\n").rstrip().split("\n")
            common = len(lines[0]) - len(lines[0].lstrip())
            self.add([line[common:] for line in lines])
        self.scope.update(names)

    def take(self) -> list[str]:
        """Return the lines that are written so far, and begin anew."""
        lines, self.lines = self.lines, []
        return lines

    def add(self, lines: Iterable[str]) -> None:
        """Add lines that were taken before."""
        self.lines += [self._margin + line for line in lines]

    @contextmanager
    def block(self, head: str, /, **names) -> Iterator[None]:
        """Write a line such as ``try:``, and indent what is written inside of the `with` block."""
        self.write(head, **names)
        outside, self._margin = self._margin, self._margin + "    "
        yield
        self._margin = outside

    def compile(self, name: str, origin: str) -> Function:
        """Compile the lines, and return the function called `name`.

        Tracebacks show `origin` in place of a file.
        """
        source = "\n".join(self.lines) + "\n"
        self.scope.setdefault("__name__", __name__)
        exec(with_filename(code_of(source), origin), self.scope)
        function: Function = self.scope[name]
        show_lines(function, source, origin)
        return function


# of functions that are gone: garbage may be collected while `linecache` goes over its entries
GONE: list[Any] = []


def show_lines(function: Function, source: str, origin: str) -> None:
    """Have tracebacks show the lines of a function that has no file, for as long as it lives."""
    gone = GONE[:]
    GONE.clear()
    for each in gone:
        hide_lines(each)
    entry = len(source), None, source.splitlines(keepends=True), origin
    linecache.cache[origin] = entry
    weakref.finalize(function, GONE.append, entry).atexit = False


def hide_lines(entry) -> None:
    """Take lines out again, unless a function of the same origin has brought its own."""
    cache: Any = linecache.cache
    if cache.get(entry[-1]) is entry:
        cache.pop(entry[-1], None)


@lru_cache(maxsize=1024)
def code_of(source: str) -> CodeType:
    """Compile a text; of those that were compiled lately, the code is used again.

    Rules for classes that differ only in what their names stand for have the same text: half of
    those that the tests of autograd have written. Compiling one takes 0.3 ms; making a copy for
    another origin takes 20 us.
    """
    return compile(source, "<written>", "exec")


def stem(primal) -> str:
    """Find a stem for the names of functions that are written for a primal."""
    name: str = getattr(primal, "__name__", "")
    return name if name.isidentifier() else "function"


def tuple_entries(names: Iterable[str]) -> str:
    """Write what stands between the parentheses of a tuple.

    >>> tuple_entries(["x"]), tuple_entries(["x", "y"]), tuple_entries([])
    ('x,', 'x, y,', '')
    """
    return ", ".join([*names, ""]).rstrip()


def words_of_body(body: Iterable[str]) -> set[str]:
    """List all names in the lines of a body, those that it defines among them, and no attributes.

    It takes a tenth of the time of `names_read`, which asks Python.

    >>> sorted(words_of_body(["y = sin(x)", "return y * x.size"]))
    ['return', 'sin', 'x', 'y']
    """
    return set(_NAME.findall("\n".join(body)))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Give names in an expression, but those of attributes, the names that they have elsewhere.

    >>> renamed("x * y.x", {"x": "x_1"})
    'x_1 * y.x'
    """
    return _NAME.sub(lambda found: names.get(found[0], found[0]), text)


def names_read(body: Iterable[str]) -> list[str]:
    """List the names that the body of a function reads and does not define, as they appear.

    >>> names_read(["y = sin(x)", "return y * x.size"])
    ['sin', 'x']
    """
    import symtable

    lines = ["def function():", *(f"    {line}" for line in body)]
    module = symtable.symtable("\n".join(lines), "names", "exec")
    function = module.get_children()[-1]  # before it, in Python 3.14, its annotations
    return [symbol.get_name() for symbol in function.get_symbols() if symbol.is_global()]
