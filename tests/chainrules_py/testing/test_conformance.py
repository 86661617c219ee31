"""`check_engine` passes right engines and finds wrong ones, of first and second order, with words
for their authors.
"""

from functools import partial

import numpy as np
import pytest

import chainrules_tape
from chainrules_py import (
    NO_TANGENT,
    ZERO,
    RuleTable,
    Tangent,
    default_rules,
    scalar_rule,
)
from chainrules_py.tangents.plain_containers import as_plain_container, as_tangent
from chainrules_py.testing import (
    CheckFailure,
    Settings,
    check_engine,
    check_engine_call,
    engine_cases,
    samples,
    samples_for,
)
from chainrules_py.testing.dual import DualNumbers, dot_of, dual, value_of
from chainrules_py.testing.samples import Sample
from processes import printed


class ForwardEngine:
    """The kit's own dual arrays, one level deep."""

    @staticmethod
    def jvp(f, args, tangents):
        y = f(*map(dual, args, tangents))
        return value_of(y), dot_of(y)


class TangentsOfContainers(ForwardEngine):
    """Answers with a `Tangent` where the result is a container."""

    @staticmethod
    def jvp(f, args, tangents):
        y, y_dot = ForwardEngine.jvp(f, args, tangents)
        return y, as_tangent(y_dot)


class WrongTangentsOnTop(TangentsOfContainers):
    """Right to first order; wrong as soon as it differentiates itself."""

    @staticmethod
    def jvp(f, args, tangents):
        if any(isinstance(arg, DualNumbers) for arg in args):
            tangents = tuple(map(dual, tangents, tangents))
        return TangentsOfContainers.jvp(f, args, tangents)


def test_wrong_tangents_of_containers_are_shown_by_their_places():
    with pytest.raises(CheckFailure) as caught:
        check_engine_call(WrongTangentsOnTop, lambda x: (x * x * x, np.sum(x * x)), X)
    assert caught.value.diagnosis.kind == "second-order"
    assert "[0][1, 2]" in str(caught.value)
    assert "__entries__" not in str(caught.value)


def spoilt(factor):
    """The tape's reverse mode, with a factor."""

    class Reverse:
        @staticmethod
        def vjp(f, *args):
            y, pullback = chainrules_tape.vjp(f, *args)
            return y, lambda y_bar: tuple(factor * bar for bar in pullback(y_bar))

    return Reverse


X = np.linspace(0.5, 1.5, 6).reshape(2, 3)


def test_a_reverse_engine_passes_and_a_spoilt_one_does_not():
    first_order = Settings(second_order="off", dtypes=False)
    check_engine_call(spoilt(1.0), np.matmul, X, X.T, settings=first_order)
    with pytest.raises(CheckFailure) as caught:
        check_engine_call(spoilt(2.0), np.matmul, X, X.T, settings=first_order)
    assert caught.value.diagnosis.kind == "factor"
    assert "Reverse.vjp(numpy.matmul)" in str(caught.value)


class WrongOnTop(ForwardEngine):
    """Right to first order; wrong as soon as it differentiates itself."""

    @staticmethod
    def jvp(f, args, tangents):
        y, y_dot = ForwardEngine.jvp(f, args, tangents)
        return y, dual(value_of(y_dot), 2.0 * dot_of(y_dot))


def ratio(x):
    """One, whatever x: its derivatives are zero, and an engine gets the roundoff of what cancels."""
    return np.sum(x) / np.sum(x)


def off_by(error):
    """An engine whose derivative of a derivative is off by a number."""

    class Off(ForwardEngine):
        @staticmethod
        def jvp(f, args, tangents):
            y, y_dot = ForwardEngine.jvp(f, args, tangents)
            return y, (
                y_dot + dual(0.0, error)
                if any(isinstance(arg, DualNumbers) for arg in args)
                else y_dot
            )

    return Off


