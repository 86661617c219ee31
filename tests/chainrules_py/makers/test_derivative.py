"""`linearised_rule`: the derivative at a point, where the value is the primal's own."""

import gc

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, LinearMap, OptionError, RuleTable, linearised_rule
from chainrules_py.arrays import Array, Scalar


def scaled(x, factor=2.0, *, shift=0.0):
    return x * factor + shift


def rooted(x):
    return np.sqrt(x)


@pytest.fixture
def calls():
    return []


@pytest.fixture
def table(calls):
    rules = RuleTable(name="derivative")

    @linearised_rule(scaled, table=rules)
    def scaled_derivative(y, x: Array, factor: Array | Scalar = 2.0, *, shift: float = 0.0, xp, needs):
        calls.append((y, xp, needs))
        return LinearMap(lambda d: factor * d, lambda b: factor * b), LinearMap(lambda d: x * d, lambda b: xp.sum(x * b))

    @linearised_rule(rooted, table=rules)
    def rooted_derivative(y, x: Array | Scalar):
        return LinearMap(lambda d: d / (2 * y), lambda b: b / (2 * y))

    return rules


def test_nothing_is_computed_before_a_cotangent_comes(table, calls):
    y, pullback = table.rrule(scaled, np.ones(3, "float32"), np.float64(3.0), needs=(True, False))
    assert calls == []
    x_bar, factor_bar = pullback(np.ones(3))
    ((given, xp, needs),) = calls
    assert (given is y, xp, needs) == (True, np, (True, False))
    assert (x_bar.dtype, x_bar.tolist(), factor_bar) == (np.float32, [3.0, 3.0, 3.0], NO_TANGENT)


def test_every_pattern_of_needs(table):
    x = np.array([1.0, 2.0])
    for needs, expected in {(True, True): ([3.0, 3.0], 3.0), (False, True): (NO_TANGENT, 3.0)}.items():
        x_bar, factor_bar = table.rrule(scaled, x, 3.0, needs=needs)[1](np.ones(2))
        assert (x_bar if x_bar is NO_TANGENT else x_bar.tolist(), factor_bar) == expected


def test_forward_adds_the_arguments_and_stays_zero_without_any(table):
    x = np.ones(3)
    np.testing.assert_array_equal(table.frule((x, 1.0), scaled, x, 3.0, shift=1.0)[1], [4.0, 4.0, 4.0])
    assert table.frule((ZERO, ZERO), scaled, x, 3.0)[1] is ZERO


def test_an_optional_positional_argument_may_be_absent(table):
    np.testing.assert_array_equal(table.rrule(scaled, np.ones(2))[1](np.ones(2))[0], [2.0, 2.0])


def test_options_reach_both(table):
    assert table.rrule(scaled, np.ones(1), shift=1.0)[0].tolist() == [3.0]
    with pytest.raises(OptionError) as caught:
        table.rrule(scaled, np.ones(2), unheard_of=1)
    assert caught.value.option == "unheard_of"


@pytest.mark.parametrize("x", [np.array([1.0, 4.0]), 4.0, np.float32(4.0)], ids=["array", "number", "small number"])
def test_both_modes_of_one_argument_against_differences(table, x):
    x_dot, y_bar = np.float64(0.5) * x, np.float64(2.0) * x
    y_dot = table.frule((x_dot,), rooted, x)[1]
    (x_bar,) = table.rrule(rooted, x)[1](y_bar)
    np.testing.assert_allclose(y_dot, (np.sqrt(x + 1e-4 * x_dot) - np.sqrt(x - 1e-4 * x_dot)) / 2e-4, rtol=1e-3)
    np.testing.assert_allclose(np.vdot(x_bar, x_dot), np.vdot(y_bar, y_dot), rtol=1e-6)


def test_a_tape_keeps_a_flat_tuple(table):
    stage = table.resolve("reverse", rooted, (np.ndarray,)).stage
    y, pull, kept = stage(np.array([4.0]))
    assert [type(part) for part in kept] == [np.ndarray, tuple, dict]
    assert pull(kept, np.ones(1))[0].tolist() == [0.25]
    gc.collect()
    assert not gc.is_tracked(kept[1])


def test_the_rules_carry_the_name_and_place_of_the_function(table):
    assert [rule.name for rule in table.rules(rooted)] == ["rooted_rrule", "rooted_frule"]
    assert all(__file__ in rule.where for rule in table.rules(rooted))
