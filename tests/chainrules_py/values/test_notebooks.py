"""What notebooks show of objects: well-formed tables, in which no text becomes markup."""

from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
import pytest

from chainrules_py import RuleTable, Tangent, default_rules, explain, scalar_rule
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.jacobian_report import JacobianPair
from chainrules_py.values.notebooks import html_table, in_short


class Open:
    """An object whose class does not tell its fields."""


@dataclass
class Point:
    x: float
    y: object


def rule():
    return next(rule for rule in default_rules.rules(np.divide) if rule.mode == "reverse")


def pair():
    oracle = np.array([[1.0, 2.0], [3.0, 4.0]])
    return JacobianPair(
        "x",
        Layout(np.ones(2)),
        Layout(np.ones(2)),
        oracle + [[0.0, 0.0], [0.5, 0.0]],
        oracle,
        0 * oracle,
    )


def own_table():
    table = RuleTable(name="<mine>")
    scalar_rule(np.sin, "x", "cos(x)", table=table)
    return table


SHOWN = {
    "a tangent of a dict": lambda: Tangent[dict]({"<w>": np.ones((2, 3))}),
    "a tangent of a tuple": lambda: Tangent[tuple](1.0, "<script>"),
    "a tangent of a dataclass": lambda: Tangent[Point](x=1.0, y=Tangent[tuple]("&")),
    "a tangent of an object": lambda: Tangent[Open](a=1.0),
    "a rule": rule,
    "a table": own_table,
}


def html_of(x):
    """What IPython would show: nothing of objects that answer a name that nothing has."""
    assert getattr(x, "_ipython_canary_method_should_not_exist_", None) is None
    return x._repr_html_()


def cells(x):
    return [
        "".join(cell.itertext())
        for cell in ElementTree.fromstring(html_of(x)).iter()
        if cell.tag in ("td", "th", "caption")
    ]


@pytest.mark.parametrize("name", SHOWN)
def test_each_is_a_table_whose_texts_are_no_markup(name):
    tags = {element.tag for element in ElementTree.fromstring(html_of(SHOWN[name]())).iter()}
    assert tags <= {"table", "caption", "tr", "th", "td"}


def test_a_tangent_has_a_row_per_entry():
    assert cells(Tangent[dict]({"<w>": np.ones((2, 3))}))[-3:] == [
        "<w>",
        "float64[2, 3]",
        "[[1. 1. 1.] [1. 1. 1.]]",
    ]


def test_a_rule_has_its_formulas_and_its_place():
    found = cells(rule())
    assert found[0] == "rrule(numpy.divide)"
    assert rule().where in found
    assert found[found.index("dy/dx1") + 1] == f"${rule().formulas()['dy/dx1']}$"


def test_a_table_counts_functions_by_module():
    assert cells(own_table()) == [
        *("<RuleTable <mine>: 2 rules>, loaded so far", "functions of", "with rrule", "with frule"),
        *("numpy", "1", "1"),
    ]


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (pair, "<the Jacobian by x: 1 of 4 entries differ>"),
        (
            lambda: pair().worst(1e-6)[0],
            "<d out[1] / d x[0]: the rule has 3.5, the oracle 3, which differ by 0.5>",
        ),
        (rule, f"<{rule()}>"),
        (lambda: explain(np.sin, 1.0), str(explain(np.sin, 1.0))),
    ],
    ids=["pair", "discrepancy", "rule", "explanation"],
)
def test_texts_are_short(shown, text):
    assert repr(shown()) == text


def test_long_values_are_cut():
    kind, text = in_short(np.arange(1000))
    assert kind == "int64[1000]"
    assert len(in_short("x" * 1000)[1]) == 80
    assert text.startswith("[ 0 1 2")
    assert in_short(2.0) == ("float", "2.0")


def test_markup_in_texts_is_escaped():
    assert "<b>" not in html_table("<b>", ["<b>"], [["<b>", "'\""]])
