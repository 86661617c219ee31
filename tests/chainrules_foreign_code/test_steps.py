"""Functions with steps in code that is seen through: fine steps are refused, coarse ones have no
derivative, and that is said.
"""

import numpy as np
import pytest

from chainrules_py import Array, RuleTable, Scalar, default_rules
from chainrules_tape import (
    LostGradientError,
    LostGradientWarning,
    grad,
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
def test_what_cleans_up_digits_is_refused(f, scope):
    for derivative in BOTH:
        with pytest.raises(
            LostGradientError, match=r"digits\.py:\d+\): .*clean up digits.*stop_gradient"
        ):
            derivative(f)


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


@pytest.mark.parametrize("table", [digits.FINE, digits.COARSE, digits.COUNTING])
def test_values_are_those_of_plain_numbers(table):
    expected = [f(X) for f in table.values()]
    with seen_through("strangers"):
        inside = [f(X) for f in table.values()]
    assert inside == expected
    assert list(map(type, inside)) == list(map(type, expected))


def test_numbers_of_python_stay_numbers_of_python(scope):
    for f in digits.COUNTING.values():
        assert type(vjp(f, X)[0]) is type(jvp(f, (X,), (1.0,))[0]) is type(f(X))


def test_of_one_of_several_results_nothing_is_said(scope):
    both = lambda x: np.stack(  # noqa: E731
        [digits.COARSE["rint"](x[0]) * 1.0, x[1] + digits.COUNTING["phase"](x[0])]
    )
    np.testing.assert_allclose(jacobian(both)(np.array([X, 2.0])), [[0.0, 0.0], [1.0, 1.0]])


def test_of_a_result_whose_cotangent_is_zero_nothing_is_said(scope):
    assert vjp(lambda x: digits.COARSE["rint"](x) + x, X)[1](0.0) == (0.0,)


def test_a_constant_on_purpose(scope):
    assert grad(lambda x: x * digits.COARSE["int"](stop_gradient(x)))(X) == 1.234
    assert grad(lambda x: 0.0 * x + digits.COARSE["int"](stop_gradient(x)))(X) == 0.0


@pytest.mark.parametrize("name", digits.BUFFERS)
def test_arrays_that_are_written_into(name, scope):
    for derivative in BOTH:
        assert derivative(lambda x: digits.BUFFERS[name](digits.buffer(x, True)) + x) == 1.0
        with pytest.raises(LostGradientError, match="cuts off digits"):
            derivative(lambda x: digits.BUFFERS[name](digits.buffer(x, False)) + x)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 0.0, -0.0])
def test_numbers_without_steps(value, scope):
    for name in ("rint", "np.fix", "rest"):
        f = lambda x, name=name: digits.COARSE[name](x) + x  # noqa: E731
        with np.errstate(invalid="ignore"):
            np.testing.assert_equal(vjp(f, value)[0], f(value))


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
