"""What is remembered of a table, and when it is forgotten; user functions, higher-order rules,
debug mode.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    Array,
    HasForwardsMode,
    HasReverseMode,
    NoRuleError,
    RuleContractError,
    RuleTable,
    Scalar,
    debug_mode,
    default_rules,
    frule_via_ad,
    primitive,
    rrule_via_ad,
    scalar_rule,
)
from chainrules_tape import ClosureError, InPlaceError, grad, hessian, hvp, jacobian, jvp, vjp, vmap
from chainrules_tape.core.config import TapeConfig, engine_of


def test_rules_are_replaced_and_removed_between_calls():
    rules = RuleTable(parent=default_rules)
    assert grad(lambda x: x * x, rules=rules)(3.0) == 6.0

    @rules.rrule.register(np.multiply)
    def odd_multiply_rrule(x1: Array | Scalar, x2: Array | Scalar):
        return x1 * x2, lambda y_bar: (100.0, 1000.0)

    assert grad(lambda x: x * x, rules=rules)(3.0) == 1100.0
    assert grad(lambda x: x * x)(3.0) == 6.0
    rules.rrule.remove(np.multiply)
    assert grad(lambda x: x * x, rules=rules)(3.0) == 6.0


def test_each_call_signature_is_looked_up_once():
    def program(x):
        return np.sum(np.sin(x) * np.sin(x))

    grad(program)(np.ones(2))  # loads the rules: a table forgets its answers where one arrives

    rules = RuleTable(parent=default_rules)
    asked = []
    original = rules.resolve
    rules.resolve = lambda *args: asked.append(args) or original(*args)
    for _ in range(3):
        grad(program, rules=rules)(np.ones(2))
    assert len(asked) == 3
    assert engine_of(rules) is engine_of(rules)


def test_a_primitive_is_not_looked_into():
    @primitive
    def opaque(x):
        assert not hasattr(x, "level")
        return float(x) ** 2

    with pytest.raises(NoRuleError):
        grad(opaque)(3.0)

    @default_rules.rrule.register(opaque)
    def opaque_rrule(x: Array | Scalar):
        def opaque_pullback(y_bar):
            return (2.0 * x * y_bar,)

        return opaque(x), opaque_pullback

    assert grad(lambda x: opaque(x) * x)(3.0) == pytest.approx(27.0)
    assert opaque(3.0) == 9.0


@primitive
def apply_twice(f, x):
    return f(f(x))


@default_rules.rrule.register(apply_twice)
def apply_twice_rrule(f: Callable, x: Array | Scalar, *, config: HasReverseMode):
    inner, inner_pullback = rrule_via_ad(config, f, x)
    outer, outer_pullback = rrule_via_ad(config, f, inner)

    def apply_twice_pullback(y_bar):
        return NO_TANGENT, inner_pullback(outer_pullback(y_bar)[0])[0]

    return outer, apply_twice_pullback


@default_rules.frule.register(apply_twice)
def apply_twice_frule(dots, f: Callable, x: Array | Scalar, *, config: HasForwardsMode):
    inner, inner_dot = frule_via_ad(config, (dots[1],), f, x)
    return frule_via_ad(config, (inner_dot,), f, inner)


def test_rules_of_higher_order_functions_differentiate_what_they_are_given():
    x = np.array([0.3, 0.7])
    expected = np.cos(np.sin(x)) * np.cos(x)
    np.testing.assert_allclose(grad(lambda x: np.sum(apply_twice(np.sin, x)))(x), expected)
    np.testing.assert_allclose(
        jvp(lambda x: apply_twice(np.sin, x), (x,), (np.ones(2),))[1], expected
    )
    by_hand = hvp(lambda x: np.sum(np.sin(np.sin(x))), x, x)
    np.testing.assert_allclose(hvp(lambda x: np.sum(apply_twice(np.sin, x)), x, x), by_hand)


@pytest.mark.parametrize(
    "differentiate",
    [lambda f: grad(f)(2.0), lambda f: jvp(f, (2.0,), (1.0,))],
    ids=["reverse", "forward"],
)
def test_a_closure_that_the_rule_cannot_see_is_an_error(differentiate):
    with pytest.raises(ClosureError):
        differentiate(lambda x: apply_twice(lambda y: x * y, x))


def test_a_closure_over_an_outer_level_is_a_constant():
    def f(c):
        return grad(lambda x: apply_twice(lambda y: c * y, x))(5.0)

    assert f(3.0) == 9.0
    assert grad(f)(3.0) == 6.0


def test_debug_mode_checks_the_rules_that_a_tape_runs():
    @primitive
    def broken(x):
        return x * 2.0

    @default_rules.rrule.register(broken)
    def broken_rrule(x: Array):
        def broken_pullback(y_bar):
            return (np.ones(5),)

        return x * 2.0, broken_pullback

    x = np.ones(3)
    with debug_mode(), pytest.raises(RuleContractError):
        vjp(broken, x)[1](np.ones(3))
    with debug_mode():
        np.testing.assert_allclose(
            grad(lambda x: np.sum(np.sin(x) * x[0]))(x),
            vjp(lambda x: np.sum(np.sin(x) * x[0]), x)[1](1.0)[0],
        )
        assert jvp(np.sin, (0.0,), (1.0,))[1] == 1.0


@pytest.mark.parametrize("derivative", [grad, jacobian, hessian])
def test_debug_mode_checks_all_lanes(derivative):
    derived = derivative(lambda x: np.prod(np.sin(x)) + np.max(x))
    x = np.arange(1.0, 13.0).reshape(2, 2, 3)
    with debug_mode():
        found = vmap(vmap(derived))(x)
    np.testing.assert_allclose(found, vmap(vmap(derived))(x), rtol=1e-14)


def test_debug_mode_sees_a_pullback_that_differs_in_one_lane():
    @primitive
    def broken(x):
        return x * 2.0

    @default_rules.rrule.register(broken)
    def broken_rrule(x: Array):
        calls = []

        def broken_pullback(y_bar):
            calls.append(1)
            return (y_bar * np.where(x > 0, 2.0, len(calls)),)

        return x * 2.0, broken_pullback

    with debug_mode(), pytest.raises(RuleContractError, match="called twice"):
        vmap(grad(lambda x: np.sum(broken(x))))(np.array([[1.0], [-1.0]]))


def test_functions_that_return_pythons_numbers_are_primitives_at_any_order():
    rules = RuleTable(parent=default_rules)
    sine = primitive(math.sin)
    scalar_rule(sine, "x", "cos(x)", table=rules)
    assert grad(sine, rules=rules)(0.3) == pytest.approx(math.cos(0.3))
    assert grad(grad(sine, rules=rules), rules=rules)(0.3) == pytest.approx(-math.sin(0.3))
    assert jvp(sine, (0.3,), (2.0,), rules=rules)[1] == pytest.approx(2 * math.cos(0.3))


BROKEN = {
    "too few": lambda y_bar: (y_bar,),
    "too many": lambda y_bar: (y_bar, y_bar, y_bar),
    "none of it": lambda y_bar: None,
    "no tuple": lambda y_bar: y_bar,
    "None": lambda y_bar: (y_bar, None),
}


@pytest.mark.parametrize("pullback", BROKEN.values(), ids=list(BROKEN))
@pytest.mark.parametrize(
    "f",
    [lambda f, x: f(x, 2.0), lambda f, x: f(2.0, x), lambda f, x: f(x, x)],
    ids=["xc", "cx", "xx"],
)
def test_what_a_pullback_returns_is_counted(pullback, f):
    @primitive
    def product(x, y):
        return x * y

    @default_rules.rrule.register(product)
    def product_rrule(x, y):
        return x * y, pullback

    with pytest.raises(RuleContractError) as caught:
        grad(lambda x: np.sum(f(product, x)))(np.ones(2))
    assert caught.value.rule.function is product_rrule
    default_rules.rrule.remove(product)


def test_a_rule_without_a_pullback():
    @primitive
    def product(x, y):
        return x * y

    @default_rules.rrule.register(product)
    def product_rrule(x, y):
        return x * y

    with pytest.raises(RuleContractError) as caught:
        grad(product)(2.0, 3.0)
    assert caught.value.argument == "result"
    default_rules.rrule.remove(product)


def test_a_function_that_a_rule_was_given_writes_into_no_argument():
    def writing(x):
        x[0] = 1.0
        return x

    with pytest.raises(InPlaceError, match="write into a copy"):
        TapeConfig(default_rules).rrule_via_ad(writing, np.ones(2))
