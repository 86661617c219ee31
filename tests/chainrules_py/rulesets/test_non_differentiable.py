"""Functions without a derivative: they run, and nothing flows through them."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, default_rules, frule, rrule
from chainrules_py.rulesets import draws
from chainrules_py.testing import cases, load_shipped

default_rules.load_all()
load_shipped()

# `where` has rules of both kinds
DECLARED = [
    rule.primal
    for rule in default_rules.rules()
    if not rule.differentiable and "rulesets" in rule.where and rule.primal is not np.where
]
PRIMALS = list(dict.fromkeys(DECLARED))
DRAWN = {
    getattr(source, name)
    for source in (np.random.Generator, np.random.RandomState)
    for name in draws.DRAWS
    if hasattr(source, name)
}


def test_all_are_held_to_differences_but_draws():
    without = {primal for primal in PRIMALS if next(cases([primal]), None) is None}
    assert without == DRAWN & {*PRIMALS}  # others have rules: test_draws


@pytest.mark.parametrize("primal", [np.argmax, np.isnan, np.count_nonzero])
def test_the_cotangent_is_no_tangent(primal):
    assert rrule(primal, np.array([1.0, 2.0]))[1](ZERO) == (NO_TANGENT,)
    assert frule((np.ones(2),), primal, np.array([1.0, 2.0]))[1] is NO_TANGENT
