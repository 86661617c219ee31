"""A function of SciPy's has all rules by its own code, in the table and in engines, at every order."""

import numpy as np
import pytest
from scipy import signal, stats

from chainrules_py import RuleTable, default_rules, rrule
from chainrules_py.errors import OptionError
from chainrules_py.makers.by_source import by_source
from chainrules_py.testing import Settings, check_rule
from chainrules_tape import compiled, grad, vmap
from chainrules_tape.numpy.namespaces import interceptable

X = np.array([[0.3, 1.2, 0.8, 2.1], [2.0, 0.4, 3.0, 0.9]])


@pytest.fixture
def table():
    table = RuleTable(parent=default_rules, name="by source")
    by_source(stats.gzscore, table=table)
    by_source(stats.iqr, arguments=1, table=table)
    return table


def test_both_modes_orders_and_examples(table):
    check_rule(stats.gzscore, X, settings=Settings(rules=table, second_order="required"))


def test_examples_that_the_code_tells_apart(table):
    assert np.allclose(vmap(interceptable(stats.iqr), rules=table)(X), stats.iqr(X, axis=1))
    assert vmap(interceptable(stats.iqr), rules=table)(X[:0]).shape == (0,)


def test_options_beside_the_arguments_are_constants(table):
    assert rrule(stats.iqr, X, axis=1, rules=table)[0].shape == (2,)
    with pytest.raises(OptionError):
        rrule(stats.iqr, X, unknown=1, rules=table)


def test_it_compiles(recwarn):
    spectrum = interceptable(signal.welch)
    slope = grad(lambda x: np.sum(spectrum(x, nperseg=4)[1] ** 2))
    program = compiled(slope)
    assert all(np.allclose(program(x), slope(x), rtol=1e-12) for x in (*X, *X))
    assert recwarn.list == []


def test_it_is_explained(table):
    assert "by its own source" in str(table.explain(stats.gzscore, X))
    assert "test_by_source.py" in str(table.explain(stats.gzscore, X))
