"""Arguments that move in a space of their own, and rules that have another function's derivative."""

import numpy as np
import pytest

from chainrules_py import Array, RuleTable, default_rules, primitive
from chainrules_py.errors import OptionError
from chainrules_py.testing import (
    CheckFailure,
    Settings,
    adding_to_nothing,
    check_rule,
    engine_cases,
)

X = np.array([0.3, 1.7, -0.4])
WEIGHTS = np.array([0.25, 0.25, 0.5])


def settings_of(table, **changes):
    return Settings(rules=table, layouts=False, dtypes=False, **changes)


@pytest.fixture
def table():
    return RuleTable(parent=default_rules, name="unusual")


@primitive
def cost(p):
    """A function that takes weights which sum to one, and nothing else."""
    assert abs(np.sum(p) - 1) < 1e-9, "weights that do not sum to one"
    return np.sum(p**3)


@pytest.mark.parametrize("second_order", ["off", "required"])
@pytest.mark.parametrize(("factor", "is_right"), [(3.0, True), (2.0, False)])
def test_weights_that_sum_to_one(factor, is_right, second_order, table):
    @table.rrule.register(cost)
    def cost_rrule(p: Array, *, xp):
        return cost(p), lambda y_bar: (y_bar * factor * p * p,)

    @table.frule.register(cost)
    def cost_frule(dots, p: Array, *, xp):
        return cost(p), xp.sum(factor * p * p * dots[0])

    settings = settings_of(table, structures={0: adding_to_nothing}, second_order=second_order)
    if is_right:
        check_rule(cost, WEIGHTS, settings=settings)
        return
    with pytest.raises(CheckFailure, match="may not move entry by entry"):
        check_rule(cost, WEIGHTS, settings=settings)


def straight_through(table, *, y_bar_factor=1.0, dot_factor=1.0):
    @primitive
    def rounded(x):
        return np.round(x)

    @table.rrule.register(rounded)
    def rounded_rrule(x: Array):
        return rounded(x), lambda y_bar: (y_bar_factor * y_bar,)

    @table.frule.register(rounded)
    def rounded_frule(dots, x: Array):
        return rounded(x), dot_factor * dots[0]

    return rounded


@pytest.mark.parametrize("oracle", [False, lambda x: x])
def test_a_straight_through_estimator(oracle, table):
    rounded = straight_through(table)
    with pytest.raises(CheckFailure, match="should-be-zero"):
        check_rule(rounded, X, settings=settings_of(table))
    check_rule(rounded, X, settings=settings_of(table, oracle=oracle))


def test_what_it_says_is_checked_all_the_same(table):
    twice = straight_through(table, y_bar_factor=2.0, dot_factor=2.0)
    with pytest.raises(CheckFailure, match="multiply by 1/2"):
        check_rule(twice, X, settings=settings_of(table, oracle=lambda x: x))
    check_rule(twice, X, settings=settings_of(table, oracle=False))
    split = straight_through(table, y_bar_factor=2.0)
    with pytest.raises(CheckFailure, match="not adjoint to each other"):
        check_rule(split, X, settings=settings_of(table, oracle=False))


def test_an_oracle_is_a_function_or_none():
    with pytest.raises(OptionError, match="oracle='differences'"):
        Settings(oracle="differences")


def test_the_error_of_second_order_says_what_to_write(table):
    def kernel(x):
        return np.sin(np.asarray(x))

    @primitive
    def wave(x):
        return kernel(x)

    @primitive
    def slope_of_wave(x):
        return np.cos(np.asarray(x))

    @table.rrule.register(wave)
    def wave_rrule(x: Array):
        return wave(x), lambda y_bar: (y_bar * slope_of_wave(x),)

    with pytest.raises(CheckFailure, match=r"mark a Python function by @primitive; or leave"):
        check_rule(wave, X, settings=settings_of(table))


def test_another_name_of_a_function_has_its_samples():
    cases = list(engine_cases([np.add.reduce], dtypes=["float64"]))
    assert cases
    assert {case.primal for case in cases} == {np.sum}