@pytest.mark.parametrize(
    ("size", "error", "right"),
    [(1, 5e-18, True), (1, 1e-10, False), (1e3, 5e-24, True), (1e3, 1e-15, False)],
)
def test_a_second_derivative_that_is_zero_may_come_out_as_the_roundoff_of_its_terms(
    size, error, right
):
    """The derivatives of one over lengths of a thousand are small, and so is what may be roundoff."""
    check = partial(check_engine_call, off_by(error), ratio, size * X)
    if right:
        check()
    else:
        with pytest.raises(CheckFailure) as caught:
            check()
        assert caught.value.diagnosis.kind == "second-order"


def test_every_failure_is_in_the_group():
    assert len(list(engine_cases([np.transpose], dtypes=["float64"]))) > 3
    with pytest.raises(ExceptionGroup) as caught:
        check_engine(spoilt(3.0), [np.transpose], dtypes=["float64"])
    assert all(isinstance(error, CheckFailure) for error in caught.value.exceptions)


CHECKS_IN_A_FRESH_PROCESS = """
import numpy as np
from chainrules_py.testing import check_engine

class Wrong:
    @staticmethod
    def jvp(f, args, tangents):
        return f(*args), tangents[0]

try:
    check_engine(Wrong, [np.sin])
except ExceptionGroup as failures:
    print(len(failures.exceptions))
"""


@pytest.mark.long
def test_the_shipped_samples_are_there_without_being_asked_for():
    """With the samples left unloaded the check passed for every engine: it had looked at none."""
    assert int(printed(CHECKS_IN_A_FRESH_PROCESS)) > 5


WITHOUT_THE_SHIPPED_SAMPLES = """
import sys
sys.modules["chainrules_samples"] = None
import chainrules_tape, numpy as np
from chainrules_py import scalar_rule
from chainrules_py.errors import ChainRulesError
from chainrules_py.testing import Sample, check_engine, check_rule, samples_for
from chainrules_py.testing.cases import cases

def told(primals):
    try:
        check_engine(chainrules_tape, primals)
    except ChainRulesError as error:
        print(type(error).__name__, error.instead, sep="|")

def cubed(x):
    return np.multiply(x * x, x)

scalar_rule(cubed, "x", "3 * x * x")
samples_for(cubed, dtypes=["float64"])(lambda draw: [Sample(draw.real(3))])
check_rule(np.sin, np.ones(2))
[case.run() for case in cases([cubed])]
print(check_engine(chainrules_tape, [cubed]))
told(None)
told([np.sin])
"""


def test_without_the_shipped_samples_there_are_those_of_others():
    ran = printed(WITHOUT_THE_SHIPPED_SAMPLES)
    install = "install chainrules-samples (pip install ./tests/samples in a checkout)"
    write = "write @samples_for(primal) on a generator of Sample(...)"
    assert ran.splitlines() == [
        "1",
        f"PackError|{install}",
        f"MissingSamplesError|{write}; for a function of NumPy or SciPy, {install}",
    ]


def unknown_to_everybody(x):
    return x


def test_a_failure_of_a_function_that_numpy_hands_to_nobody_does_not_send_to_its_rule():
    with pytest.raises(CheckFailure) as caught:
        check_engine_call(ForwardEngine, unreachable, X)
    assert "correct the engine" in caught.value.instead
    assert "call(primal, args, options)" in caught.value.instead
    assert "check_rule" not in caught.value.instead


def unreachable(x):
    """What NumPy does not hand over: it converts its argument."""
    return np.multiply(2.0, x.tolist())


class WithCall(ForwardEngine):
    """Computes what NumPy does not hand over by a function of its own."""

    @staticmethod
    def call(primal, args, options):
        assert primal is unreachable
        return np.multiply(2.0, *args)


