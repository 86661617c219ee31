"""The directive `api-names`: every name of the pages of the API, with the first sentence of its docstring."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PAGES = Path(__file__).parents[1] / "api"
ORDER = re.compile(r"^(\w+)$", re.MULTILINE)
LINE = re.compile(r"^# (.*)|^\.\. (?:currentmodule|auto(\w+)):: (\S+)", re.MULTILINE)

MARKS = re.compile(r"(`+[^`]*`+)|([*_|])")  # code, and what Markdown would read outside of it


class NameTable(SphinxDirective):
    """All names, a table for each page."""

    def run(self) -> list[nodes.Node]:
        """Write the tables as Markdown, and read that."""
        index = (PAGES / "index.md").read_text(encoding="utf-8")
        pages = ORDER.findall(index.partition(":maxdepth: 1")[2].partition("```")[0])
        return self.parse_text_to_nodes("\n".join(line for page in pages for line in lines(page)))


def lines(page: str) -> Iterator[str]:
    """The lines of Markdown of one page's table."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    yield f"\n**[{text.partition(chr(10))[0].removeprefix('# ')}]({page}.md)**\n\n| name | what it is |\n|---|---|"
    for module, kind, name in names(text):
        said = first_sentence(module, name, kind)
        yield f"| {{py:obj}}`{name} <{module}.{name}>` | {said} |"


def names(text: str) -> Iterator[tuple[str, str, str]]:
    """The module, kind and name of everything that a page has."""
    module = ""
    for _, kind, name in LINE.findall(text):
        if kind:
            yield module, kind, name
        elif name:
            module = name


def first_sentence(module: str, name: str, kind: str) -> str:
    """The first sentence of a docstring in one line, for a cell of a table; of data, the class."""
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if kind == "data":
        return f"`{type(found).__name__}`"
    paragraph = " ".join((inspect.getdoc(found) or "").partition("\n\n")[0].split())
    sentence = re.split(r"(?<=[.;:]) ", paragraph)[0].rstrip(";:")
    return MARKS.sub(lambda found: found[1] or rf"\{found[2]}", sentence)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("api-names", NameTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
