"""The directive `rule-table`, which writes the coverage page, and a page for each source file that
the table links to.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from formulas import mathml
from rule_rows import ENGINES, LIBRARIES, ROOT, Row, rows

MEASURED = [*(f"in {engine}" for engine in ENGINES), *(f"on {library}" for library in LIBRARIES)]
COLUMNS = ("function", "modes", "order", "partial derivatives", *MEASURED, "source")
FORM = """\
<form id="rule-search" role="search"><input type="search" placeholder="linalg solve" aria-label="Filter functions by name">
<output></output></form>"""


class RuleTable(SphinxDirective):
    """All functions with derivatives, a row for each."""

    def run(self) -> list[nodes.Node]:
        """Write the table as HTML."""
        found = list(rows())
        self.env.rule_files = sorted({row.file for row in found})
        head = "".join(f"<th>{column}</th>" for column in COLUMNS)
        body = "\n".join(map(line, found))
        table = (
            '<table id="rules"'
            f' class="table"><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>'
        )
        # the search of the site reads text alone, which the table is not
        names = nodes.paragraph("", ", ".join(row.name for row in found), classes=["for-search"])
        drawn = nodes.raw("", f'{FORM}\n<div class="rules">{table}</div>', format="html")
        return [names, drawn]


def line(row: Row) -> str:
    """Write one row."""
    partials = " ".join(f"<span>{formula(left, right)}</span>" for left, right in row.formulas)
    source = (
        f'<a href="source/{row.file}.html#line-{row.line}">{Path(row.file).name}:{row.line}</a>'
    )
    modes = " ".join(mode[0] if written else f"({mode[0]})" for mode, written in row.modes.items())
    if row.batches:
        modes += " b"
    code = f"<code>{breakable(row.name)}</code>"
    cells = [
        code,
        modes,
        row.order,
        f"<div>{partials}</div>",
        *row.engines.values(),
        *row.libraries.values(),
        source,
    ]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def breakable(name: str) -> str:
    """Write a dotted name so that a narrow column may break it."""
    return re.sub(r"([._])", r"\1<wbr>", escape(name))


def formula(left: str, right: str) -> str:
    """Write an equation as MathML, with fractions in full size."""
    return mathml(f"{left} = {right}").replace("<math ", '<math displaystyle="true" ', 1)


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each file with rules; each line has an anchor."""
    formatter = HtmlFormatter(lineanchors="line", linenos=False)
    for file in getattr(app.env, "rule_files", ()):
        text = (ROOT / file).read_text(encoding="utf-8")
        source = highlight(text, PythonLexer(), formatter)
        body = f"<h1>{Path(file).name}</h1><p><code>{file}</code></p>{source}"
        yield f"source/{file}", {"title": file, "body": body}, "page.html"


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive and the pages."""
    app.add_directive("rule-table", RuleTable)
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