def test_an_engine_with_a_call_is_given_every_call_by_it(monkeypatch):
    monkeypatch.setattr(samples, "_table", dict(samples._table))
    samples_for(unreachable, dtypes=["float64"])(lambda draw: [Sample(draw.real(3))])
    mine = Settings(rules=RuleTable(), dtypes=False)
    scalar_rule(unreachable, "x", "2 + 0 * x", table=mine.rules)
    assert check_engine(WithCall, [unreachable], settings=mine) == 1
    check_engine_call(WithCall, unreachable, X, settings=mine)
    check_engine_call(WithCall, lambda x: np.sin(x), X)  # a program is no call
    with pytest.raises(ExceptionGroup):
        check_engine(ForwardEngine, [unreachable], settings=mine)


def test_a_check_of_first_order_alone():
    first_order = Settings(second_order="off")
    assert check_engine(WrongOnTop, [np.sin], settings=first_order, dtypes=["float64"]) > 2
    with pytest.raises(ExceptionGroup):
        check_engine(WrongOnTop, [np.sin], dtypes=["float64"])
    assert {
        case.settings.second_order for case in engine_cases([np.sin], settings=first_order)
    } == {"off"}


def test_the_settings_choose_the_numbers_and_the_table():
    (one, *_), (other, *_) = (
        list(engine_cases([np.sin], settings=Settings(seed=seed))) for seed in (0, 1)
    )
    assert not np.array_equal(one.sample.args[0], other.sample.args[0])
    mine = RuleTable()
    scalar_rule(np.sin, "x", "cos(x)", table=mine)
    assert {case.primal for case in engine_cases(settings=Settings(rules=mine))} == {np.sin}


class WithoutRuleOnTop(ForwardEngine):
    """Looks for a rule that nobody wrote as soon as it differentiates itself."""

    @staticmethod
    def jvp(f, args, tangents):
        if any(isinstance(arg, DualNumbers) for arg in args):
            default_rules.resolve("forward", unknown_to_everybody, (float,), (True,))
        return ForwardEngine.jvp(f, args, tangents)


def test_second_order_where_rules_exist():
    check_engine_call(
        WithoutRuleOnTop, np.sin, X, settings=Settings(second_order="where rules exist")
    )
    with pytest.raises(CheckFailure):
        check_engine_call(WithoutRuleOnTop, np.sin, X)


class WrongOnTopInReverse:
    """Reverse mode of elementwise functions by their tangents; twice too large where it
    differentiates itself.
    """

    @staticmethod
    def vjp(f, x):
        y, slope = ForwardEngine.jvp(f, (x,), (np.ones(np.shape(x)),))
        if isinstance(y, tuple):  # its own gradient, a tuple of one
            return y, lambda y_bar: (slope[0] * y_bar[0],)
        slope = dual(value_of(slope), 2.0 * dot_of(slope))
        return y, lambda y_bar: (slope * y_bar,)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_numbers_are_shown_at_second_order_as_at_first(mode):
    """Each entry says what the engine gives and what finite differences give: here twice the second
    derivative.
    """
    with pytest.raises(CheckFailure) as caught:
        check_engine_call(WrongOnTop if mode == "forward" else WrongOnTopInReverse, np.sin, X)
    assert caught.value.diagnosis.kind == "second-order"
    assert 0 < len(caught.value.entries) <= X.size
    for entry in caught.value.entries:
        np.testing.assert_allclose(entry.rule, 2.0 * entry.oracle, rtol=1e-5)
        assert f"{entry.rule:.6g}" in str(caught.value)
        assert f"{entry.oracle:.6g}" in str(caught.value)


@pytest.mark.parametrize(
    ("tangent", "primal", "container"),
    [
        (2.0, 1.0, 2.0),
        (Tangent[tuple](2.0, ZERO, NO_TANGENT), (1.0, 5.0, 3), (2.0, 0.0, NO_TANGENT)),
        (Tangent[dict](a=Tangent[list](1.0)), {"a": [4.0], "b": 2.0}, {"a": [1.0], "b": 0.0}),
    ],
)
def test_tangents_as_engines_take_them(tangent, primal, container):
    assert as_plain_container(tangent, primal) == container
    assert as_plain_container(as_tangent(container), primal) == container
