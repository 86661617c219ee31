"""The directive `speed-history`, which shows what the repository keeps of each version's speed."""

import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

sys.path.append(str(Path(__file__).resolve().parents[2]))

from benchmarks import history
from benchmarks.keeping import KEPT


class SpeedHistory(SphinxDirective):
    """A table for each pair of libraries, a line for each program."""

    def run(self) -> list[nodes.Node]:
        """Write the tables as HTML."""
        self.env.note_dependency(str(KEPT))
        text = "\n".join(history.tables(history.kept(), {}))
        return [nodes.raw("", f"<style>{history.TABLES}</style>\n{text}", format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("speed-history", SpeedHistory)
    return {"parallel_read_safe": True}
