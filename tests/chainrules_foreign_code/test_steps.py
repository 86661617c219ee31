"""Functions with steps in code that is seen through: fine steps are none, coarse ones have no
derivative, and that is said.
"""

import copy
import pickle

import numpy as np
import pytest

from chainrules_py import Array, RuleTable, Scalar, default_rules
from chainrules_tape import (
    LostGradientWarning,
    grad,
    hessian,
    jacobian,
    jvp,
    seen_through,
    stop_gradient,
    vjp,
)
from strangers import digits

# from NumPy 2.5 on
pytestmark = pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")

X = 1.2345678912345
BOTH = [lambda f: grad(f)(X), lambda f: jvp(f, (X,), (1.0,))[1]]


@pytest.fixture
def scope():
    with seen_through("strangers"):
        yield


@pytest.mark.parametrize("f", digits.FINE.values(), ids=digits.FINE)
def test_what_cleans_up_digits_keeps_the_derivative(f, scope):
    expected = (f(X + 1e-3) - f(X - 1e-3)) / 2e-3
    assert expected == pytest.approx(1.0, rel=1e-5)
    for derivative in BOTH:
        assert derivative(f) == pytest.approx(1.0, rel=1e-9)
    assert vjp(f, X)[0] == jvp(f, (X,), (1.0,))[0] == f(X)


@pytest.mark.parametrize("f", digits.FINE.values(), ids=digits.FINE)
def test_second_derivatives_of_what_cleans_up_digits(f, scope):
    assert hessian(lambda x: f(x) ** 3)(X) == pytest.approx(6 * X, rel=1e-8)
    assert grad(lambda x: jvp(lambda x: f(x) ** 3, (x,), (1.0,))[1])(X) == pytest.approx(
        6 * X, rel=1e-8
    )


@pytest.mark.parametrize("f", digits.COARSE.values(), ids=digits.COARSE)
def test_a_derivative_that_steps_make_zero_is_warned_of(f, scope):
    for derivative in BOTH:
        with pytest.warns(
            LostGradientWarning,
            match=r"of strangers\.digits \(.*digits\.py:\d+\): .*between its steps",
        ):
            assert derivative(f) == 0.0
    with pytest.warns(LostGradientWarning):
        assert grad(grad(lambda x: f(x) * 1.0))(X) == 0.0
    with pytest.warns(LostGradientWarning):
        assert grad(lambda x, y: f(x) * y, (0, 1))(X, 3.0) == (0.0, f(X))


@pytest.mark.parametrize("f", digits.COUNTING.values(), ids=digits.COUNTING)
def test_what_counts_has_the_derivative_between_the_steps(f, scope):
    expected = (f(X + 1e-6) - f(X - 1e-6)) / 2e-6
    for derivative in BOTH:
        assert derivative(f) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("table", [digits.FINE, digits.COARSE, digits.COUNTING])
def test_values_are_those_of_plain_numbers(table):
    expected = [f(X) for f in table.values()]
    with seen_through("strangers"):
        inside = [f(X) for f in table.values()]
    assert inside == expected
    assert list(map(type, inside)) == list(map(type, expected))


@pytest.mark.parametrize("table", [digits.FINE, digits.COUNTING])
def test_numbers_of_python_stay_numbers_of_python(table, scope):
    for f in table.values():
        assert type(vjp(f, X)[0]) is type(jvp(f, (X,), (1.0,))[0]) is type(f(X))


def test_of_one_of_several_results_nothing_is_said(scope):
    both = lambda x: np.stack(  # noqa: E731
        [digits.COARSE["rint"](x[0]) * 1.0, x[1] + digits.COUNTING["phase"](x[0])]
    )
    np.testing.assert_allclose(jacobian(both)(np.array([X, 2.0])), [[0.0, 0.0], [1.0, 1.0]])


def test_a_constant_on_purpose(scope):
    assert grad(lambda x: x * digits.COARSE["int"](stop_gradient(x)))(X) == 1.234
    assert grad(lambda x: 0.0 * x + digits.COARSE["int"](stop_gradient(x)))(X) == 0.0


def test_entries_with_fine_steps_beside_entries_with_coarse_ones(scope):
    x = np.array([2e9 + 0.25, 2.25, -3e8 - 0.5])
    weights = np.array([1.0, 10.0, 100.0])
    for f, slopes in {
        lambda x: strangers_np().floor(x): [1.0, 0.0, 1.0],
        lambda x: x - strangers_np().remainder(x, 1.0): [1.0, 0.0, 1.0],
        lambda x: strangers_np().floor_divide(x, 1.0): [1.0, 0.0, 1.0],
    }.items():
        y, pullback = vjp(lambda x, f=f: seen_call(f, x), x)
        np.testing.assert_array_equal(y, np.floor(x))
        np.testing.assert_allclose(pullback(weights)[0], weights * slopes)
        np.testing.assert_allclose(
            jvp(lambda x, f=f: seen_call(f, x), (x,), (weights,))[1], weights * slopes
        )


