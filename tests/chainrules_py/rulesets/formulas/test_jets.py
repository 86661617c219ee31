"""Derivatives of functions of one number, of any order, by the table."""

import numpy as np
import pytest

from chainrules_py import NoRuleError, default_rules, primitive, scalar_rule
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


@pytest.mark.parametrize("order", range(5))
@pytest.mark.parametrize(
    ("function", "nth"),
    [
        (np.exp, lambda x, n: np.exp(x)),
        (np.sin, lambda x, n: np.sin(x + n * np.pi / 2)),
        (np.reciprocal, lambda x, n: (-1) ** n * [1, 1, 2, 6, 24][n] / x ** (n + 1)),
        (lambda x: x * np.exp(x), lambda x, n: (x + n) * np.exp(x)),
        (lambda x: 1 - x**3, lambda x, n: [1 - x**3, -3 * x**2, -6 * x, -6 + 0 * x, 0 * x][n]),
        (
            lambda x: np.where(x > 1, x * x, 2.0),
            lambda x, n: np.where(x > 1, [x * x, 2 * x, 2, 0, 0][n], 2.0 * (n == 0)),
        ),
        (lambda x: 7.0, lambda x, n: np.full(3, 7.0 * (n == 0))),
        (np.sign, lambda x, n: np.full(3, 1.0 * (n == 0))),
        (lambda x: np.exp(1j * x), lambda x, n: 1j**n * np.exp(1j * x)),
    ],
)
def test_derivatives_of_any_order(function, nth, order):
    np.testing.assert_allclose(
        derivative(function, X, order, np), nth(X, order), rtol=1e-13, atol=1e-13
    )


@pytest.mark.usefixtures("rule")
def test_a_function_with_a_rule_is_one_call():
    y = 0.5 / (1 + np.exp(-X))
    np.testing.assert_allclose(derivative(halved_logistic, X, 1, np), y * (1 - 2 * y))
    np.testing.assert_allclose(derivative(halved_logistic, X, 2, np), y * (1 - 2 * y) * (1 - 4 * y))


def test_a_function_without_a_rule_is_refused_by_name():
    unknown = np.frompyfunc(float, 1, 1)
    with pytest.raises(NoRuleError) as raised:
        derivative(lambda x: x * unknown(x), X, 1, np)
    assert raised.value.primal is unknown


def test_what_is_not_a_numpy_call_is_refused():
    with pytest.raises(AttributeError, match="numpy"):
        derivative(lambda x: x.mean(), X, 1, np)
