"""Taylor mode: its equations close, each rule runs once, and nothing of the program's is kept."""

import numpy as np
import pytest
from scipy import special

from chainrules_py import Array, RuleTable, Scalar, default_rules, linear_rule, primitive
from chainrules_tape import taylor
from chainrules_tape.series import coefficients
from chainrules_tape.series.level import Series


@pytest.fixture
def node_counts(monkeypatch):
    """How many nodes each expansion has had when it was closed."""
    counts = []
    close = Series.close

    def counted(level):
        counts.append(len(level.nodes))
        close(level)

    monkeypatch.setattr(Series, "close", counted)
    return counts


CLOSED = [
    *(np.sin, np.cos, np.tan, np.arctan, np.arcsin, np.exp, np.expm1, np.log, np.log1p, np.sqrt),
    *(np.cbrt, np.sinh, np.tanh, np.arcsinh, special.erf, special.expit),
    *(lambda x: x**2.5, lambda x: x**-2, lambda x: np.exp(x * np.sin(x))),
]


@pytest.mark.parametrize("f", CLOSED)
def test_the_number_of_nodes_does_not_depend_on_the_order(f, node_counts):
    taylor(f, 0.3, 5)
    taylor(f, 0.3, 12)
    assert node_counts[0] == node_counts[1] <= 20


def test_each_rule_runs_once():
    rules, calls = RuleTable(name="counting", parent=default_rules), []

    @primitive
    def bend(x):
        return np.sin(x)

    @rules.frule.register(bend)
    def bend_frule(dots: tuple, x: Array | Scalar):
        calls.append(x)
        return bend(x), np.cos(x) * dots[0]

    taylor(bend, 0.3, 9, rules=rules)
    assert len(calls) == 1


def test_results_that_are_looked_up_again_are_those_of_the_program():
    rules, calls = RuleTable(name="counting", parent=default_rules), []

    @primitive
    def bend(x):
        calls.append(x)
        return np.exp(2 * x)

    @rules.frule.register(bend)
    def bend_frule(dots: tuple, x: Array | Scalar):
        y = bend(x)
        return y, 2 * y * dots[0]

    found = taylor(bend, 0.3, 6, rules=rules)
    assert len(calls) == 1
    np.testing.assert_allclose(found, taylor(lambda x: np.exp(2 * x), 0.3, 6), rtol=1e-14)


def test_the_program_s_own_calls_are_all_made():
    rules, calls = RuleTable(name="counting", parent=default_rules), []

    @primitive
    def noted(x):
        calls.append(x)
        return 2 * x

    linear_rule(noted, lambda y_bar, x: 2 * y_bar, table=rules)
    assert taylor(lambda x: noted(x) + noted(x), 0.5, 2, rules=rules) == [2.0, 4.0, 0.0]
    assert len(calls) == 4  # twice each: for the value, and for the coefficient of t


def test_zero_counts_where_it_meets_infinity():
    # the coefficient of t is zero in the second entry, and the factor infinite
    factor = np.array([2.0, np.inf])
    found = taylor(lambda x: x * factor, np.ones(2), 2, np.array([1.0, 0.0]))
    np.testing.assert_array_equal(found, [[2, np.inf], [2, 0], [0, 0]])
    found = taylor(lambda x: np.matmul(np.diag(factor), x), np.ones(2), 1, np.array([1.0, 0.0]))
    np.testing.assert_array_equal(found[1], [2, 0])


def test_splits():
    assert [*coefficients.splits(2, 2)] == [(0, 2), (1, 1), (2, 0)]
    assert len([*coefficients.splits(4, 3)]) == 15


def test_nothing_is_kept_when_the_level_is_closed():
    kept = []
    taylor(lambda x: (kept.append(x), np.sin(x))[1], 0.3, 3)
    level = kept[0].level
    assert level.closed
    assert not (level.nodes)
    assert not (level.memo)
    assert not (level.constants)
