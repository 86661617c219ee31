"""A word about axes is a rule for batching, for functions of users and in tables of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from chainrules_py import axes_rule, default_rules, scalar_rule
from chainrules_py.batching import loop
from chainrules_py.errors import RegistrationError
from chainrules_py.rules.rule import Rule

X = np.linspace(0.1, 2.0, 24).reshape(2, 3, 4)


@pytest.fixture
def no_loop(monkeypatch):
    """A loop fails the test."""

    def fail(where, results):
        raise AssertionError(f"{where} was a loop")

    monkeypatch.setattr(loop, "stacked", fail)


@pytest.mark.usefixtures("no_loop")
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
def test_reductions_count_axes_in_one_example(rules, axis):
    def largest(x, axis=None):
        return np.max(x, axis=axis)

    axes_rule(largest, kind="reduces", table=rules)
    found = rules.batched(largest, (True,), X, axis=axis)
    assert_array_equal(found, np.stack([largest(x, axis) for x in X]))


@pytest.mark.usefixtures("no_loop")
@pytest.mark.parametrize("lanes", [(True, True), (True, False), (False, True)])
def test_elementwise_functions_align_ranks(rules, lanes):
    def bent(x, y):
        return np.tanh(x) * y

    axes_rule(bent, kind="elementwise", table=rules)
    x = X if lanes[0] else X[0]
    y = X[:, 0] if lanes[1] else X[0, 0]
    found = rules.batched(bent, lanes, x, y)
    expected = [bent(x[k] if lanes[0] else x, y[k] if lanes[1] else y) for k in range(2)]
    assert_allclose(found, expected)


def test_facts_are_asked_for_once(rules):
    calls = []

    def rank(x):
        calls.append(x.shape)
        return x.ndim

    axes_rule(rank, kind="fact", table=rules)
    assert_array_equal(rules.batched(rank, (True,), X), [2, 2])
    assert calls == [(3, 4)]


@pytest.mark.usefixtures("no_loop")
def test_stacks_of_matrices(rules):
    def inverse(a):
        return np.linalg.inv(a)

    axes_rule(inverse, kind="stacked", core=(2,), table=rules)
    a = X[:, :, :3] + 5 * np.eye(3)
    assert_allclose(rules.batched(inverse, (True,), a), np.stack(list(map(np.linalg.inv, a))))


def test_the_rule_says_its_word_and_where_it_stands(rules):
    def total(x, axis=None):
        return np.sum(x, axis)

    axes_rule(total, kind="reduces", table=rules)
    (rule,) = rules.rules(total, ("batching",))
    assert isinstance(rule, Rule)
    assert (rule.mode, rule.name, rule.axes.kind) == ("batching", "reduces", "reduces")
    assert "test_axes.py" in rule.where
    assert "batched: reduces at" in str(rules.explain(total, X))


def test_a_word_that_there_is_not_is_refused_with_those_that_are():
    with pytest.raises(RegistrationError, match="'reduces'"):
        axes_rule(np.sum, kind="reduced")
    with pytest.raises(RegistrationError, match="axes") as caught:
        axes_rule(np.sum, kind="reduces", along=1)
    assert "along=" in str(caught.value)


def test_an_overlay_does_not_change_its_parent(rules):
    before = list(default_rules.rules(np.sinc, ("batching",)))
    axes_rule(np.sinc, kind="fact", table=rules)
    assert list(default_rules.rules(np.sinc, ("batching",))) == before


def test_a_scalar_rule_is_a_word(rules):
    calls = []

    def clipped(x):
        calls.append(np.shape(x))
        return np.maximum(x, 0.5)

    scalar_rule(clipped, "x", "1.0 * (x > 0.5)", table=rules)
    assert_array_equal(rules.batched(clipped, (True,), X), np.maximum(X, 0.5))
    assert calls == [(2, 3, 4)]
    assert_array_equal(rules.batched(clipped, (True,), X[:, 0, 0]), np.maximum(X[:, 0, 0], 0.5))
    assert calls[1:] == [(2,)]


def test_a_function_of_numbers_alone_is_called_for_each(rules):
    def bent(x):
        return x if x > 0.5 else 0.5

    scalar_rule(bent, "x", "1.0 * (x > 0.5)", table=rules)
    assert_array_equal(rules.batched(bent, (True,), X[:, 0, 0]), np.maximum(X[:, 0, 0], 0.5))
