"""A word about axes is a rule for batching, for functions of users and in tables of their own."""

import numpy as np
from numpy.testing import assert_array_equal

from chainrules_py import axes_rule, default_rules, scalar_rule
from chainrules_py.rules.rule import Rule

X = np.linspace(0.1, 2.0, 24).reshape(2, 3, 4)


def test_facts_are_asked_for_once(rules):
    calls = []

    def rank(x):
        calls.append(x.shape)
        return x.ndim

    axes_rule(rank, kind="fact", table=rules)
    assert_array_equal(rules.batched(rank, (True,), X), [2, 2])
    assert calls == [(3, 4)]


def test_the_rule_says_its_word_and_where_it_stands(rules):
    def total(x, axis=None):
        return np.sum(x, axis)

    axes_rule(total, kind="reduces", table=rules)
    (rule,) = rules.rules(total, ("batching",))
    assert isinstance(rule, Rule)
    assert (rule.mode, rule.name, rule.axes.kind) == ("batching", "reduces", "reduces")
    assert "test_axes.py" in rule.where
    assert "batched: reduces at" in str(rules.explain(total, X))


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
