"""`check_rule` passes right rules at every kind of argument, and blames the point where it has no
derivative.
"""

from typing import Any

import numpy as np
import pytest

from chainrules_py import (
    NoRuleError,
    linear_rule,
    primitive,
    scalar_rule,
)
from chainrules_py.testing import (
    CheckFailure,
    Settings,
    check_frule,
    check_rrule,
    check_rule,
)
from processes import printed

X = np.linspace(0.5, 1.5, 6).reshape(2, 3)


@pytest.mark.parametrize("second_order", [False, "off"])
def test_without_second_order_a_rule_may_call_what_has_no_rule(rules, second_order):
    @rules.rrule.register(twice)
    def twice_rrule(x: Any):
        return twice(x), lambda y_bar: (no_rule(y_bar),)

    def no_rule(y_bar):
        return np.array([2 * float(each) for each in y_bar.flat], X.dtype).reshape(y_bar.shape)

    check_rrule(twice, X, settings=Settings(rules=rules, second_order=second_order, dtypes=False))
    assert Settings(second_order=True).second_order == "required"
    with pytest.raises((CheckFailure, NoRuleError, TypeError)):
        check_rrule(twice, X, settings=Settings(rules=rules, second_order=True, dtypes=False))


def twice(x):
    return 2 * x


def smallest_of_absolutes(x):
    return np.minimum(np.abs(x[0]), np.abs(x[1]))


def median_of_three(x):
    return np.sort(x)[1]


def test_a_slope_in_every_direction_is_not_yet_a_derivative(rules):
    """The middle of three equal numbers: sharing equally is right, although no direction has that
    slope.
    """
    rules.rrule.register(median_of_three)(
        lambda x: (median_of_three(x), lambda y_bar: (y_bar * np.full(3, 1 / 3),))
    )
    rules.frule.register(median_of_three)(lambda dots, x: (median_of_three(x), dots[0].sum() / 3))
    # whatever the directions: of two random ones the medians add up by chance, one time in three
    for seed in range(12):
        check_rule(
            median_of_three,
            np.full(3, 2.0),
            settings=Settings(rules=rules, conventions=True, seed=seed),
        )


@pytest.mark.parametrize(("share", "right"), [(0.0, True), (0.5, True), (1.5, False)])
def test_conventions_where_the_function_is_neither_convex_nor_concave(rules, share, right):
    """At 0 any slope from -1 to 1 along either axis is a subgradient, though both one-sided
    derivatives may be 0.
    """
    rules.frule.register(smallest_of_absolutes)(
        lambda dots, x: (smallest_of_absolutes(x), share * dots[0][0])
    )
    settings = Settings(rules=rules, conventions=True)
    if right:
        check_frule(smallest_of_absolutes, np.zeros(2), settings=settings)
    else:
        with pytest.raises(CheckFailure) as caught:
            check_frule(smallest_of_absolutes, np.zeros(2), settings=settings)
        assert caught.value.diagnosis.kind == "tie"


def test_the_callers_arrays_stay_writable_and_unwritten():
    mine = X.copy()
    check_rule(np.sin, mine)
    assert mine.flags.writeable
    assert np.array_equal(mine, X)


@pytest.mark.parametrize(
    ("module", "absent"),
    [("chainrules_py", "chainrules_py.testing"), ("chainrules_py.testing", "pytest")],
)
def test_nothing_is_imported_that_is_not_needed(module, absent):
    code = f"import sys, {module}; sys.exit({absent!r} in sys.modules)"
    printed(code)


def of_plain_memory(x):
    """Double what is in memory, as compiled code does: it takes no traced arrays."""
    return 2.0 * np.asarray(memoryview(x))


def test_a_rule_that_calls_compiled_code_is_told_of_primitive(rules):
    linear_rule(of_plain_memory, lambda y_bar, x: of_plain_memory(y_bar), table=rules)
    with pytest.raises(CheckFailure, match="mark the kernel by @primitive") as caught:
        check_rule(of_plain_memory, X, settings=Settings(rules=rules, dtypes=False))
    assert caught.value.diagnosis.kind == "second-order"
    marked = primitive(of_plain_memory)
    linear_rule(marked, lambda y_bar, x: marked(y_bar), table=rules)
    check_rule(marked, X, settings=Settings(rules=rules, dtypes=False))


def test_values_that_jump_near_by_are_a_diagnosis(rules):
    """Angles of astronomy are a polynomial taken modulo a turn: the rule is right."""

    def angle(t):
        return (2.35555598 + 8328.6914269554 * t) % (2 * np.pi)

    scalar_rule(angle, "t", "8328.6914269554", table=rules)
    with pytest.raises(CheckFailure) as caught:
        check_rule(angle, 0.51, settings=Settings(rules=rules))
    assert caught.value.diagnosis.kind == "jumps"


@pytest.mark.parametrize(("factor", "kind"), [(2.0, "factor"), (1 + 1e-5, "inaccurate")])
def test_a_wrong_rule_is_not_excused_by_jumps(rules, factor, kind):
    def sine(t):
        return np.sin(t)

    scalar_rule(sine, "t", f"{factor} * cos(t)", table=rules)
    with pytest.raises(CheckFailure) as caught:
        check_rule(sine, 0.51, settings=Settings(rules=rules))
    assert caught.value.diagnosis.kind == kind
