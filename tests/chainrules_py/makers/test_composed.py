"""A function with a body has all rules, in the table and in engines, at every order."""

import numpy as np
import pytest

from chainrules_py import (
    ZERO,
    Array,
    BatchingError,
    RegistrationError,
    RuleTable,
    Scalar,
    batched,
    composed,
    default_rules,
    frule,
    primitive,
    rrule,
)
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.testing import Settings, check_rule
from chainrules_tape import grad, hessian, jacobian, jvp, taylor, vmap

X = np.array([0.3, -1.2, 0.8, 2.1])
ROWS = np.stack([X, 2 * X, X**2])


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


@primitive
def halves(x):
    return x[: len(x) // 2] * 2.0, x[len(x) // 2 :] * 3.0


@composed(halves)
def halves_body(x: Array):
    return np.sin(x[: len(x) // 2]), x[len(x) // 2 :] * 3.0


def by_hand(x):
    return np.sum((x - np.mean(x)) ** 2)


@pytest.mark.parametrize("args", [(X,), (X, X + 2), (X + 1j * X[::-1],)])
@pytest.mark.parametrize("power", [1, 2])
def test_the_rules_that_follow_are_right(args, power):
    check_rule(spread, *args, power=power)


def test_several_results():
    (y, z), pullback = rrule(halves, X)
    assert np.allclose(y, np.sin(X[:2]))
    assert np.allclose(z, 3 * X[2:])
    (x_bar,) = pullback((np.ones(2), np.ones(2)))
    assert np.allclose(x_bar, [*np.cos(X[:2]), 3, 3])
    assert np.allclose(grad(lambda x: np.sum(halves(x)[0]))(X), [*np.cos(X[:2]), 0, 0])


def test_of_what_is_not_needed_nothing_is_said():
    _, pullback = rrule(spread, X, X + 2, needs=(False, True))
    assert repr(pullback(1.0)[0]) == "NO_TANGENT"
    assert frule((ZERO, ZERO), spread, X, X)[1] is ZERO


def test_lists_are_arrays():
    y, pullback = rrule(spread, X, [1.0, 2.0, 3.0, 4.0])
    assert np.isclose(y, spread(X, np.arange(1.0, 5.0)))
    (_, bars) = pullback(1.0)
    assert np.allclose(list(bars), (X - X.mean()) ** 2)
    slopes = grad(lambda w: spread(X, [w, 2.0, w, 4.0]))(1.5)
    assert np.isclose(slopes, np.sum(((X - X.mean()) ** 2)[[0, 2]]))


@pytest.mark.parametrize("f", [spread, lambda x: rrule(spread, x)[0]], ids=["called", "by rule"])
def test_every_mode_of_the_tape(f):
    assert np.allclose(grad(f)(X), grad(by_hand)(X))
    assert np.allclose(hessian(f)(X), hessian(by_hand)(X))
    assert np.isclose(jvp(f, (X,), (X[::-1],))[1], jvp(by_hand, (X,), (X[::-1],))[1])
    assert np.allclose(vmap(f)(ROWS), [by_hand(x) for x in ROWS])
    assert np.allclose(vmap(grad(f))(ROWS), [grad(by_hand)(x) for x in ROWS])


def test_series_and_patterns():
    direction = np.ones(4)
    direction[0] = 2.0
    found = taylor(lambda t: spread(X + t * direction), 0.3, 3)
    assert np.allclose(found, taylor(lambda t: by_hand(X + t * direction), 0.3, 3))
    matrix = jacobian(lambda x: np.concatenate(halves(x)), sparse=True)(X)
    assert matrix.nnz == 4


def test_examples_in_lanes_by_the_table_alone():
    assert np.allclose(batched(spread, (True,), ROWS), [by_hand(x) for x in ROWS])
    found = batched(spread, (True, False), ROWS, X)
    assert np.allclose(found, [spread(x, X) for x in ROWS])
    y, z = batched(halves, (True,), ROWS)
    assert np.allclose(y, np.sin(ROWS[:, :2]))
    assert np.allclose(z, 3 * ROWS[:, 2:])


def test_a_rule_of_an_overlay_comes_before_the_body():
    mine = RuleTable(parent=default_rules, name="mine")

    @mine.rrule.register(spread)
    def spread_rrule(x: Array):
        return spread(x), lambda y_bar: (y_bar * np.full(x.shape, 7.0),)

    assert np.allclose(grad(spread, rules=mine)(X), 7)
    assert np.allclose(grad(spread)(X), grad(by_hand)(X))


def test_a_newer_rule_replaces_one_mode_of_a_body():
    @primitive
    def doubled(x):
        return 2 * np.asarray(x)

    @composed(doubled)
    def doubled_body(x: Array | Scalar):
        return x + x

    assert np.allclose(jacobian(doubled)(X), 2 * np.eye(4))
    rule = default_rules.rule_for("reverse", doubled, (np.ndarray,))
    assert rule is not None
    assert rule.body is not None
    assert "test_composed.py" in rule.where


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


def test_a_plain_array_of_a_traced_value_is_refused(stranger):
    table, function = stranger
    with pytest.raises(TypeError, match=r"numpy\.stack"):
        table.rrule(function, X, branch=False)


def test_composed_is_given_the_functions():
    with pytest.raises(RegistrationError, match="composed"):
        composed(3)(lambda x: x)


@pytest.mark.parametrize("x", [2.0, 1.0 - 2.0j, np.float64(2.0), np.complex128(1.0 - 2.0j)])
def test_numbers_of_python_and_of_numpy_are_differentiated(x):
    table = RuleTable(parent=default_rules)

    def squared(x):
        return np.multiply(x, x)

    composed(squared, table=table)(lambda x: np.multiply(x, x))
    _, pullback = table.rrule(squared, x)
    np.testing.assert_allclose(pullback(np.ones_like(x)[()])[0], 2 * np.conj(x))


def test_in_lanes_the_table_raises_what_all_examples_raise():
    weights = np.array([[1.0, 2.0], [1.0, -1.0]])
    with pytest.raises(BatchingError, match=r"ZeroDivisionError .* in lane 1 of 2"):
        batched(np.average, (True, False, True), np.ones((2, 2)), None, weights)
    with pytest.raises(ZeroDivisionError):
        batched(np.average, (True, False, True), np.ones((2, 2)), None, weights[[1, 1]])

    def is_refused(x):
        try:
            np.average(np.ones(2), weights=x)
        except ZeroDivisionError:
            return 1.0
        return 0.0

    with pytest.raises(BatchingError, match=r"ZeroDivisionError .* in lane 1 of 2"):
        vmap(is_refused)(weights)
    assert vmap(is_refused)(weights[[1, 1]]).tolist() == [1.0, 1.0]


BY_PARTS = {
    "the second half": lambda x: np.split(x, [2])[1] ** 2,
    "the last third": lambda x: np.split(x, [1, 2])[2] * 3.0,
    "both halves": lambda x: np.concatenate([part**2 for part in np.split(x, [1])[::-1]]),
    "singular values": lambda x: np.linalg.svd(np.outer(x, x) + np.diag(x))[1],
    "vectors and values": lambda x: np.abs(np.linalg.eigh(np.outer(x, x) + np.diag(x))[1]),
}


@pytest.mark.parametrize("body", BY_PARTS.values(), ids=BY_PARTS)
def test_parts_of_several_results(body):
    """By the table alone, whichever parts a body goes on with."""
    table = RuleTable(parent=default_rules)

    def of_parts(x):
        return body(x)

    composed(of_parts, table=table)(lambda x: body(x))
    check_rule(of_parts, np.array([1.5, 0.7, 2.2]), settings=Settings(rules=table))
