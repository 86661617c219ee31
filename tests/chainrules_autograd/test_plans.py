"""Calls of one kind are planned once, forgotten when a rule arrives, and do not compute a known
value again.
"""

import numpy as np
import pytest

from chainrules_autograd.plans import plan_for
from chainrules_py import RuleTable, default_rules, linear_rule, scalar_rule

x = np.ones(2)


@pytest.fixture
def table():
    return RuleTable(parent=default_rules, name="plans")


def test_a_plan_is_made_once_and_forgotten_with_its_rule(table):
    def f(x):
        return x * x

    def g(x):
        return x * x

    scalar_rule(f, "x", "2*x", table=table)
    first = plan_for(table, "reverse", f, [x], {}, (0,), False)
    assert plan_for(table, "reverse", f, [2 * x], {}, (0,), False) is first
    scalar_rule(g, "x", "2*x", table=table)
    assert plan_for(table, "reverse", f, [x], {}, (0,), False) is not first


@pytest.mark.parametrize(
    ("primal", "args", "options", "mine"),
    [
        (np.stack, ([x, x],), {}, (0,)),
        (np.sum, (x, None, None, None), {"keepdims": True}, (1,)),
        (np.argmax, (x,), {}, (0,)),
        (np.add.reduce, (x,), {}, (0,)),
        (lambda x: x, (x,), {}, (0,)),
    ],
    ids=["container", "option", "constant", "rewritten", "no rule"],
)
def test_what_is_not_simple_has_no_plan(primal, args, options, mine):
    assert plan_for(default_rules, "reverse", primal, args, options, mine, False) is None


def test_a_known_value_is_not_computed_again(table):
    called = []

    def doubled(x):
        called.append(x)
        return 2 * x

    linear_rule(doubled, lambda y_bar, x: 2 * y_bar, table=table)
    value = 2 * x
    y, pull = plan_for(table, "reverse", doubled, [x], {}, (0,), True)((), [x], {}, value)
    assert y is value
    assert pull(x)[0].tolist() == [2.0, 2.0]
    y, y_dot = plan_for(table, "forward", doubled, [x], {}, (0,), True)(
        ((np.full(2, 5.0),),), [x], {}, value
    )
    assert y is value
    assert y_dot.tolist() == [10.0, 10.0]  # the value at the tangent, of which nothing was known
    assert len(called) == 1
