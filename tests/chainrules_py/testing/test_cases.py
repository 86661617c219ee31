"""Each sample becomes one parameter of a test, with a name that says everything, and a rule without
samples is missed.
"""

import numpy as np
import pytest

from chainrules_py import OptionError
from chainrules_py.testing import (
    CheckFailure,
    MissingSamplesError,
    Sample,
    Settings,
    Tag,
    cases_of,
    samples_for,
    unsampled,
)
from chainrules_py.testing.cases import Case, outcome


def double(x, *, halves=1):
    return 2 * x / halves


@samples_for(double, dtypes=["float64"])
def double_samples(draw):
    yield Sample(draw.any(2))
    yield Sample(
        draw.any(2), options={"halves": 2}, error=OptionError, error_data={"option": "halves"}
    )


def double_rrule(x):
    return 2 * x, lambda y_bar: (2 * y_bar,)


def test_a_case_checks_the_modes_that_have_rules(rules):
    rules.rrule.register(double)(double_rrule)
    found = list(cases_of(double, settings=Settings(rules=rules)))
    assert [case.mode for case in found] == ["reverse", "reverse"]
    for case in found:
        case.run()


def test_an_error_call_must_raise_that_error_with_its_data(rules):
    rules.rrule.register(double)(
        lambda x, *, halves=1: (2 * x / halves, lambda y_bar: (2 * y_bar / halves,))
    )
    silent = list(cases_of(double, settings=Settings(rules=rules)))[1]
    with pytest.raises(CheckFailure) as caught:
        silent.run()
    assert caught.value.diagnosis.kind == "no-error"


def test_the_tags_of_a_sample_become_settings(rules):
    def kinked(x):
        return np.abs(x)

    @samples_for(kinked, dtypes=["float64"])
    def kinked_samples(draw):
        yield Sample(np.zeros(2), tags=[Tag.KINK], fixed=[3], second_order=False)

    rules.rrule.register(kinked)(double_rrule)
    (case,) = cases_of(kinked, settings=Settings(rules=rules))
    effective = case.effective_settings()
    assert (effective.conventions, effective.fixed, effective.second_order) == (True, (3,), "off")


def test_both_modes_of_a_sample_have_one_oracle(rules):
    seen = []

    def counted(x):
        seen.append(x)
        return 3 * x

    samples_for(counted, dtypes=["float64"])(
        lambda draw: [Sample(draw.any(2)), Sample(draw.any(2))]
    )
    rules.rrule.register(counted)(lambda x: (3 * x, lambda y_bar: (3 * y_bar,)))
    rules.frule.register(counted)(lambda dots, x: (3 * x, 3 * dots[0]))
    first, second, *_ = cases_of(counted, settings=Settings(rules=rules))
    first.run()
    count = len(seen)
    second.run()
    assert {first.mode, second.mode} == {"forward", "reverse"}
    assert len(seen) == count > 10


def test_what_single_precision_alone_gets_wrong_is_found_once(rules):
    def single(x):
        return 2 * x

    samples_for(single)(lambda draw: [Sample(draw.any(2))])
    rules.rrule.register(single)(
        lambda x: (2 * x, lambda y_bar: (y_bar * (3 if x.dtype == np.float32 else 2),))
    )
    relaxed = Settings(rules=rules, second_order="off")
    wrong = {case.dtype for case in cases_of(single, settings=relaxed) if outcome(case)}
    assert wrong == {"float32"}
    (alone,) = cases_of(single, settings=relaxed, dtypes=["float64"])
    assert outcome(alone).variant == "x in single precision"


def test_a_rule_without_samples_is_missed(rules):
    rules.rrule.register(bare)(double_rrule)
    assert bare in unsampled(rules)
    with pytest.raises(MissingSamplesError) as caught:
        list(cases_of(bare, settings=Settings(rules=rules)))
    assert caught.value.primal is bare


def bare(x):
    return 2 * x


def mirrored(a):
    lower = np.tril(a)
    return lower + np.tril(a, -1).T


def mirrored_rrule(a):
    return mirrored(a), lambda y_bar: ((y_bar + y_bar.T) / 2,)


def test_a_sample_names_the_space_in_which_an_argument_moves(rules):
    matrix = np.array([[1.0, 2.0], [2.0, 5.0]])
    rules.rrule.register(mirrored)(mirrored_rrule)
    settings = Settings(rules=rules, second_order="off", dtypes=False)

    def check(**about):
        Case(mirrored, Sample(matrix, **about), "float64", "reverse", settings).run()

    check(structures={0: "symmetric"})
    with pytest.raises(CheckFailure):
        check()
