"""The rows of the coverage page: every differentiable primal has one, with its formulas and the
line of its rule.
"""

import importlib.util
import sys
from pathlib import Path

import pytest

from chainrules_py import default_rules

SITE = Path(__file__).parents[2] / "docs" / "_site"


@pytest.fixture(scope="module")
def rule_rows():
    spec = importlib.util.spec_from_file_location("rule_rows", SITE / "rule_rows.py")
    sys.modules["rule_rows"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["rule_rows"]


@pytest.fixture(scope="module")
def rows(rule_rows):
    return {row.name: row for row in rule_rows.rows()}


def test_functions_with_derivatives_have_a_row(rows, rule_rows):
    for name in (
        "numpy.sin",
        "numpy.linalg.svd",
        "scipy.special.jv",
        "scipy.signal.convolve",
        "scipy.optimize.brentq",
    ):
        assert rows[name].modes == {"reverse": True, "forward": True}
    assert "numpy.argmax" not in rows
    shipped = [
        rule for rule in default_rules.rules() if rule.where.startswith(str(rule_rows.RULESETS))
    ]
    differentiable = {
        rule.primal for rule in shipped if rule.differentiable and rule.function is not None
    }
    # the rules' own functions are left out
    assert 0 <= len(differentiable) - len(rows) < 0.08 * len(differentiable)


def test_formulas_are_the_rules(rows):
    assert rows["numpy.tanh"].formulas == ((r"\frac{\partial y}{\partial x}", "1 - y^{2}"),)
    assert rows["numpy.multiply"].formulas == (
        (r"\frac{\partial y}{\partial x_{1}}", "x_{2}"),
        (r"\frac{\partial y}{\partial x_{2}}", "x_{1}"),
    )
    assert rows["numpy.sort"].formulas == ()


def test_every_scalar_rule_has_formulas(rows, rule_rows):
    scalar = {rule.primal for rule in default_rules.rules() if rule.written_partials is not None}
    names = {rule_rows.public_name(primal) for primal in scalar}
    assert [name for name in names & rows.keys() if not rows[name].formulas] == []
    assert (
        rows["scipy.special.stdtrit"].formulas[1][1]
        == r"\frac{1}{\frac{\partial \operatorname{stdtr}}{\partial t}\left(\mathrm{df}, y\right)}"
    )
