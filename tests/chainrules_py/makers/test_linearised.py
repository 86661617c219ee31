"""`linearised_rule`: one function, both rules."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, NoRuleError, OptionError, RuleTable, Tangent
from chainrules_py.arrays import Array, Scalar
from chainrules_py.makers import LinearMap, linearised_rule


def scaled(x, factor=2.0, *, shift=0.0):
    return x * factor + shift


def halves(x):
    return x[:1], (x[1:], 7)


@pytest.fixture
def calls():
    return []


@pytest.fixture
def table(calls):
    rules = RuleTable(name="linearised")

    @linearised_rule(scaled, table=rules)
    def scaled_linearised(x: Array, factor: Array | Scalar = 2.0, *, shift: float = 0.0, xp, needs):
        calls.append((xp, needs))

        def factor_pullback(y_bar):
            calls.append("factor")
            return xp.sum(x * y_bar)

        maps = LinearMap(lambda d: factor * d, lambda b: factor * b), LinearMap(lambda d: x * d, factor_pullback)
        return scaled(x, factor, shift=shift), *maps

    @linearised_rule(halves, table=rules)
    def halves_linearised(x: Array, *, xp):
        def pull(y_bar):
            return xp.concatenate([y_bar[0], y_bar[1][0]])

        return halves(x), LinearMap(lambda d: (d[:1], (d[1:], NO_TANGENT)), pull)

    return rules


def test_reverse_calls_only_what_is_needed_and_projects(table, calls):
    x = np.ones(3, "float32")
    y, pullback = table.rrule(scaled, x, np.float64(3.0), needs=(True, False))
    x_bar, factor_bar = pullback(np.ones(3))
    assert (x_bar.dtype, factor_bar) == (np.float32, NO_TANGENT)
    assert calls == [(np, (True, False))]


def test_forward_adds_the_arguments_and_stays_zero_without_any(table):
    x = np.ones(3)
    np.testing.assert_array_equal(table.frule((x, 1.0), scaled, x, 3.0, shift=1.0)[1], [4.0, 4.0, 4.0])
    assert table.frule((ZERO, ZERO), scaled, x, 3.0)[1] is ZERO


def test_an_optional_positional_argument_may_be_absent(table):
    y, pullback = table.rrule(scaled, np.ones(2))
    (x_bar,) = pullback(np.ones(2))
    np.testing.assert_array_equal(x_bar, [2.0, 2.0])


def test_options_are_those_of_the_function(table):
    with pytest.raises(OptionError) as caught:
        table.rrule(scaled, np.ones(2), 2.0, unheard_of=1)
    assert caught.value.option == "unheard_of"


def test_dispatch_is_on_its_annotations(table):
    with pytest.raises(NoRuleError):
        table.rrule(scaled, "text")


def test_several_outputs_make_a_structural_tangent(table):
    y, y_dot = table.frule((np.arange(3.0),), halves, np.ones(3))
    assert isinstance(y_dot, Tangent)
    np.testing.assert_array_equal(y_dot[1][0], [1.0, 2.0])
    assert y_dot[1][1] is NO_TANGENT


def test_the_rules_carry_the_name_and_place_of_the_function(table):
    assert [rule.name for rule in table.rules(halves)] == ["halves_rrule", "halves_frule"]
    assert all(__file__ in rule.where for rule in table.rules(halves))
