"""A rule by finite differences: near the derivative, announced, and never there unasked."""

import math
import warnings

import numpy as np
import pytest

import chainrules_tape
from chainrules_py import (
    NoRuleError,
    NotDifferentiableError,
    primitive,
    rrule,
)
from chainrules_py.testing import NumericalRuleWarning, UnsuitableCallError, numerical_rule

X = np.array([1.5, 2.5])


def scaled_lgamma(x, n, *, shift=0.0):
    """Something that no engine looks into."""
    return np.array([math.lgamma(v + shift) * n for v in x])


def digamma(x, step=1e-5):
    return (np.array([math.lgamma(v + step) for v in x]) - [math.lgamma(v - step) for v in x]) / (
        2 * step
    )


@pytest.mark.filterwarnings("ignore::chainrules_py.testing.NumericalRuleWarning")
def test_both_modes_are_near_the_derivative(rules):
    f = numerical_rule(scaled_lgamma, rules=rules)
    slope = chainrules_tape.grad(lambda x: np.sum(f(x, 3)), rules=rules)(X)
    assert slope == pytest.approx(3 * digamma(X), rel=1e-8)
    _, y_dot = chainrules_tape.jvp(lambda x: f(x, 3, shift=0.5), (X,), (np.ones(2),), rules=rules)
    assert y_dot == pytest.approx(3 * digamma(X + 0.5), rel=1e-8)
    jacobian = chainrules_tape.jacobian(lambda x: f(x, 2), rules=rules)(X)
    assert jacobian == pytest.approx(np.diag(2 * digamma(X)), rel=1e-8)


def test_it_warns_once(rules):
    f = numerical_rule(scaled_lgamma, rules=rules)
    slope = chainrules_tape.grad(lambda x: np.sum(f(x, 3)), rules=rules)
    with pytest.warns(NumericalRuleWarning, match="finite differences; write a rule"):
        slope(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slope(X)


@pytest.mark.filterwarnings("ignore::chainrules_py.testing.NumericalRuleWarning")
def test_second_derivatives_and_kinks_are_refused(rules):
    f = numerical_rule(scaled_lgamma, rules=rules)
    with pytest.raises(NotDifferentiableError, match="as at second order"):
        chainrules_tape.hessian(lambda x: np.sum(f(x, 3)), rules=rules)(X)
    g = numerical_rule(lambda x: math.fabs(x), rules=rules)
    with pytest.raises(NotDifferentiableError, match="slope -1 on the left and 1 on the right"):
        chainrules_tape.grad(g, rules=rules)(0.0)


def test_it_is_not_chosen_by_itself_and_replaces_no_rule(rules):
    @primitive
    def plain(x):
        return math.lgamma(x)

    with pytest.raises(NoRuleError):
        rrule(plain, 2.5)
    numerical_rule(scaled_lgamma, rules=rules)
    with pytest.raises(UnsuitableCallError, match="it has rules"):
        numerical_rule(scaled_lgamma, rules=rules)
    assert "numerical_rrule" in str(rules.explain(scaled_lgamma, X, 3))
