"""What derivatives of solutions cost in scipy.optimize and scipy.integrate, how precise they are, and
what is refused; the derivatives are cells of `product.solving`.
"""

import itertools

import numpy as np
import pytest
from scipy import integrate as scipys

from chainrules_py import (
    ChainRulesError,
    NotDifferentiableError,
    OptionError,
    default_rules as RULES,
    primitive,
)
from chainrules_py.rulesets.scipy.integrate import nodes, steps_at_once
from chainrules_tape import checkpoint, grad, jacobian, jvp
from chainrules_tape.scipy import integrate, optimize
from product import solving

POINT = np.array([1.3, 2.1])
MODES = ("forward", "reverse")


# --- Given Jacobians ---


def kepler(x, m, e):
    return x - e * np.sin(x) - m


def given_jacobians(count):
    """The equation of a chain of springs, its derivative by x, and a list of its pulls."""
    beside = np.eye(count, k=1) + np.eye(count, k=-1)
    pulls = []

    @primitive
    def cubed(x):
        return x**3

    @RULES.rrule.register(cubed)
    def cubed_rrule(x):
        return x**3, lambda y_bar: (pulls.append(1) or 3 * x**2 * y_bar,)

    RULES.frule.register(cubed)(lambda dots, x: (x**3, 3 * x**2 * dots[0]))
    return (
        lambda x, a: a * x + cubed(x) - 0.2 * (beside @ x) - 1,
        lambda x, a: np.diag(a + 3 * x**2) - 0.2 * beside,
        pulls,
    )


@pytest.mark.parametrize(("factor", "most"), [(1.0, 3), (1 + 1e-5, 6), (3.0, 30)])
def test_a_given_jacobian_takes_the_place_of_its_columns_unless_it_is_wrong(factor, most):
    force, slope, pulls = given_jacobians(12)
    a = np.linspace(1.0, 2.0, 12)
    wrong = lambda x, a: factor * slope(x, a)  # noqa: E731
    calls = {
        "columns": lambda a: optimize.root(force, np.zeros(12), args=(a,), tol=1e-12).x,
        "root": lambda a: optimize.root(force, np.zeros(12), args=(a,), jac=wrong, tol=1e-12).x,
        "beside": (
            lambda a: (
                optimize.root(
                    lambda x, a: (force(x, a), wrong(x, a)), np.zeros(12), (a,), jac=True, tol=1e-12
                ).x
            )
        ),
        "fsolve": lambda a: optimize.fsolve(force, np.zeros(12), (a,), fprime=wrong, xtol=1e-12),
        "minimize": lambda a: (
            optimize.minimize(
                lambda x, a: (
                    0.5 * x @ (a * x) + 0.25 * np.sum(x**4) - 0.2 * x[1:] @ x[:-1] - np.sum(x)
                ),
                *(np.zeros(12), (a,), "Newton-CG"),
                jac=force,
                hess=wrong if factor < 2 else slope,
                tol=1e-9,
            ).x
        ),
    }
    exact = -calls["columns"](a) * np.linalg.solve(slope(calls["columns"](a), a), np.ones(12))
    for name, found in calls.items():
        pulls.clear()
        assert np.allclose(grad(lambda a, found=found: np.sum(found(a)))(a), exact, rtol=1e-6), name
        assert len(pulls) <= most or name == "columns", name
        assert np.allclose(jvp(found, (a,), (np.ones(12),))[1].sum(), exact.sum(), rtol=1e-6), name
    pulls.clear()
    grad(lambda a: np.sum(calls["columns"](a)))(a)
    assert len(pulls) > 12


def test_columns_of_many_unknowns_are_computed_in_lanes():
    force, _, pulls = given_jacobians(30)
    a = np.linspace(1.0, 2.0, 30)
    solved = lambda a: optimize.root(force, np.zeros(30), args=(a,), tol=1e-12).x  # noqa: E731
    grad(lambda a: np.sum(solved(a)))(a)
    assert len(pulls) <= 3


# --- Differential equations ---


def test_many_parameters_leave_the_state_its_precision():
    weights = np.full(10_000, 1e-4)
    found = grad(
        lambda w: integrate.solve_ivp(lambda t, y: -np.sum(w) * y, (0.0, 1.0), [1.0], args=None).y[
            0, -1
        ]
    )(weights)
    assert np.allclose(found, -np.exp(-1.0), rtol=2e-3)  # the solver's own tolerance is 1e-3


