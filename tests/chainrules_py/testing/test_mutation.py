"""Samples that test a rule completely notice each deliberate change of it; those that do not are
reported.
"""

import numpy as np
import pytest

from chainrules_py import ZERO, HasReverseMode, ProjectTo, Tangent, Thunk, scalar_rule
from chainrules_py.testing import Sample, mutation_gate, samples, samples_for
from chainrules_py.testing.mutation import change


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


def test_the_table_is_left_as_it_was(rules, sampled):
    register(rules)
    before = [str(rule) for rule in rules.rules(product)]
    sampled(lambda draw: [Sample(draw.any(3), draw.any(3))])
    gate(rules)
    assert [str(rule) for rule in rules.rules(product)] == before


@pytest.mark.parametrize(
    ("kind", "expected"), [("scaled", 3 + 1.5j), ("negated", -2 - 1j), ("conjugated", 2 - 1j)]
)
def test_changes_go_through_structures(kind, expected):
    changed = change(kind, Tangent[tuple](2 + 1j, ZERO, Thunk(lambda: [2 + 1j])))
    assert (changed[0], changed[1], changed[2]) == (expected, ZERO, [expected])


def test_scaling_keeps_the_dtype():
    assert change("scaled", np.ones(2, np.float32)).dtype == np.float32


def test_a_seed_chooses_the_numbers_of_the_samples(rules, sampled):
    register(rules)

    def numbers_of(seed):
        drawn = []

        def generate(draw):  # a new one, for which samples are drawn anew
            drawn.append(draw.any(3))
            return [Sample(drawn[-1], draw.any(3))]

        sampled(generate, dtypes=["float64"])
        mutation_gate(list(rules.rules(product)), rules, seed=seed)
        (numbers,) = {tuple(x) for x in drawn}
        return numbers

    assert numbers_of(0) == numbers_of(0)
    assert numbers_of(0) != numbers_of(1)
