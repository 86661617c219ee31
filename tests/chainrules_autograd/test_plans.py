"""Planned calls do not compute a known value again."""

import numpy as np
import pytest

from chainrules_autograd.plans import FORWARD, REVERSE
from chainrules_py import RuleTable, default_rules, linear_rule
from chainrules_py.engines import planned

x = np.ones(2)


@pytest.fixture
def table():
    return RuleTable(parent=default_rules, name="plans")


def test_a_known_value_is_not_computed_again(table):
    called = []

    def doubled(x):
        called.append(x)
        return 2 * x

    linear_rule(doubled, lambda y_bar, x: 2 * y_bar, table=table)
    value = 2 * x
    rule, args, options = planned(table, REVERSE[True], doubled, [x], {}, (0,))
    rule.tell(value, args, options)
    y, pull = rule.run(*args, **options)
    assert y is value
    assert pull(x)[0].tolist() == [2.0, 2.0]
    rule, args, options = planned(table, FORWARD[True], doubled, [x], {}, (0,))
    rule.tell(value, args, options)
    y, y_dot = rule.run((np.full(2, 5.0),), *args, **options)
    assert y is value
    assert y_dot.tolist() == [10.0, 10.0]  # the value at the tangent, of which nothing was known
    assert len(called) == 1


def test_a_method_of_a_ufunc_has_a_plan():
    rule, args, options = planned(default_rules, REVERSE[False], np.multiply.reduce, [x], {}, (0,))
    y, pull = rule.run(*args, **options)
    assert (y, pull(2.0)[0].tolist()) == (1.0, [2.0, 2.0])
