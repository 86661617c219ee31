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
ROW = re.compile(r"^\| (1e-\d+) \| (.*) \| (.*) \|$", re.MULTILINE)
FIGURES = {
    (name, by_parameter): float(figure)
    for figure, *columns in ROW.findall(DOCUMENT)
    for by_parameter, column in zip((False, True), columns, strict=True)
    for name in re.findall(r"`(\w+)`", column)
}


@pytest.mark.parametrize(
    "row", [("erfcx", False), ("gammaln", False), ("betainc", True), ("ive", False), ("jv", True)]
)
def test_figures_hold(row):
    assert accuracy.worst_error(*row) <= FIGURES[row]


def test_every_figure_is_small():
    assert max(FIGURES.values()) <= 1e-9


def test_every_function_is_in_the_document():
    assert [name for name in accuracy.functions() if f"`{name}`" not in DOCUMENT] == []