def test_observations_within_steps_cost_no_more_slopes():
    calls = []

    def field(t, y, w):
        calls.append(t)
        return w * np.sin(y) - y

    def slopes(times):
        calls.clear()
        options = {"t_eval": times, "args": (0.7,)}
        grad(lambda y: np.sum(integrate.solve_ivp(field, (0.0, 3.0), y, **options).y ** 2))(
            np.array([1.0, 2.0])
        )
        return len(calls)

    assert slopes(np.linspace(0.0, 2.9, 100)) <= 1.3 * slopes(np.array([2.9]))


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853"])
def test_a_point_of_rest_where_steps_are_longer_than_the_derivative_allows(method):
    """The solution stays at 1, which the solver follows in few steps; its derivatives decay and
    swing many times in each.
    """

    def found(p):
        field = lambda t, y: -p[0] * (y - 1) + (p[1] - 2.1) * np.cos(9 * t)  # noqa: E731
        times = np.linspace(0.1, 3.0, 7)
        y0 = np.stack([p[0] - 0.3, 1.0])
        return integrate.solve_ivp(
            field, (0.0, 3.0), y0, method, t_eval=times, rtol=1e-3, atol=1e-6
        ).y[0]

    t = np.linspace(0.1, 3.0, 7)
    swing = (1.3 * np.cos(9 * t) + 9 * np.sin(9 * t) - 1.3 * np.exp(-1.3 * t)) / (1.3**2 + 81)
    exact = np.stack([np.exp(-1.3 * t), swing], axis=1)
    for mode in MODES:
        assert np.allclose(jacobian(found, mode=mode)(POINT), exact, atol=5e-3), mode


@pytest.mark.long
def test_checkpoints_hold_the_memory():
    import tracemalloc

    turn = np.repeat([1.0, -1.0], 150)

    def piece(y, w):
        return integrate.solve_ivp(
            lambda t, y, w: w * y[::-1] * turn, (0.0, 70.0), y, args=(w,), t_eval=[70.0]
        ).y[:, -1]

    def peak(step, pieces):
        def loss(w):
            y = np.repeat([1.0, 0.0], 150)
            for _ in range(pieces):
                y = step(y, w)
            return y[0]

        tracemalloc.start()
        try:
            return grad(loss)(1.0), tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    (deep, kept), (light, flat) = peak(piece, 4), peak(checkpoint(piece), 4)
    assert np.isclose(light, deep, rtol=1e-9)
    more_kept, more_flat = kept - peak(piece, 2)[1], flat - peak(checkpoint(piece), 2)[1]
    assert more_flat < 0.4 * more_kept


# --- What is refused ---

REFUSED = {
    "maxfev": lambda a: optimize.root(kepler, 1.0, args=(a, 0.9), options={"maxfev": 2}).x[0],
    "singular": lambda a: optimize.brentq(lambda x: a * x**3, -1.0, 1.0),
    "other parts of the result": lambda a: optimize.root(kepler, 1.0, args=(a, 0.5)).qtf[0],
    "full_output": lambda a: optimize.brentq(kepler, 0.0, 9.0, args=(a, 0.5), full_output=True)[0],
    "loss": (
        lambda a: optimize.least_squares(
            lambda x: x - a, 0.5, loss=lambda z: np.stack([z, 1 + 0 * z, 0 * z])
        ).x[0]
    ),
    "opts": lambda a: integrate.nquad(lambda x, y: a * x, [(0, 1), (0, 1)], opts={"limit": 9})[0],
    "weight": lambda a: integrate.quad(lambda x: a * x, 0.0, np.inf, weight="cos", wvar=2.0)[0],
    "step size": lambda a: integrate.solve_ivp(lambda t, y: a * y * y, (0.0, 3.0), [1.0]).y[0, -1],
}


@pytest.mark.parametrize("word", REFUSED)
def test_what_has_no_rule_is_refused_by_name(word):
    for derivative in (grad, lambda f: lambda x: jvp(f, (x,), (1.0,))):
        with pytest.raises((NotDifferentiableError, OptionError, ChainRulesError), match=word):
            derivative(REFUSED[word])(1.0)


def test_the_error_for_an_option_without_rule_carries_its_value():
    def end(y0):
        return integrate.odeint(lambda y, t: -y, y0, [0.0, 1.0], full_output=1)[0][-1, 0]

    with pytest.raises(OptionError) as caught:
        grad(end)(np.ones(1))
    assert (caught.value.option, caught.value.value) == ("full_output", 1)


# --- What a gradient costs ---


def calls_of(run, *args):
    """How often a function is called in a computation that is given it."""
    counted = [0]

    def counting(f):
        def wrapped(*args):
            counted[0] += 1
            return f(*args)

        return wrapped

    run(counting, *args)
    return counted[0]


def test_numbers_are_integrated_at_fewer_nodes_than_the_integral():
    traced = []

    def integral(a):
        def f(y, x):
            traced.append(type(y * a) is not float)
            return np.exp(-a * x * y) + y * a if y >= 0 else 0.0

        return integrate.dblquad(f, 0.1 * a, a, 0.2, lambda x: a * x + 0.3)[0]

    grad(integral)(1.3)
    # 169 nodes, and 13 at each of three limits that move; SciPy takes 441
    assert sum(traced) <= 210


