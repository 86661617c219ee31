"""Quick calls and general ones give the same derivatives; an argument that occurs twice is two
arguments.
"""

import numpy as np
import pytest

from chainrules_autograd.planned import forward, general_forward, general_reverse, reverse
from chainrules_py import RuleTable, default_rules, frule, rrule

a, b = np.array([1.0, 2.0]), np.array([3.0, 5.0])
g = np.array([0.3, -0.7])


@pytest.mark.parametrize(
    ("primal", "mine"), [(np.divide, (0, 1)), (np.power, (1,)), (np.outer, (0,))]
)
def test_the_quick_way_and_the_general_one_agree_with_the_rule(primal, mine):
    y, pull = rrule(primal, a, b)
    seed = np.full_like(y, 0.3)
    wanted = [pull(seed)[n] for n in mine]
    for ans in (None, y):
        found = reverse(primal, mine, ans, [a, b], {}, default_rules)[1](seed)
        assert all(map(np.allclose, found, wanted))
    assert all(
        map(np.allclose, general_reverse(primal, mine, [a, b], {}, default_rules)(seed), wanted)
    )
    dots = tuple(g if n in mine else np.zeros(2) for n in range(2))
    wanted = frule(dots, primal, a, b)[1]
    assert np.allclose(
        forward(primal, mine, [g] * len(mine), y, [a, b], {}, default_rules)[1], wanted
    )
    assert np.allclose(
        general_forward(primal, mine, [g] * len(mine), [a, b], {}, default_rules), wanted
    )


def test_two_arguments_may_be_one_object():
    first, second = general_reverse(np.subtract, (0, 1), [a, a], {}, default_rules)(g)
    assert np.allclose(first, g)
    assert np.allclose(second, -g)


def test_a_call_whose_value_is_a_list_is_no_quick_one():
    call = (
        np.split,
        (0,),
        None,
        [a],
        {"indices_or_sections": 2},
        RuleTable(parent=default_rules, name="lists"),
    )
    assert reverse(*call) is None
    assert reverse(*call) is None  # which the plan remembers, and does not run the rule to find out
