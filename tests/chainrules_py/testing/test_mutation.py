"""Samples that test a rule completely notice each deliberate change of it; those that do not are
reported.
"""

import numpy as np
import pytest

from chainrules_py import ZERO, HasReverseMode, ProjectTo, scalar_rule
from chainrules_py.testing import Sample, mutation_gate, samples, samples_for


def product(x, y):
    return x * y


def product_rrule(x, y):
    return x * y, lambda y_bar: (ProjectTo(x)(y_bar * np.conj(y)), ProjectTo(y)(y_bar * np.conj(x)))


def product_frule(dots, x, y):
    return x * y, dots[0] * y + x * dots[1]


def gate(rules):
    return mutation_gate(list(rules.rules(product)), rules)


def register(rules):
    rules.rrule.register(product)(product_rrule)
    rules.frule.register(product)(product_frule)


@pytest.fixture
def sampled(monkeypatch):
    """Samples for `product` that live as long as one test."""
    monkeypatch.setattr(samples, "_table", dict(samples._table))
    return lambda generate, **about: samples_for(product, **about)(generate)


def test_complete_samples_kill_every_mutant(rules, sampled):
    register(rules)
    sampled(lambda draw: [Sample(draw.any(3), draw.any(3))], dtypes=["float64", "complex128"])
    report = gate(rules)
    assert report.survivors == report.unreached == ()
    assert report.killed == 2 * 2 * 3  # modes, arguments, changes
    assert report.equivalent == 0


def test_an_argument_that_nobody_tests_lets_its_mutants_live(rules, sampled):
    register(rules)
    sampled(
        lambda draw: [Sample(np.ones(3), np.zeros(3)), Sample(draw.any(3), np.zeros(3))],
        dtypes=["float64"],
    )
    survivors = gate(rules).survivors
    assert {(m.rule.mode, m.argument, m.change) for m in survivors} == {
        (mode, 0, kind) for mode in ("forward", "reverse") for kind in ("scaled", "negated")
    }


def test_a_conjugate_that_changes_nothing_is_no_survivor(rules, sampled):
    register(rules)
    sampled(lambda draw: [Sample(draw.any(3), draw.real(3))], dtypes=["complex128"])
    report = gate(rules)
    assert report.survivors == ()
    assert report.equivalent == 2  # the partial with respect to x is the real y, in two modes


def signed(x, y):
    return np.sign(x) * y


def test_a_derivative_that_is_declared_zero_has_no_mutants(rules, sampled):
    scalar_rule(signed, "x, y", ZERO, "sign(x)", table=rules)
    samples_for(signed, dtypes=["float64"])(lambda draw: [Sample(draw.any(3), draw.any(3))])
    report = mutation_gate(list(rules.rules(signed)), rules)
    assert (report.killed, report.equivalent, report.survivors) == (4, 4, ())  # of y, of x


def test_rules_that_need_an_engine_are_left_to_check_engine(rules, sampled):
    def with_engine(x, y, *, config: HasReverseMode):
        raise AssertionError

    rules.rrule.register(product)(with_engine)
    sampled(lambda draw: [Sample(draw.any(3), draw.any(3))])
    assert gate(rules).unreached == ()


def test_a_rule_that_no_sample_reaches_is_told(rules, sampled):
    register(rules)
    assert len(gate(rules).unreached) == 2
