"""The whole library against the kit: samples for every rule, tested keywords, no surviving mutant, no false alarm."""

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_py.identity import qualified_name
from chainrules_py.testing import Settings, broken_keywords, cases, mutation_gate, primals_of, unsampled

default_rules.load_all()
RULES = [rule for rule in default_rules.rules() if "rulesets" in rule.where]
PRIMALS = list(dict.fromkeys(rule.primal for rule in RULES))
NAMES = [qualified_name(primal) for primal in PRIMALS]
CORE = [
    np.add,
    np.multiply,
    np.divide,
    np.exp,
    np.log,
    np.arctan2,
    np.absolute,
    np.maximum,
    np.sum,
    np.mean,
    np.matmul,
    np.linalg.inv,
]


def test_every_primal_has_samples():
    assert [qualified_name(primal) for primal in PRIMALS if primal in set(unsampled(default_rules))] == []


@pytest.mark.parametrize("primal", PRIMALS, ids=NAMES)
def test_every_keyword_is_tested_or_refused(primal):
    assert [str(keyword) for keyword in broken_keywords([primal])] == []


@pytest.mark.parametrize("primal", PRIMALS, ids=NAMES)
def test_no_mutant_survives(primal):
    report = mutation_gate([rule for rule in RULES if rule.primal is primal], default_rules)
    assert [str(mutant) for mutant in report.survivors] == []
    assert [str(rule) for rule in report.unreached] == []


@pytest.mark.parametrize("primal", CORE, ids=lambda primal: primal.__name__)
def test_no_right_rule_is_flagged_in_200_seeded_repetitions(primal):
    """One case per seed, another one each time."""
    for seed in range(200):
        settings = Settings(seed=seed, second_order="where rules exist", layouts=seed % 4 == 0, dtypes=seed % 4 == 1)
        found = list(cases([primal], settings=settings))
        found[seed % len(found)].run()


def test_primals_are_listed_once():
    assert len(primals_of(default_rules)) == len(set(map(id, primals_of(default_rules))))