@pytest.mark.parametrize("gauss", sorted(nodes.KRONROD))
def test_kronrods_rules_are_exact_for_polynomials(gauss):
    x, (exact, rough) = nodes.unit_rule(gauss)
    for degree in range(3 * gauss + 2):
        assert np.isclose(exact @ x**degree, 1 / (degree + 1), rtol=1e-14)
    for degree in range(2 * gauss):
        assert np.isclose(rough @ x**degree, 1 / (degree + 1), rtol=1e-14)
    assert np.count_nonzero(rough) == gauss


SPAN, START = (0.0, 5.0), np.array([1.0, 0.0])


def swing(m, count, p, method):
    slope = count(lambda t, y: np.stack([p * y[1], -1.3 * np.sin(y[0])]))
    return m.solve_ivp(slope, SPAN, START, method, rtol=1e-6).y[0, -1]


# Calls of a function beside those that SciPy makes of it for the value
COSTS = {
    "all nodes at once": (
        1.05,
        grad,
        lambda m, count, a: m.dblquad(
            count(lambda y, x: np.exp(-a * x * y) + y * a), 0, 1, 0, lambda x: a * x + 0.3
        )[0],
    ),
    "the second derivative": (
        2,
        lambda f: grad(grad(f)),
        lambda m, count, a: m.dblquad(count(lambda y, x: np.exp(-a * x * y)), 0, 1, 0, 1)[0],
    ),
    "a kink": (
        2.5,
        grad,
        lambda m, count, a: m.quad(count(lambda x: abs(x - 0.4 * a) * a), 0.0, 1.0)[0],
    ),
    "a kink of inner integrals": (
        5,
        grad,
        lambda m, count, a: m.dblquad(count(lambda y, x: abs(y - a * x / 3)), 0, 1, 0, 1)[0],
    ),
    "Radau": (2, grad, lambda m, count, p: swing(m, count, p, "Radau")),
    **{
        method: (3, grad, lambda m, count, p, method=method: swing(m, count, p, method))
        for method in ("BDF", "LSODA")
    },
}


@pytest.mark.parametrize("name", COSTS)
def test_a_derivative_calls_a_function_few_times(name):
    most, derivative, run = COSTS[name]
    plain = calls_of(lambda count: run(scipys, count, 1.2))
    found = calls_of(lambda count: derivative(lambda a: run(integrate, count, a))(1.2))
    assert found <= most * plain


RATES = np.array([1.1, 0.4, 0.4, 0.1])
TRACED = []  # of what class the values were with which a slope was called


def hunt(t, y, p):
    TRACED.append(type(y))
    return solving.hunt(t, y, p)


def traced_calls():
    return sum(cls is not np.ndarray for cls in TRACED)


def hunted(p, method, end=1.0):
    options = {"rtol": 1e-8, "atol": 1e-10, "args": (p,)}
    return integrate.solve_ivp(hunt, (0.0, end), np.array([10.0, 5.0]), method, **options).y[:, -1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", solving.METHODS)
def test_all_steps_are_differentiated_at_once(method, mode):
    TRACED.clear()
    jacobian(lambda p: hunted(p, method, 6.0), mode=mode)(RATES)
    assert 0 < traced_calls() <= 8


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_are_as_exact_as_the_solution(mode):
    """Along an interpolant of the same tolerances they would be ten times less so."""

    def end(p, **tolerances):
        options = {"args": (p,), "t_eval": [10.0], **tolerances}
        return integrate.solve_ivp(hunt, (0.0, 10.0), np.array([10.0, 5.0]), **options).y[:, 0]

    exact = jacobian(lambda p: end(p, rtol=1e-10, atol=1e-10))(RATES)
    found = jacobian(end, mode=mode)(RATES)
    assert np.allclose(found, exact, rtol=0, atol=0.02 * np.abs(exact).max())


@pytest.mark.parametrize("method", ["RK45", "LSODA"])
def test_where_all_jacobians_take_too_much_memory_steps_are_taken_one_by_one(method, monkeypatch):
    def both_modes():
        return [jacobian(lambda p: hunted(p, method), mode=mode)(RATES) for mode in MODES]

    at_once = both_modes()
    monkeypatch.setattr(steps_at_once, "MOST_ENTRIES", 0)
    one_by_one = both_modes()
    for found in (*at_once[1:], *one_by_one):
        assert np.allclose(found, at_once[0], rtol=1e-6, atol=1e-6)
    assert not np.array_equal(one_by_one, at_once)


JITTER = itertools.cycle([1.0, 1.0 + 1e-6, 1.0 - 1e-6])


def test_a_slope_that_is_another_one_when_called_again_is_differentiated_step_by_step():
    def slope(t, y, p):
        TRACED.append(type(y))
        return -p * y * next(JITTER)

    def end(p):
        return integrate.solve_ivp(slope, (0.0, 1.0), [2.0], args=(p,), rtol=1e-4).y[0, -1]

    for derivative in (grad(end), lambda p: jvp(end, (p,), (1.0,))[1]):
        TRACED.clear()
        assert np.isclose(derivative(0.7), -2.0 * np.exp(-0.7), rtol=1e-3)
        assert traced_calls() > 10
