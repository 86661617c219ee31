"""Rules of functions that call a function, with an engine that knows nothing but the table of
rules.
"""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, HasForwardMode, NoRuleError, default_rules, frule, rrule
from chainrules_py.testing import Settings, check_rule
from chainrules_tape import grad, hvp, jvp
from stand_ins.table_engine import TableEngine

WITH_ENGINE = Settings(config=TableEngine(), second_order="where rules exist")


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("function", [np.sum, np.cumsum, np.diag, np.sin])
def test_apply_along_axis(function, axis):
    x = np.random.default_rng(0).normal(size=(2, 3, 2))
    check_rule(np.apply_along_axis, function, axis, x, settings=WITH_ENGINE)


@pytest.mark.parametrize(
    "function",
    [
        lambda r: [r[0] * r[1], r[1] ** 2, 1.0],
        lambda r: (r[0] * r[1], r[1] ** 2),
        lambda r: [r[0] ** 3],
        lambda r: [1.0, 2.0],
    ],
)
def test_the_engine_takes_lists_from_the_function(function):
    """NumPy makes arrays of them."""
    x = np.array([[0.3, 0.7, 1.2], [0.4, -0.2, 0.9]])
    dots = np.array([[1.0, 0.2, 0.5], [0.3, -1.0, 0.1]])

    def f(x):
        return np.sum(np.sin(np.apply_along_axis(function, 0, x)) * [1.0, 3.0, 2.0])

    def along(h):
        return f(x + h * dots)

    slope = (along(1e-5) - along(-1e-5)) / 2e-5
    assert np.sum(grad(f)(x) * dots) == pytest.approx(slope, rel=1e-8, abs=1e-12)
    assert jvp(f, (x,), (dots,))[1] == pytest.approx(slope, rel=1e-8, abs=1e-12)
    bend = (along(1e-4) - 2 * along(0.0) + along(-1e-4)) / 1e-8
    assert np.sum(hvp(f, x, dots) * dots) == pytest.approx(bend, rel=1e-5, abs=1e-6)


def test_apply_along_axis_shares_further_arguments():
    x, shared = np.random.default_rng(0).normal(size=(2, 3)), np.array([1.0, 2.0, 3.0])
    check_rule(np.apply_along_axis, np.multiply, 1, x, shared, settings=WITH_ENGINE)


@pytest.mark.parametrize("axes", [0, [0, 2], (-1, 0)])
def test_apply_over_axes(axes):
    check_rule(
        np.apply_over_axes,
        np.sum,
        np.random.default_rng(0).normal(size=(2, 3, 2)),
        axes,
        settings=WITH_ENGINE,
    )


def test_piecewise():
    x = np.array([[-2.0, -0.5], [0.5, 2.0]])
    check_rule(np.piecewise, x, [x < -1, x > 1], [np.sin, np.cos, np.exp], settings=WITH_ENGINE)
    # the later one overwrites
    check_rule(np.piecewise, x, [x < 1, x < -1], [np.sin, 7.0], settings=WITH_ENGINE)
    check_rule(np.piecewise, x[0], x[0] < -1, [np.sin, np.cos], settings=WITH_ENGINE)


@pytest.mark.parametrize("x", [0.5, np.float64(-2.0)])
def test_piecewise_of_a_number(x):
    # of 0.5 the first one is right, of -2 the other one
    functions = [np.sin, np.exp]
    check_rule(np.piecewise, x, [x > 0.0], functions, settings=WITH_ENGINE)
    check_rule(np.piecewise, x, x > 0.0, [np.square, 3.0], settings=WITH_ENGINE)
    assert (
        np.piecewise(x, [x > 0.0], functions)
        == default_rules.rrule(np.piecewise, x, [x > 0.0], functions, config=TableEngine())[0]
    )


@pytest.mark.parametrize("condition", [[True, False], [2, 0]], ids=["booleans", "numbers"])
def test_piecewise_by_rows(condition):
    x = np.array([[-2.0, -0.5], [0.5, 2.0]])
    check_rule(np.piecewise, x, [np.array(condition)], [np.sin, np.exp], settings=WITH_ENGINE)
    check_rule(np.piecewise, x, [np.array(condition)], [3.0, np.exp], settings=WITH_ENGINE)


def test_piecewise_without_entries_of_a_case():
    """NumPy does not call the function of a case that no entry is in, and which may not take none."""
    x, masks = np.array([1.0, 2.0, 3.0]), [[False] * 3, [True] * 3]
    check_rule(np.piecewise, x, masks, [np.max, np.exp], settings=WITH_ENGINE)

    def relative(entries, factor):
        return factor * entries / np.max(entries)

    def squared(entries, factor):
        return factor * entries**2

    def f(x, factor):
        return np.sum(np.piecewise(x, masks, [relative, squared], factor))

    x_bar, factor_bar = grad(f, argnums=(0, 1))(x, 0.5)
    np.testing.assert_allclose(x_bar, x)
    assert factor_bar == 14.0


def test_piecewise_shares_further_arguments():
    x = np.array([-2.0, 2.0])
    check_rule(
        np.piecewise,
        x,
        [x < 0, x > 0],
        [np.multiply, np.add],
        np.array([3.0]),
        settings=WITH_ENGINE,
    )


def test_an_engine_without_reverse_mode():
    class ForwardOnly(HasForwardMode):
        pass

    with pytest.raises(NoRuleError):
        default_rules.rrule(np.piecewise, np.ones(2), [True], [np.sin], config=ForwardOnly())


def test_without_an_engine_functions_with_rules_are_taken():
    x, a = np.array([0.3, 0.7]), np.array([[0.3, 0.7], [0.1, 0.9]])
    y, pullback = rrule(np.piecewise, x, [x > 0.5], [np.sin, np.cos])
    np.testing.assert_allclose(y, [np.cos(0.3), np.sin(0.7)])
    np.testing.assert_allclose(
        pullback(np.array([2.0, 3.0]))[0], [-2 * np.sin(0.3), 3 * np.cos(0.7)]
    )
    dots = (np.array([2.0, 3.0]), NO_TANGENT, NO_TANGENT)
    _, y_dot = frule(dots, np.piecewise, x, [x > 0.5], [np.sin, np.cos])
    np.testing.assert_allclose(y_dot, [-2 * np.sin(0.3), 3 * np.cos(0.7)])

    y, pullback = rrule(np.apply_along_axis, np.prod, 1, a)
    np.testing.assert_allclose(y, [0.21, 0.09])
    np.testing.assert_allclose(pullback(np.array([1.0, 2.0]))[2], [[0.7, 0.3], [1.8, 0.2]])
    dots = (NO_TANGENT, NO_TANGENT, np.array([[1.0, 0.0], [0.0, 1.0]]))
    _, y_dot = frule(dots, np.apply_along_axis, np.prod, 1, a)
    np.testing.assert_allclose(y_dot, [0.7, 0.1])

    with pytest.raises(NoRuleError, match="lambda"):
        rrule(np.piecewise, x, [x > 0.5], [lambda x: x, np.cos])
