"""numpy.linalg as a whole: every function is classified, aliases mean what they say."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, default_rules, rrule
from chainrules_py.testing import check_rule

NO_RULE_YET: dict[str, str] = {}  # name: reason

FUNCTIONS = sorted(
    name
    for name in np.linalg.__all__
    if getattr(np.linalg, name) in default_rules or name in NO_RULE_YET
)
NON_DIFFERENTIABLE = {"matrix_rank"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_classified(name):
    function = getattr(np.linalg, name)
    rules = list(default_rules.rules(function))
    assert bool(rules) != (name in NO_RULE_YET)
    assert {rule.mode for rule in rules} == {"forward", "reverse"}
    assert all(rule.differentiable != (name in NON_DIFFERENTIABLE) for rule in rules)


def test_a_rank_does_not_move():
    assert rrule(np.linalg.matrix_rank, np.eye(3))[1](NO_TANGENT) == (NO_TANGENT,)


RNG = np.random.default_rng(0)
ALIASES = [
    (np.linalg.matmul, (RNG.normal(size=(2, 3)), RNG.normal(size=(3, 2))), {}),
    (np.linalg.matrix_transpose, (RNG.normal(size=(2, 3, 4)),), {}),
    (np.linalg.diagonal, (RNG.normal(size=(2, 3, 4)),), {}),
    (np.linalg.diagonal, (RNG.normal(size=(2, 3, 4)),), {"offset": -1}),
    (np.linalg.trace, (RNG.normal(size=(2, 3, 4)),), {"offset": 1}),
    (np.linalg.outer, (RNG.normal(size=2), RNG.normal(size=3)), {}),
    (np.linalg.cross, (RNG.normal(size=(2, 3)), RNG.normal(size=3)), {}),
    (np.linalg.cross, (RNG.normal(size=(3, 2)), RNG.normal(size=(3, 2))), {"axis": 0}),
    (np.linalg.tensordot, (RNG.normal(size=(2, 3, 4)), RNG.normal(size=(3, 4, 2))), {"axes": 2}),
    (np.linalg.vecdot, (RNG.normal(size=(2, 3)), RNG.normal(size=3)), {}),
    (np.linalg.vecdot, (RNG.normal(size=(3, 2)), RNG.normal(size=(3, 2))), {"axis": 0}),
]


@pytest.mark.parametrize(
    ("function", "args", "options"), ALIASES, ids=lambda value: getattr(value, "__name__", None)
)
def test_aliases_mean_the_same(function, args, options):
    primal, canonical, kept = default_rules.canonical(function, args, options)
    np.testing.assert_array_equal(primal(*canonical, **kept), function(*args, **options))
    check_rule(function, *args, **options)
