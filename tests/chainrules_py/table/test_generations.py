"""Rules that were replaced: in one mode alone, hidden by older ones, taken out and put back."""

import sys
import warnings

import numpy as np
import pytest

from chainrules_py import (
    Array,
    HiddenRuleWarning,
    NoRuleError,
    OutdatedRuleWarning,
    RuleRedefinitionWarning,
    RuleTable,
    Scalar,
    default_rules,
    non_differentiable,
    primitive,
    scalar_rule,
)
from chainrules_py.table.generations import closeness
from chainrules_tape import explain, grad, jvp, vjp

X = np.array([0.5, 1.5])
ONES = np.ones(2)


def straight_through(rules, mode):
    if mode == "reverse":

        @rules.rrule.register(np.sign)
        def straight_rrule(x):
            return np.sign(x), lambda y_bar: (3 * y_bar,)

    else:

        @rules.frule.register(np.sign)
        def straight_frule(dots, x):
            return np.sign(x), 3 * dots[0]


def overlay():
    return RuleTable(parent=default_rules, name="overlay")


def both_modes(f, rules):
    """The derivative along ones, by each mode of the tape."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", OutdatedRuleWarning)
        by_pullback = vjp(f, X, rules=rules)[1](ONES)[0]
        return by_pullback, jvp(f, (X,), (ONES,), rules=rules)[1]


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_the_mode_that_was_not_replaced_is_derived(mode):
    rules = overlay()
    straight_through(rules, mode)
    for derivative in both_modes(np.sign, rules):
        np.testing.assert_array_equal(derivative, 3 * ONES)
    explanation = explain(np.sign, X, rules=rules)
    assert explanation.derived == {"forward" if mode == "reverse" else "reverse"}
    assert "straight_" in str(explanation).partition("derived by linearity from")[2]


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_who_cannot_derive_is_warned_once(mode):
    rules = overlay()
    straight_through(rules, mode)
    ask = {
        "reverse": lambda x: rules.frule((x,), np.sign, x),
        "forward": lambda x: rules.rrule(np.sign, x),
    }[mode]
    with pytest.warns(OutdatedRuleWarning, match=r"sign_.*straight_.*has replaced") as caught:
        [ask(x) for x in (X, 0.5)]
    assert [warning.filename for warning in caught] == [__file__]


def test_rules_of_one_author_stand_beside_each_other():
    rules = overlay()
    straight_through(rules, "reverse")
    straight_through(rules, "forward")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rules.frule((X,), np.sign, X)
        rules.rrule(np.sign, X)
    assert explain(np.sign, X, rules=rules).derived == set()
    with pytest.warns(RuleRedefinitionWarning):
        straight_through(rules, "reverse")  # a cell that was run again
    assert explain(np.sign, X, rules=rules).derived == set()


def test_a_rule_by_hand_outdates_what_a_maker_made_beside_it():
    rules = overlay()

    @primitive
    def f(x):
        return 2 * x

    scalar_rule(f, "x", "2.0", table=rules)

    def f_rrule(x: Array | Scalar):
        return 2 * x, lambda y_bar: (7 * y_bar,)

    with pytest.warns(RuleRedefinitionWarning):
        rules.rrule.register(f)(f_rrule)

    assert rules.rule_for("forward", f, (float,)).derived_from is None
    assert both_modes(f, rules)[1].tolist() == [7.0, 7.0]


def test_an_opt_out_and_a_constant_derive_nothing():
    rules = overlay()
    rules.rrule.opt_out(np.sign, np.ndarray)
    with pytest.raises(NoRuleError):
        vjp(np.sign, X, rules=rules)
    rules = overlay()
    non_differentiable(np.exp, table=rules)
    assert all(np.all(np.asarray(d) == 0) for d in both_modes(np.exp, rules))
    assert explain(np.exp, X, rules=rules).derived == set()


SIN, MATMUL = (
    default_rules.rule_for(*call).where
    for call in (("reverse", np.sin, (float,)), ("forward", np.matmul, (np.ndarray,) * 2))
)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("a.py:3", "a.py:3", 2), ("a.py:3", "a.py:4", 1), ("a.py:3", "b.py:3", 0)]
    + [(SIN, "a.py:3", 0), (SIN, MATMUL, 1)],
)
def test_how_near_rules_are(one, other, expected):
    assert closeness(one, other) == expected == closeness(other, one)


def with_annotations(rule, *hints):
    rule.__annotations__ = dict(zip(rule.__code__.co_varnames, hints, strict=False))
    return rule


def value_of(x):
    return x


def general():
    return lambda x: ("general", lambda y_bar: (y_bar,))


def kind_of_rule(rules, f, x):
    return rules.rrule(f, x)[0]


class Own(np.ndarray):
    """A user's class of arrays."""


