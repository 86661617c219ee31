"""Calling `rrule` and `frule`: canonical form, what they accept, what they refuse."""

import contextvars
import threading

import numpy as np
import pytest

from chainrules_py import (
    Array,
    OptionError,
    RuleConfig,
    RuleContractError,
    RuleTable,
    batched,
    default_rules,
    derivatives_given_output,
    explain,
    frule,
    resolve,
    rrule,
    rules_of,
    scalar_rule,
)
from chainrules_tape import grad, jvp

X = np.arange(6.0).reshape(2, 3)


class Active(RuleConfig):
    """An engine to which a certain value is active."""

    def __init__(self, value):
        self.value = value

    def is_active(self, value):
        return value is self.value


def test_an_active_value_in_an_undifferentiated_keyword_is_refused(rules):

    def scaled(x, factor):
        return x * factor

    @rules.rrule.register(scaled)
    def scaled_rrule(x: Array, *, factor):
        return x * factor, lambda y_bar: (y_bar * factor,)

    factor = np.float64(3.0)
    assert rules.rrule(scaled, X, factor=factor, config=Active(None))[1](X)[0][1, 2] == 15.0
    with pytest.raises(OptionError) as caught:
        rules.rrule(scaled, X, factor=factor, config=Active(factor))
    assert (caught.value.option, caught.value.value) == ("factor", factor)


def test_a_reverse_rule_that_returns_no_pullback_is_named(rules):
    rules.rrule.register(len)(lambda x: X)
    with pytest.raises(RuleContractError):
        rules.rrule(len, X)


def test_an_exception_inside_a_rule_keeps_its_own_traceback(rules):

    def primal(x):
        return x

    @rules.rrule.register(primal)
    def failing_rrule(x: Array):
        def failing_pullback(y_bar):
            raise ZeroDivisionError("from inside")

        return x, failing_pullback

    pullback = rules.rrule(primal, X)[1]
    with pytest.raises(ZeroDivisionError, match="from inside") as caught:
        pullback(X)
    assert caught.traceback[-1].name == "failing_pullback"


def test_an_exception_inside_a_generated_rule_shows_its_source():
    with pytest.raises(ValueError, match="broadcast") as caught:
        rrule(np.multiply, np.ones(2), np.ones(3))
    assert caught.traceback[-1].name == "multiply_stage"
    assert "out = primal(x1, x2)" in str(caught.getrepr())


def test_an_opt_out_is_of_one_mode(rules):
    rules.rrule.opt_out(np.sin, np.ndarray)
    assert rules.rrule.find(np.sin, np.ndarray) is None
    assert rules.frule.find(np.sin, np.ndarray) is not None


def in_thread(run):
    found = []
    thread = threading.Thread(target=lambda: found.append(run()))
    thread.start()
    thread.join()
    return found[0]


def doubled_slopes():
    rules = RuleTable(parent=default_rules)
    scalar_rule(np.sin, "x", "2 * cos(x)", table=rules)
    return rules


QUESTIONS = {
    "rrule": lambda: rrule(np.sin, 0.0)[1](1.0)[0],
    "frule": lambda: frule((1.0,), np.sin, 0.0)[1],
    "find": lambda: rrule.find(np.sin, float)(0.0)[1](1.0)[0],
    "resolve": lambda: resolve("forward", np.sin, (float,))((1.0,), 0.0)[1],
    "derivatives_given_output": lambda: derivatives_given_output(0.0, np.sin, 0.0)[0],
    "explain": lambda: 2.0 if "passed over" in str(explain(np.sin, 0.0)) else 1.0,
    "grad": lambda: grad(np.sin)(0.0),
    "jvp": lambda: jvp(np.sin, (0.0,), (1.0,))[1],
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_a_table_is_in_force_in_its_block_alone(ask):
    rules = doubled_slopes()
    with rules_of(rules):
        assert ask() == 2.0
        assert in_thread(ask) == 1.0
        assert contextvars.Context().run(ask) == 1.0
        with rules_of(default_rules):
            assert ask() == 1.0
        assert ask() == 2.0
    assert ask() == 1.0


def test_a_table_that_is_named_goes_before_the_one_in_force():
    rules = doubled_slopes()
    with rules_of(rules):
        assert rrule(np.sin, 0.0, rules=default_rules)[1](1.0)[0] == 1.0
        assert RuleTable(parent=default_rules).rrule(np.sin, 0.0)[1](1.0)[0] == 1.0
        assert batched(np.sin, (True,), np.zeros(2)).tolist() == [0.0, 0.0]
