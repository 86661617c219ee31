"""The table of errors of special functions: its figures hold, and every function is there."""

import re
from pathlib import Path

import pytest

pytest.importorskip("mpmath")
pytest.importorskip("scipy")

from benchmarks import special_accuracy as accuracy

DOCUMENT = (
    Path(__file__).parents[2].joinpath("docs", "special_functions.md").read_text(encoding="utf-8")
)
FIGURE = re.compile(r"^\| `(\w+)` +\| +its (argument|parameter) \| +(\S+) \|$", re.MULTILINE)
FIGURES = {
    (name, what == "parameter"): float(figure) for name, what, figure in FIGURE.findall(DOCUMENT)
}


@pytest.mark.parametrize(
    "row", [("erfcx", False), ("gammaln", False), ("betainc", True), ("ive", False), ("jv", True)]
)
def test_figures_hold(row):
    assert accuracy.worst_error(*row) <= 4 * FIGURES[row] + 1e-15


def test_every_figure_is_small():
    assert max(FIGURES.values()) < 1e-9


def test_every_function_is_in_the_document():
    assert [name for name in accuracy.functions() if f"`{name}`" not in DOCUMENT] == []
