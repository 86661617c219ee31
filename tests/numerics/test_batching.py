"""Every sample of every rule for batching against one call per lane."""

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_py.rulesets.looped import LOOPED
from chainrules_py.testing import Settings, check_batching, load_shipped, samples_of
from chainrules_py.testing.samples.table import dtypes_of
from chainrules_py.values.identity import qualified_name

default_rules.load_all()
load_shipped()
PRIMALS = [
    primal
    for primal in dict.fromkeys(rule.primal for rule in default_rules.rules(modes=("batching",)))
    if dtypes_of(primal)
]
# the others wait for the `slow` tests: `check_rule` has seen them in those of the rules
SOONER = {np.add, np.exp, np.sum, np.max, np.matmul}
CASES = [
    pytest.param(primal, marks=() if primal in SOONER else pytest.mark.slow, id=name)
    for primal, name in zip(PRIMALS, map(qualified_name, PRIMALS), strict=True)
]


@pytest.mark.parametrize("primal", CASES)
def test_every_sample(primal):
    settings = Settings()
    for dtype in dtypes_of(primal):
        for sample in samples_of(primal, dtype):
            if sample.error is None:
                check_batching(primal, *sample.args, settings=settings, **sample.options)


COUNT = 91  # it may only fall


def test_the_list_of_looped_functions_may_only_become_shorter():
    listed = {name for names in LOOPED.values() for name in names}
    differentiable = {
        rule.primal
        for rule in default_rules.rules()
        if rule.differentiable and rule.function is not None and "rulesets" in rule.where
    }
    looped = {
        qualified_name(primal)
        for primal in differentiable
        if not any(default_rules.rules(primal, ("batching",)))
    }
    assert looped - listed == set()
    assert {*map(qualified_name, differentiable)} & listed - looped == set()
    assert len(listed) <= COUNT
    assert len(looped) <= 0.10 * len(differentiable)
