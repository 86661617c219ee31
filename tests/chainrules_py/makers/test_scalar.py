"""`scalar_rule`: what it generates is right, minimal and refuses nonsense at definition."""

import fractions
import math

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    NoRuleError,
    NotImplementedTangent,
    RuleContractError,
    RuleTable,
    derivatives_given_output,
    frule,
    not_implemented,
    rrule,
    scalar_rule,
)


def test_partials_may_be_functions_zeros_and_not_implemented(rules):
    def f(x, n, order):
        return x**n

    scalar_rule(
        f,
        "x, n, order",
        lambda x, n: n * x ** (n - 1),
        not_implemented("use power"),
        NO_TANGENT,
        table=rules,
    )
    y, pullback = rules.rrule(f, np.array([2.0]), 3.0, 5)
    x_bar, n_bar, order_bar = pullback(np.ones(1))
    assert x_bar == [12.0]
    assert isinstance(n_bar, NotImplementedTangent)
    assert order_bar is NO_TANGENT
    assert rules.frule((np.ones(1), ZERO, ZERO), f, np.array([2.0]), 3.0, 5)[1] == [12.0]
    assert isinstance(
        rules.frule((np.ones(1), 1.0, ZERO), f, np.array([2.0]), 3.0, 5)[1], NotImplementedTangent
    )
    assert rules.derivatives_given_output(y, f, np.array([2.0]), 3.0, 5)[0] == [12.0]


def test_partials_of_a_scalar_rule_are_available():
    x, y = np.array([1.0]), np.array([2.0])
    first, second = derivatives_given_output(np.arctan2(x, y), np.arctan2, x, y)
    assert (first, second) == (pytest.approx(np.array([0.4])), pytest.approx(np.array([-0.2])))
    with pytest.raises(NoRuleError):
        derivatives_given_output(np.eye(2), np.linalg.inv, np.eye(2))


def test_a_real_infinity_warns_as_numpy_does():
    _, pullback = rrule(np.sqrt, np.array([0.0]))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert pullback(np.ones(1))[0] == np.inf


@pytest.mark.parametrize(
    ("primal", "args"), [(np.divide, (np.ones(2), 0)), (np.divide, (1.0, 0.0)), (np.log, (0.0,))]
)
def test_python_zeros_divide_as_numpys_do(primal, args):
    with np.errstate(all="ignore"):
        y, pullback = rrule(primal, *args)
        x_bar = pullback(np.ones_like(y))[0]
        _, y_dot = frule((np.ones_like(args[0]), *[ZERO] * (len(args) - 1)), primal, *args)
    assert np.all(x_bar == np.inf)
    assert np.all(y_dot == np.inf)


def test_a_rule_for_a_class_of_ones_own():
    class Logged(np.ndarray):
        pass

    table = RuleTable(parent=None)
    scalar_rule(np.sin, "x", "cos(x)", table=table)
    scalar_rule(np.sin, "x", "100 * cos(x)", types=(Logged,), table=table)
    assert table.rrule(np.sin, np.zeros(1))[1](np.ones(1))[0] == [1.0]
    assert table.rrule(np.sin, np.zeros(1).view(Logged))[1](np.ones(1).view(Logged))[0] == [100.0]


def test_functions_may_return_pythons_numbers(rules):
    """At 2 the derivative of `math.lgamma` is one less Euler's constant."""
    scalar_rule(math.lgamma, "x", lambda x: 1.0 - np.euler_gamma, table=rules)
    for x in (2.0, np.float64(2.0)):
        y, pullback = rules.rrule(math.lgamma, x)
        assert y == math.lgamma(2.0)
        assert pullback(2.0) == (pytest.approx(0.84556867),)
        assert rules.frule((2.0,), math.lgamma, x)[1] == pytest.approx(0.84556867)


def test_what_is_no_number_is_refused(rules):
    scalar_rule(fractions.Fraction, "x", "1", table=rules)
    with pytest.raises(RuleContractError) as caught:
        rules.rrule(fractions.Fraction, 0.5)
    assert caught.value.value == fractions.Fraction(1, 2)


# What the forward rule does not compute twice


def test_arguments_with_one_tangent_are_multiplied_once():
    products = []

    class Counted(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            products.append(ufunc.__name__)
            plain = [np.asarray(x) for x in inputs]
            return getattr(ufunc, method)(*plain, **options)

    x, x_dot = np.array([2.0, -3.0]), np.array([1.0, 0.5]).view(Counted)
    y, y_dot = frule((x_dot, x_dot), np.multiply, x, x)
    np.testing.assert_array_equal(y, x * x)
    np.testing.assert_array_equal(np.asarray(y_dot), 2 * x * np.asarray(x_dot))
    assert products.count("multiply") == 1


def test_one_tangent_at_zero_times_infinity():
    x, x_dot = np.array([np.inf, 2.0]), np.array([0.0, 1.0])
    _, y_dot = frule((x_dot, x_dot), np.multiply, x, x)
    np.testing.assert_array_equal(y_dot, [0.0, 4.0])


def own_root(x):
    return np.sqrt(x)


def slope_of_root(x):
    return np.where(x == 0, np.nan, 0.5 / np.sqrt(np.where(x == 0, 1.0, x)))


@pytest.mark.parametrize(("singular", "expected"), [(True, 0.0), (False, np.nan)])
def test_a_function_may_be_used_where_it_is_singular(rules, singular, expected):
    """A cotangent or tangent of zero stays zero where the partial has no value."""
    scalar_rule(own_root, "x", slope_of_root, singular=singular, table=rules)
    x, seed = np.array([0.0, 4.0]), np.array([0.0, 1.0])
    found = rules.rrule(own_root, x)[1](seed)[0], rules.frule((seed,), own_root, x)[1]
    np.testing.assert_array_equal(found, [[expected, 0.25]] * 2)