def strangers_np():
    return digits.np


def seen_call(f, x):
    """Call a function as if the module of strangers had it."""
    return type(f)(f.__code__, vars(digits) | {"strangers_np": strangers_np})(x)


@pytest.mark.parametrize("name", digits.BUFFERS)
def test_arrays_that_are_written_into(name, scope):
    for is_plain, slope in ((False, 2.0), (True, 0.0)):
        f = lambda x, is_plain=is_plain: digits.BUFFERS[name](digits.buffer(x, is_plain)) + x  # noqa: E731
        for derivative in BOTH:
            assert derivative(f) == pytest.approx(1.0 + slope, rel=1e-9)
        assert vjp(f, X)[0] == f(X)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 0.0, -0.0])
def test_numbers_without_steps(value, scope):
    for name in ("rint", "np.fix", "rest"):
        f = lambda x, name=name: digits.COARSE[name](x) + x  # noqa: E731
        with np.errstate(invalid="ignore"):
            np.testing.assert_equal(vjp(f, value)[0], f(value))


def test_an_integer_is_one_to_python(scope):
    expected = digits.kinds(X)
    for differentiate in (lambda f: vjp(f, X), lambda f: jvp(f, (X,), (1.0,))):
        found = []
        differentiate(lambda x, found=found: found.extend(digits.kinds(x)) or x)
        assert found == expected


def test_an_integer_outlives_the_call_as_a_plain_one(scope):
    found = []
    vjp(lambda x: found.append(digits.FINE["integers"].__globals__["floor"](x * 1e9)) or x, X)
    assert found[0] / 1e9 == np.floor(X * 1e9) / 1e9
    assert type(found[0] / 1e9) is float
    assert type(pickle.loads(pickle.dumps(found[0]))) is type(copy.deepcopy(found[0])) is int


def test_elsewhere_they_are_what_they_are_in_numpy():
    with seen_through("strangers"):
        assert grad(lambda x: x + np.floor(x * 1e10) / 1e10)(X) == 1.0
        assert grad(lambda x: x - x % 1e-10 + x)(X) == 1.0


def test_entries_equal_to_a_constant(scope):
    rate = np.array([0.1, 0.0])
    total = lambda rate: np.sum(digits.payments(rate, 10.0))  # noqa: E731
    with pytest.warns(
        LostGradientWarning, match=r"payments of strangers\.digits .*x == 0 for entries of x"
    ):
        found = grad(total)(rate)
    assert found[0] == pytest.approx((total(rate + [1e-6, 0]) - total(rate - [1e-6, 0])) / 2e-6)
    with pytest.warns(LostGradientWarning, match="x == 0"):
        assert jvp(total, (rate,), (np.array([0.0, 1.0]),))[1] == 0.0
    assert jvp(total, (rate,), (np.array([1.0, 0.0]),))[1] == pytest.approx(found[0])
    assert grad(lambda n: np.sum(digits.payments(rate, n)))(10.0) > 1.0


def test_entries_equal_to_a_constant_that_lose_nothing(scope):
    x = np.array([0.5, 0.0, 2.0])
    np.testing.assert_allclose(
        grad(lambda x: np.sum(np.where(x == 0, 3.0 * x, 3.0 * np.where(x == 0, 1.0, x))))(x), 3.0
    )
    np.testing.assert_allclose(
        jacobian(lambda x: np.where(x == 0, 2.0 * x, x))(x), np.diag([1.0, 2.0, 1.0])
    )


def straight_through(function):
    """A table whose rules of a function with steps have the derivative 1."""
    table = RuleTable(parent=default_rules, name="straight through")

    @table.rrule.register(function)
    def straight_rrule(x: Array | Scalar):
        return function(x), lambda y_bar: (y_bar,)

    @table.frule.register(function)
    def straight_frule(dots, x: Array | Scalar):
        return function(x), dots[0]

    return table


@pytest.mark.parametrize("name", ["round", "floor", "ceil", "rint", "trunc", "fix"])
def test_a_table_of_rules_holds_for_functions_with_steps(name):
    function = getattr(np, name)
    table, x = straight_through(function), np.array([0.7, -1.2])
    f = seen_through(lambda x: np.sum(function(x) ** 2 * x))
    expected = 2 * function(x) * x + function(x) ** 2
    np.testing.assert_allclose(grad(f, rules=table)(x), expected)
    along = np.array([0.3, 2.0])
    np.testing.assert_allclose(jvp(f, (x,), (along,), rules=table)[1], expected @ along)
