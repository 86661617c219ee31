"""Calls that leave out arguments on which the rule dispatches: what rules are asked, and all engines.
Derivatives on the tape are cells of `product.converting`.
"""

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    Array,
    RuleTable,
    Scalar,
    default_rules,
    frule,
    primitive,
    rrule,
)
from chainrules_tape import grad
from engines_by_name import ENGINES
from product.converting import power
from slopes import quotients

X = np.array([0.3, 0.7])


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_in_all_engines(engine):
    f = engine.to(power)

    def calls(f, x):
        return f(x) * f(x=x) * f(x, 3.0) * f(x, factor=5.0)

    expected = quotients(lambda x: calls(power, x), X)
    for mode in engine.modes:
        for _ in range(2):  # the second call of a kind goes a shorter way
            found = engine.tower(mode, lambda x: calls(f, x))(engine.array(X))
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6, atol=1e-9)


class Model:
    """A class with a method that has a rule."""

    @primitive
    def predict(self, x, slope=4.0):
        return slope * x


@rrule.register(Model.predict)
def predict_rrule(model: Model, x: Array | Scalar, slope: Scalar):
    return slope * x, lambda y_bar: (NO_TANGENT, slope * y_bar, np.sum(y_bar * x))


def test_of_a_method():
    assert grad(lambda x: Model().predict(x))(3.0) == 4.0
    assert grad(lambda x: Model().predict(x, slope=5.0))(3.0) == 5.0


def test_a_rule_gives_a_cotangent_for_each_argument_that_was_passed():
    y, pullback = rrule(power, 2.0)
    assert (y, pullback(1.0)) == (12.0, (12.0,))
    assert rrule(power, 2.0, needs=(True,))[1](1.0) == (12.0,)
    x_bar, p_bar = rrule(power, 2.0, 1.0)[1](1.0)
    assert (x_bar, p_bar) == (3.0, pytest.approx(6 * np.log(2)))
    assert frule((1.0,), power, 2.0) == (12.0, 12.0)
    default = power.__wrapped__.__defaults__[0]  # the very object that p is by default
    assert frule((1.0,), power, default) == (12.0, 12.0)


def test_the_shortest_rule_that_fits_is_taken():
    rules = RuleTable(parent=default_rules)

    def f(x, a=1.0, b=2.0): ...

    @rules.rrule.register(f)
    def f_of_two(x: Scalar, a: Scalar): ...

    @rules.rrule.register(f)
    def f_of_three(x: Scalar, a: Scalar, b: Scalar): ...

    assert rules.canonical(f, (5.0,), {}) == (f, (5.0, 1.0), {})
    assert rules.canonical(f, (5.0, 6.0), {}) == (f, (5.0, 6.0), {})
    assert rules.canonical(f, (5.0,), {"b": 7.0}) == (f, (5.0, 1.0, 7.0), {})


def test_through_another_name_with_other_parameters():
    rules = RuleTable(parent=default_rules)

    def short(x): ...

    rules.alias(short, power, lambda x: ((x,), {}))
    assert rules.canonical(short, (2.0,), {}) == (power, (2.0, 2.0, 3.0), {})
    arrangement = rules.names.arrangement(short, 1, {})
    assert arrangement.arrange([2.0], {}) == ((2.0, 2.0, 3.0), {})


def test_a_rule_of_fewer_arguments_is_asked_with_fewer():
    """NumPy's functions dispatch on what their rules name; what else has a default stays away."""
    assert default_rules.canonical(np.sum, (X,), {})[1] == (X,)
    assert default_rules.canonical(np.trapezoid, (X,), {})[1] == (X,)
