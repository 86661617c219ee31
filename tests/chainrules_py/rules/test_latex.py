"""Formulas for people: brackets where the reader needs them, and nowhere else."""

import numpy as np
import pytest

from chainrules_py import ZERO, RuleTable, default_rules, scalar_rule
from chainrules_py.rules.latex import latex

FORMULAS = {
    "x / (x*x + y*y)": r"\frac{x}{x^{2} + y^{2}}",
    "-(x + y) * z": r"-\left(x + y\right) \, z",
    "a - (b - c)": r"a - \left(b - c\right)",
    "a - b - c": r"a - b - c",
    "-x**2": r"-x^{2}",
    "(-x)**2": r"\left(-x\right)^{2}",
    "(x / y)**2": r"\left(\frac{x}{y}\right)^{2}",
    "x2 * x1 ** (x2 - 1)": r"x_{2} \, x_{1}^{x_{2} - 1}",
    "1 - out * out": r"1 - y^{2}",
    "0.5 / sqrt(x)": r"\frac{0.5}{\sqrt{x}}",
    "sign(x) * abs(pi)": r"\operatorname{sign}\left(x\right) \, \left|\pi\right|",
    "log_ndtr(x)": r"\operatorname{log\_ndtr}\left(x\right)",
    "(x == 0) & (y >= 0)": r"x = 0 \wedge y \ge 0",
    "x * -y": r"x \, \left(-y\right)",
    "x - -y": r"x - \left(-y\right)",
    "x * (-y * z)": r"x \, \left(-y \, z\right)",
    "x * ((y + z) * w)": r"x \, \left(y + z\right) \, w",
    "x * (y % z)": r"x \, \left(y \bmod z\right)",
    "x // y": r"\left\lfloor\frac{x}{y}\right\rfloor",
    "((x > 0) | (y > 0)) & (z > 0)": r"\left(x > 0 \vee y > 0\right) \wedge z > 0",
    "x @ y": r"\mathtt{x @ y}",
    "where(x > 0, 1, 0)": r"\begin{cases}1 & x > 0\\0 & \text{otherwise}\end{cases}",
}


@pytest.mark.parametrize(("expression", "formula"), FORMULAS.items())
def test_formulas(expression, formula):
    assert latex(expression) == formula


def test_a_rule_shows_its_formulas():
    table = RuleTable()
    scalar_rule(
        np.arctan2, "y, x", "x / (x*x + y*y)", lambda y, x: -y / (x * x + y * y), table=table
    )
    by_y, by_x = r"\frac{x}{x^{2} + y^{2}}", r"\frac{-y}{x^{2} + y^{2}}"
    expected = {"dy/dy": by_y, "dy/dx": by_x}
    assert all(rule.formulas() == expected for rule in table.rules(np.arctan2))


def test_a_rule_shows_its_expressions_as_python():
    table = RuleTable()
    scalar_rule(
        np.arctan2, "y, x", "x / (x*x + y*y)", lambda y, x: -y / (x * x + y * y), table=table
    )
    expected = {"dy/dy": "x / (x * x + y * y)", "dy/dx": "-y / (x * x + y * y)"}
    assert all(rule.expressions() == expected for rule in table.rules(np.arctan2))
    scalar_rule(np.tan, "x", "1 + out * out", table=table)
    assert next(table.rules(np.tan)).expressions() == {"dy/dx": "1 + y * y"}
    scalar_rule(np.sign, "x", ZERO, table=table)
    assert next(table.rules(np.sign)).expressions() == {"dy/dx": "0"}


def test_notebooks_get_formulas():
    shown = default_rules.explain(np.sin, 0.5)._repr_markdown_()
    assert str(default_rules.explain(np.sin, 0.5)) in shown
    assert r"$$\frac{\partial y}{\partial x} = \cos\left(x\right)$$" in shown
    assert "$$" not in default_rules.explain(np.matmul, np.eye(2), np.eye(2))._repr_markdown_()


def test_the_output_is_not_confused_with_an_argument_named_y():
    table = RuleTable()

    def halved(y, x):
        return y / 2

    scalar_rule(halved, "y, x", "out / y", ZERO, table=table)
    assert next(table.rules(halved)).formulas() == {"dy/dy": r"\frac{f}{y}", "dy/dx": "0"}
