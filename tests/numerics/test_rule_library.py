"""The whole library against the kit: samples for every rule, tested keywords, no surviving mutant,
no false alarm.
"""

import numpy as np
import pytest
from scipy import linalg, sparse, stats

from chainrules_py import RuleConfig, RuleTable, default_rules
from chainrules_py.rulesets.draws import DRAWS, draws_of
from chainrules_py.rulesets.linalg.eigen_general import eig_for_values
from chainrules_py.rulesets.scipy.linalg.eigen_of_pairs import eig_but_for_phases, turns_of_phases
from chainrules_py.testing import (
    Case,
    Mutant,
    Sample,
    Settings,
    cases,
    load_shipped,
    mutation_gate,
    primals_of,
    unsampled,
    untested_keywords,
)
from chainrules_py.testing.mutation import is_killed
from chainrules_py.testing.samples import dtypes_of
from chainrules_py.values.identity import qualified_name, takes

default_rules.load_all()
load_shipped()
# Products with sparse matrices come with the first value of SciPy's;
# rulesets/test_sparse_products.py is their gate.
LATER = "rulesets/sparse_products.py"
SHIPPED = [
    rule for rule in default_rules.rules() if "rulesets" in rule.where and LATER not in rule.where
]
DRAWN = {*draws_of(DRAWS)}  # no two draws are the same: rulesets/test_draws.py has a state for each
# of pairs whose phases are open, or not seen: tests/numerics/scipy/test_linalg.py
APART = {*DRAWN, eig_but_for_phases, turns_of_phases}
APART |= {eig_for_values}  # which eigvals is made of, whose samples hold it
RULES = [rule for rule in SHIPPED if rule.overwrites is None and rule.primal not in APART]
PRIMALS = list(dict.fromkeys(rule.primal for rule in RULES))
# What an equation defines needs an engine that traces: cells of tests/shared/product/solving.py
# hold it to differences, and tests/numerics/scipy/test_equation_mutants.py is its gate. Options go to the
# solver: they steer iterations that nothing differentiates.
PLACES = (
    "scipy/optimize",
    "scipy/integrate",
    "functions/",
    "each_example.py",
    "programs.py",
    "ranks.py",
)
TRACED = {
    rule.primal
    for rule in RULES
    if rule.config is not RuleConfig and any(place in rule.where for place in PLACES)
}
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


ABANDONED = {(linalg.qr, "lwork"), (linalg.rq, "lwork")}  # SciPy 1.18 warns of it
ABANDONED |= {(stats.rv_discrete.rvs, "self")}
NORMAL = type(stats.multivariate_normal)
# refused, with what to write
ABANDONED |= {(np.unique, "axis"), (NORMAL.cdf, "lower_limit"), (NORMAL.logcdf, "lower_limit")}
# PROPACK's smallest ones are zeros, LOBPCG warns of small matrices
ABANDONED |= {(sparse.linalg.svds, "solver")}
# which are positions before a rule sees them
ABANDONED |= {
    (primal, name) for primal in PRIMALS if "_distn_" in qualified_name(primal) for name in "xqk"
}
# before SciPy 1.17
ABANDONED |= {(linalg.inv, name) for name in ("assume_a", "lower") if not takes(linalg.inv, name)}


def test_every_primal_has_samples():
    assert [
        qualified_name(primal) for primal in {*PRIMALS}.intersection(unsampled(default_rules))
    ] == []


def test_every_keyword_is_tested_or_refused():
    untested = untested_keywords(primal for primal in PRIMALS if primal not in TRACED)
    assert [
        str(keyword) for keyword in untested if (keyword.primal, keyword.name) not in ABANDONED
    ] == []


# what cannot be compared as it stands: see below
CALLED = {map: (np.sin,), np.vectorize.__call__: (np.vectorize(np.sin),)}
COMPARED = [primal for primal in PRIMALS if primal not in CALLED]
SOONER = [
    pytest.param(primal, marks=() if primal in CORE else pytest.mark.long) for primal in COMPARED
]


@pytest.mark.parametrize("primal", SOONER, ids=map(qualified_name, COMPARED))
def test_no_mutant_survives(primal):
    rules = [rule for rule in RULES if rule.primal is primal]
    report = mutation_gate(rules, default_rules)
    assert [str(mutant) for mutant in report.survivors] == []
    assert [str(rule) for rule in report.unreached] == []


@pytest.mark.long
@pytest.mark.parametrize("primal", CORE)
def test_no_right_rule_is_flagged_in_100_seeded_repetitions(primal):
    """One case per seed, of each dtype in turn, another one each time."""
    dtypes = dtypes_of(primal)
    for seed in range(100):
        turn, dtype = divmod(seed, len(dtypes))
        settings = Settings(
            seed=seed, second_order="where rules exist", layouts=turn % 4 == 0, dtypes=turn % 4 == 1
        )
        found = list(cases([primal], settings=settings, dtypes=[dtypes[dtype]]))
        found[turn % len(found)].run()


def test_primals_are_listed_once():
    assert len(primals_of(default_rules)) == len(set(map(id, primals_of(default_rules))))


def test_no_other_rule_needs_an_engine():
    assert {rule.primal for rule in RULES if rule.config is not RuleConfig} == TRACED


def mapped(function, *iterables):
    """`map` as a list, which is what its rule gives: iterators cannot be compared."""
    return list(map(function, *iterables))


@pytest.mark.parametrize("change", ["scaled", "negated"])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("primal", CALLED, ids=["map", "vectorize"])
def test_no_mutant_of_what_calls_a_function_survives(primal, mode, change):
    args = *CALLED[primal], np.array([[0.3, -0.7, 1.1], [0.5, 0.9, -0.2]])
    table = RuleTable(parent=default_rules)
    overlay = RuleTable(parent=table)
    settings = Settings(rules=overlay, layouts=False, dtypes=False, second_order="off")
    rule = default_rules.rule_for(mode, primal, tuple(map(type, args)))
    if primal is map:
        rule = table.add(rule.replaced(primal=mapped))
    case = Case(rule.primal, Sample(*args), "float64", mode, settings)
    case.run()
    assert is_killed(Mutant(rule, 1, change), [case], overlay)
