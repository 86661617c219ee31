"""Derivatives of functions of one number, of any order, by the table."""

import numpy as np
import pytest

from chainrules_py import default_rules, primitive, scalar_rule
from chainrules_py.rules.rule import MODES
from chainrules_py.rulesets.formulas.jets import derivative

X = np.array([0.3, 0.7, 1.9])


@primitive
def halved_logistic(x):
    """A function with a rule of its own, which its body would not find: it leaves NumPy."""
    return np.array([0.5 / (1 + float(np.exp(-number))) for number in x])


@pytest.fixture
def rule():
    """Its rule, in the table that `derivative` asks for as long as one test runs."""
    scalar_rule(halved_logistic, "x", "out * (1 - 2*out)")
    yield
    for mode in MODES:
        default_rules.remove(mode, halved_logistic)


@pytest.mark.usefixtures("rule")
def test_a_function_with_a_rule_is_one_call():
    y = 0.5 / (1 + np.exp(-X))
    np.testing.assert_allclose(derivative(halved_logistic, X, 1, np), y * (1 - 2 * y))
    np.testing.assert_allclose(derivative(halved_logistic, X, 2, np), y * (1 - 2 * y) * (1 - 4 * y))