def test_a_general_rule_says_which_older_ones_hide_it():
    rules = RuleTable(name="own")
    f = value_of
    narrow = with_annotations(lambda x: ("narrow", lambda y_bar: (y_bar,)), Array)
    rules.rrule.register(f)(narrow)
    line = sys._getframe().f_lineno + 2
    with pytest.warns(HiddenRuleWarning) as caught:
        rules.rrule.register(f)(with_annotations(general(), Array | Scalar))
    (warning,) = caught
    assert (warning.filename, warning.lineno) == (__file__, line)
    message = str(warning.message)
    assert f"{__file__}:{narrow.__code__.co_firstlineno}" in message
    assert message.count(f"{__file__}:") == 2
    assert kind_of_rule(rules, f, X) == "narrow"
    assert kind_of_rule(rules, f, 1.0) == "general"
    with pytest.warns(HiddenRuleWarning, match="sinc_rrule"):
        default_rules.rrule.register(np.sinc)(general())
    default_rules.rrule.remove(np.sinc, object)


def test_what_is_narrower_on_purpose_is_quiet():
    rules = RuleTable(name="own")
    f = value_of
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rules.rrule.register(f)(with_annotations(general(), Own))
        rules.rrule.register(f)(with_annotations(general(), Array | Scalar))
        rules.rrule.register(f)(with_annotations(general(), np.ndarray))
    with pytest.warns(RuleRedefinitionWarning) as caught:  # the second cell is run again
        rules.rrule.register(f)(with_annotations(general(), Array | Scalar))
    assert len(caught) == 1


def test_subscribers_hear_what_is_taken_out_and_what_comes_back():
    rules = overlay()
    told, gone = [], []
    stop = rules.on_new_rule(
        lambda rule: told.append(rule.name), False, removed=lambda r: gone.append(r.name)
    )
    straight_through(rules, "reverse")
    rules.rrule.remove(np.sign)
    assert (told, gone) == (["straight_rrule"], ["straight_rrule"])
    stop()
    straight_through(rules, "reverse")
    rules.rrule.remove(np.sign)
    assert len(told) == len(gone) == 1


@pytest.fixture
def sinc():
    yield
    for entry in (default_rules.rrule, default_rules.frule):
        entry.restore(np.sinc)


def own_sinc(factor):
    def own_sinc_rrule(x: Array | Scalar):
        return np.sinc(x), lambda y_bar: (factor * y_bar,)

    return own_sinc_rrule


def test_a_shipped_rule_comes_back(sinc):
    slope = grad(np.sinc)(0.5)
    told, gone = [], []
    stop = default_rules.on_new_rule(told.append, False, removed=gone.append)
    for put_back in (default_rules.rrule.remove, default_rules.rrule.restore):
        for factor in (8, 9):
            with pytest.warns(RuleRedefinitionWarning):
                default_rules.rrule.register(np.sinc)(own_sinc(factor))
            assert grad(np.sinc)(0.5) == jvp(np.sinc, (0.5,), (1.0,))[1] == factor
        put_back(np.sinc)
        assert grad(np.sinc)(0.5) == slope
        assert jvp(np.sinc, (0.5,), (1.0,))[1] == pytest.approx(slope)
    assert [rule.name for rule in told[-1:]] == ["sinc_rrule"]
    assert [rule.name for rule in gone] == ["own_sinc_rrule"] * 2
    stop()


def test_all_rules_go_and_those_of_this_distribution_come_back(sinc):
    with pytest.warns(HiddenRuleWarning):
        default_rules.rrule.register(np.sinc)(general())
    with pytest.raises(NoRuleError, match=r"2 rules.*rrule.remove\(numpy.sinc, ...\).*remove_all"):
        default_rules.rrule.remove(np.sinc)
    default_rules.rrule.remove_all(np.sinc)
    assert default_rules.rrule.find(np.sinc, float) is None
    assert [rule.name for rule in default_rules.restore("reverse", np.sinc)] == ["sinc_rrule"]
    assert default_rules.restore("reverse", np.sinc) == []
    assert default_rules.rrule(np.sinc, 0.5)[1](1.0)[0] == pytest.approx(-4 / np.pi)


def test_many_rules_of_one_function_are_registered_in_constant_time():
    """Counted in lines of Python, which machines in use do not change."""
    rules = RuleTable(name="own")
    f = value_of

    def lines_of_registering(number):
        cls = type(f"Class{number}", (), {})
        rule = with_annotations(general(), cls)
        count = 0

        def trace(frame, event, arg):
            nonlocal count
            count += event == "line"
            return trace

        sys.settrace(trace)
        try:
            rules.rrule.register(f)(rule)
        finally:
            sys.settrace(None)
        return count

    first = [lines_of_registering(k) for k in range(10)]
    for k in range(10, 500):
        rules.rrule.register(f)(with_annotations(general(), type(f"Class{k}", (), {})))
    assert lines_of_registering(500) <= max(first[1:])
