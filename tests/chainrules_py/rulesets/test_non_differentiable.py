"""Functions without a derivative: they run, and nothing flows through them."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, default_rules, frule, rrule
from chainrules_py.rulesets import non_differentiable
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_all

load_shipped()

RULES = [
    rule for rule in default_rules.rules() if rule.where.startswith(non_differentiable.__file__)
]
PRIMALS = list(dict.fromkeys(rule.primal for rule in RULES))


@parametrize_all(PRIMALS)
def test_rules(case):
    case.run()


@pytest.mark.parametrize("primal", [np.argmax, np.isnan, np.count_nonzero])
def test_the_cotangent_is_no_tangent(primal):
    assert rrule(primal, np.array([1.0, 2.0]))[1](ZERO) == (NO_TANGENT,)
    assert frule((np.ones(2),), primal, np.array([1.0, 2.0]))[1] is NO_TANGENT
