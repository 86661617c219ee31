"""A function with a body has all rules, in the table and in engines, at every order."""

import numpy as np
import pytest

from chainrules_py import (
    ZERO,
    Array,
    BatchingError,
    RuleTable,
    Scalar,
    batched,
    composed,
    default_rules,
    frule,
    primitive,
    rrule,
    scalar_rule,
)
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_tape import grad

X = np.array([0.3, -1.2, 0.8, 2.1])


@primitive
def spread(x, y=None, *, power=1):
    """What nobody can look into: a plain array is asked for."""
    assert type(x) is np.ndarray
    weights = 1.0 if y is None else y
    return np.sum(weights * (x - np.mean(x)) ** (2 * power))


@composed(spread)
def spread_body(x: Array, y: ArrayLike | None = None, *, power: int = 1, xp):
    weights = 1.0 if y is None else y
    return xp.sum(weights * (x - xp.mean(x)) ** (2 * power))


def test_of_what_is_not_needed_nothing_is_said():
    _, pullback = rrule(spread, X, X + 2, needs=(False, True))
    assert repr(pullback(1.0)[0]) == "NO_TANGENT"
    assert frule((ZERO, ZERO), spread, X, X)[1] is ZERO


def test_what_operators_make_of_pythons_numbers_leaves_single_precision_alone():
    @primitive
    def scaled(x, k):
        return (k - 1) * x / 2**k

    composed(scaled)(lambda x, k: (k - 1) * x / 2**k)
    x = X.astype(np.float32)
    y, pullback = rrule(scaled, x, 3.0)
    x_bar, k_bar = pullback(np.ones_like(y))
    _, y_dot = frule((x, 1.0), scaled, x, 3.0)
    assert y.dtype == x_bar.dtype == y_dot.dtype == np.float32
    np.testing.assert_allclose(x_bar, 0.25, rtol=1e-6)
    assert k_bar == pytest.approx(np.sum(X) * (0.125 - 0.25 * np.log(2)), rel=1e-6)


def test_what_a_body_calls_has_the_rules_of_the_table_that_is_asked(rules):
    scalar_rule(np.subtract, "x, y", ("100.0", "0.0"), table=rules)
    assert rules.rrule(np.ptp, X)[1](1.0)[0].max() == 100
    assert rules.frule((np.ones_like(X),), np.ptp, X)[1] == 100
    assert rrule(np.ptp, X)[1](1.0)[0].max() == 1


def test_a_rule_of_an_overlay_comes_before_the_body(rules):

    @rules.rrule.register(spread)
    def spread_rrule(x: Array):
        return spread(x), lambda y_bar: (y_bar * np.full(x.shape, 7.0),)

    assert np.allclose(grad(spread, rules=rules)(X), 7)
    assert np.allclose(grad(spread)(X), 2 * (X - np.mean(X)))


@pytest.fixture
def stranger():
    """A table, and a function whose body in it branches, or makes a plain array."""

    def function(x, branch):
        return abs(x) if branch else x

    table = RuleTable(parent=default_rules, name="bodies")

    @composed(function, table=table)
    def body(x: Array | Scalar, *, branch: bool):
        return (x if x > 0 else -x) if branch else np.array(x)

    return table, function


def test_a_branch_of_a_body_is_that_of_the_value_and_refused_in_lanes(stranger):
    table, function = stranger
    assert table.rrule(function, np.float64(-2.0), branch=True)[1](1.0)[0] == -1
    with pytest.raises(BatchingError, match=r"numpy\.where"):
        table.batched(function, (True,), X, branch=True)


def test_a_plain_array_of_a_traced_value_is_refused_also_of_no_examples(stranger):
    table, function = stranger
    with pytest.raises(TypeError, match=r"numpy\.stack"):
        table.rrule(function, X, branch=False)
    with pytest.raises(TypeError, match=r"numpy\.stack"):
        table.batched(function, (True,), np.ones((0, 3)), branch=False)


def test_in_lanes_the_table_raises_what_all_examples_raise():
    weights = np.array([[1.0, 2.0], [1.0, -1.0]])
    with pytest.raises(BatchingError, match=r"ZeroDivisionError .* in lane 1 of 2"):
        batched(np.average, (True, False, True), np.ones((2, 2)), None, weights)
    with pytest.raises(ZeroDivisionError):
        batched(np.average, (True, False, True), np.ones((2, 2)), None, weights[[1, 1]])
