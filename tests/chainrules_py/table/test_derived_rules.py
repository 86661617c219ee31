"""A rule in one mode is enough: the other follows, to any order, and `explain` says so."""

import math

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    Array,
    NoRuleError,
    RuleContractError,
    RuleTable,
    Scalar,
    Tangent,
    default_rules,
    primitive,
)
from chainrules_tape import explain, grad, hvp, jvp, vjp


@primitive
def reverse_only(x, c):
    return np.sin(x) * c


@default_rules.rrule.register(reverse_only)
def reverse_only_rrule(x: Array | Scalar, c: Array | Scalar):
    def reverse_only_pullback(y_bar):
        return np.cos(x) * c * y_bar, np.sum(np.sin(x) * y_bar)

    return np.sin(x) * c, reverse_only_pullback


@primitive
def forward_only(x, c):
    return np.sin(x) * c


@default_rules.frule.register(forward_only)
def forward_only_frule(dots, x: Array | Scalar, c: Array | Scalar):
    x_dot, c_dot = dots
    return np.sin(x) * c, np.cos(x) * c * x_dot + np.sin(x) * c_dot


X = np.array([0.3, 0.7])


@pytest.mark.parametrize("f", [reverse_only, forward_only])
def test_both_modes(f):
    y, y_dot = jvp(f, (X, 2.0), (np.ones(2), 1.0))
    np.testing.assert_allclose(y_dot, 2 * np.cos(X) + np.sin(X))
    x_bar, c_bar = vjp(f, X, 2.0)[1](np.ones(2))
    np.testing.assert_allclose(x_bar, 2 * np.cos(X))
    assert c_bar == pytest.approx(np.sum(np.sin(X)))
    np.testing.assert_allclose(jvp(lambda x: f(x, 2.0), (X,), (X,))[1], 2 * np.cos(X) * X)
    assert grad(f, 1)(0.3, 5.0) == pytest.approx(math.sin(0.3))


@pytest.mark.parametrize("f", [reverse_only, forward_only])
def test_higher_orders(f):
    assert grad(grad(grad(f)))(0.3, 1.0) == pytest.approx(-math.cos(0.3))
    assert jvp(grad(f), (0.3, 1.0), (1.0, 0.0))[1] == pytest.approx(-math.sin(0.3))
    np.testing.assert_allclose(hvp(lambda x: np.sum(f(x, 2.0)), X, X), -2 * np.sin(X) * X)


@primitive
def polar(z):
    return np.cos(z), np.sin(z), 7


def test_several_outputs_forward_from_reverse():
    rules = RuleTable(parent=default_rules)

    @rules.rrule.register(polar)
    def polar_rrule(z: Array | Scalar):
        def polar_pullback(y_bar):
            c_bar, s_bar, _ = y_bar
            return (s_bar * np.cos(z) - c_bar * np.sin(z),)

        return (np.cos(z), np.sin(z), 7), polar_pullback

    _, (c_dot, s_dot, n_dot) = jvp(polar, (0.3,), (2.0,), rules=rules)
    assert (c_dot, s_dot, n_dot) == (
        pytest.approx(-2 * math.sin(0.3)),
        pytest.approx(2 * math.cos(0.3)),
        NO_TANGENT,
    )


def test_several_outputs_reverse_from_forward():
    rules = RuleTable(parent=default_rules)

    @rules.frule.register(polar)
    def polar_frule(dots, z: Array | Scalar):
        (z_dot,) = dots
        return (np.cos(z), np.sin(z), 7), Tangent[tuple](
            -np.sin(z) * z_dot, np.cos(z) * z_dot, NO_TANGENT
        )

    _, pullback = vjp(polar, 0.3, rules=rules)
    assert pullback((1.0, 10.0, NO_TANGENT))[0] == pytest.approx(
        -math.sin(0.3) + 10 * math.cos(0.3)
    )


def test_explain_says_so():
    assert explain(reverse_only, X, 2.0).derived == {"forward"}
    assert explain(forward_only, X, 2.0).derived == {"reverse"}
    assert explain(np.sin, X).derived == set()
    assert "by linearity" in str(explain(forward_only, X, 2.0))


def test_no_rule_in_either_mode_is_an_error_for_the_mode_asked():
    @primitive
    def nobody(x):
        return x

    for mode, differentiate in (
        ("reverse", lambda: grad(nobody)(1.0)),
        ("forward", lambda: jvp(nobody, (1.0,), (1.0,))),
    ):
        with pytest.raises(NoRuleError) as caught:
            differentiate()
        assert (caught.value.mode, caught.value.primal) == (mode, nobody)


def test_an_array_is_no_tangent_of_a_list():
    @primitive
    def product(factors):
        return factors[0] * factors[1]

    @default_rules.rrule.register(product)
    def product_rrule(factors):
        return product(factors), lambda y_bar: (np.array([y_bar * factors[1], y_bar * factors[0]]),)

    with pytest.raises(RuleContractError) as caught:
        grad(lambda a, b: product([a, b]))(2.0, 3.0)
    assert (caught.value.rule.function, caught.value.argument) == (product_rrule, 0)
    np.testing.assert_array_equal(caught.value.value, [3.0, 2.0])
