"""Functions of `scipy.integrate` on traced values, through `chainrules_tape.scipy`: of functions,
and of samples.
"""

import numpy as np
import pytest
from scipy import integrate as scipys

from chainrules_py import BatchingError, NotDifferentiableError
from chainrules_py.errors import OptionError
from chainrules_tape import grad, hessian, jvp, numpy as tnp, seen_through, vjp, vmap
from chainrules_tape.scipy import integrate


def test_traced_values_are_found_in_args_and_in_functions():
    assert np.isclose(
        grad(lambda a: integrate.quad(lambda x, a: a * a * x, 0.0, 2.0, args=(a,))[0])(3.0), 12.0
    )
    assert np.isclose(grad(lambda a: integrate.quad(lambda x: a * a * x, 0.0, 2.0)[0])(3.0), 12.0)


def test_autograds_own_test_of_odeint():
    at_end = grad(
        lambda y: np.sum(integrate.odeint(lambda y, t: -y, y, np.linspace(0.0, 1.0, 3))[-1])
    )
    assert np.allclose(at_end(np.array([1.0, 2.0])), np.exp(-1.0), rtol=1e-6)


INTEGRALS = {
    "quad": lambda a: integrate.quad(lambda x: np.exp(-a * x), 0.0, 1.0),
    "over the line": lambda a: integrate.quad(lambda x: np.exp(-a * x * x), -np.inf, np.inf),
    "by panels": lambda a: integrate.quad(lambda x: np.exp(-a * x), 0.0, 1.0, points=[0.3]),
    "dblquad": lambda a: integrate.dblquad(lambda y, x: np.exp(-a * x * y), 0.0, 1.0, 0.0, 1.0),
    "nquad": lambda a: integrate.nquad(lambda y, x: np.exp(-a * x * y), [(0.0, 1.0)] * 2),
}
ALONG = {
    "reverse": lambda f: grad(f)(1.0),
    "forward": lambda f: jvp(f, (1.0,), (1.0,))[1],
    "lanes": lambda f: vmap(f)(np.array([1.0, 2.0]))[0],
}


@pytest.mark.parametrize("way", ALONG)
@pytest.mark.parametrize("name", INTEGRALS)
def test_tangents_of_integrals_that_are_traced_where_the_values_are_not(name, way):
    integral = lambda a: INTEGRALS[name](a)[0]  # noqa: E731
    difference = (integral(0.5 + 1e-5) - integral(0.5 - 1e-5)) / 2e-5
    found = ALONG[way](lambda along: jvp(integral, (0.5,), (along,))[1])
    assert np.isclose(found, difference, rtol=1e-6)


def test_running_integrals_end_at_the_whole():
    x = np.cumsum(np.random.default_rng(0).uniform(0.1, 1, 9))
    whole = grad(lambda x: integrate.trapezoid(np.sin(x), x))(x)
    assert np.allclose(grad(lambda x: integrate.cumulative_trapezoid(np.sin(x), x)[-1])(x), whole)


@pytest.mark.parametrize("method", [scipys.RK45, scipys.RK23, scipys.LSODA, scipys.Radau])
@pytest.mark.parametrize("dense_output", [False, True])
def test_a_class_of_solver_in_the_place_of_its_name(method, dense_output):
    def end(module, k):
        options = {"method": method, "rtol": 1e-7, "dense_output": dense_output}
        found = module.solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0], **options)
        return (found.sol(1.0) if dense_output else found.y[:, -1])[0]

    assert np.isclose(grad(lambda k: end(integrate, k))(0.5), -np.exp(-0.5), rtol=1e-5)
    assert np.isclose(grad(seen_through(lambda k: end(scipys, k)))(0.5), -np.exp(-0.5), rtol=1e-5)


def test_the_solution_as_a_function_of_time():
    tight = {"rtol": 1e-8, "atol": 1e-10, "dense_output": True}
    times = np.array([1.2, 0.3, 0.9])

    def at(module, p, t):
        slope = lambda t, y, rate: np.stack([y[1], -rate * y[0]])  # noqa: E731
        return module.solve_ivp(
            slope, (0.0, 2.0), np.stack([p[0], 0.3 * p[0]]), args=(p[1],), **tight
        ).sol(t)

    p = np.array([0.7, 1.9])
    value, pull = vjp(lambda p, t: at(integrate, p, t), p, times)
    np.testing.assert_allclose(value, at(scipys, p, times), rtol=1e-12)
    seed = np.arange(6.0).reshape(2, 3)
    of_parameters, of_times = pull(seed)
    for found, call, x in (
        (of_parameters, lambda p: at(scipys, p, times), p),
        (of_times, lambda t: at(scipys, p, t), times),
    ):
        for k in range(x.size):
            step = 1e-4 * (np.arange(x.size) == k)
            assert np.isclose(
                found[k], np.sum(seed * (call(x + step) - call(x - step))) / 2e-4, rtol=1e-5
            )
    assert np.isclose(grad(lambda t: at(integrate, p, t)[0])(0.5), at(scipys, p, 0.5)[1], rtol=1e-6)


def test_the_solution_of_plain_values_is_scipys():
    found = integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0], dense_output=True)
    assert type(found.sol) is scipys.OdeSolution


RATES = np.array([[1.0, 2.0], [0.1, 0.3], [5.0, -1.0]])
TIMES = np.array([0.0, 0.4, 1.0])
# of y' = -p y: exp(-p), by p
DECAYED = np.exp(-RATES)
METHODS = ["RK45", "DOP853", "LSODA", "Radau"]


def decayed(p, **options):
    """The sum of the solution at the last time."""
    found = integrate.solve_ivp(
        lambda t, y: -p * y, (0.0, 1.0), np.ones(2), t_eval=TIMES, rtol=1e-9, atol=1e-10, **options
    )
    return np.sum(found.y[:, -1])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_initial_value_problems_of_many_examples(method):
    def function(p):
        return decayed(p, method=method)

    np.testing.assert_allclose(vmap(function)(RATES), DECAYED.sum(axis=1), rtol=1e-6)
    np.testing.assert_allclose(vmap(grad(function))(RATES), -DECAYED, rtol=1e-5)
    by_sum = grad(lambda p: np.sum(vmap(function)(p)))(RATES)
    np.testing.assert_allclose(by_sum, -DECAYED, rtol=1e-5)
    along = vmap(lambda p: jvp(function, (p,), (np.array([1.0, -2.0]),))[1])(RATES)
    np.testing.assert_allclose(along, -DECAYED @ [1.0, -2.0], rtol=1e-5)


def test_second_derivatives_of_initial_value_problems_of_many_examples():
    found = vmap(hessian(decayed))(RATES)
    np.testing.assert_allclose(found, DECAYED[:, None] * np.eye(2), rtol=1e-4, atol=1e-6)


def test_odeint_of_many_examples():
    def function(p):
        y = integrate.odeint(lambda y, t: -p * y, np.ones(2), TIMES, rtol=1e-10, atol=1e-10)
        return np.sum(y[-1])

    np.testing.assert_allclose(vmap(grad(function))(RATES), -DECAYED, rtol=1e-6)


def test_steps_of_each_example_are_no_array():
    def function(p):
        return integrate.solve_ivp(lambda t, y: -p * y, (0.0, 1.0), np.ones(2)).y[:, -1]

    with pytest.raises(BatchingError, match="results of the shapes"):
        vmap(function)(RATES)


def test_limits_of_many_examples_move_where_they_are_finite():
    def gaussian(end):
        return integrate.quad(lambda s: np.exp(-s * s), 0.0, end)[0]

    ends = np.array([1.0, np.inf, 2.0])
    slopes = np.array([np.exp(-1.0), 0.0, np.exp(-4.0)])
    np.testing.assert_allclose(vmap(grad(gaussian))(ends), slopes, rtol=1e-12)
    along = vmap(lambda end: jvp(gaussian, (end,), (1.0,))[1])(ends)
    np.testing.assert_allclose(along, slopes, rtol=1e-12)
    second = vmap(grad(grad(gaussian)))(ends)
    np.testing.assert_allclose(second, [-2 * np.exp(-1.0), 0.0, -4 * np.exp(-4.0)], rtol=1e-12)


def test_limits_and_parameters_of_many_examples():
    def between(p):
        return integrate.quad(lambda s: np.exp(-p[0] * s), p[1], 2 * p[0])[0]

    points = np.array([[1.0, 0.5], [1.1, 0.6]])
    expected = [grad(between)(p) for p in points]
    np.testing.assert_allclose(vmap(grad(between))(points), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("function", "samples", "points", "axis"),
    [
        (np.trapezoid, (2, 3), (3, 3, 3), 0),  # the axis is one of their product
        (np.trapezoid, (3,), (3, 2), 0),
        (np.trapezoid, (2, 3), (2, 3, 2), 1),
        (np.trapezoid, (2, 3, 3), (3, 3), -1),
        (integrate.trapezoid, (3, 2), (3, 1), 0),
        (integrate.cumulative_trapezoid, (1, 3), (2, 3), 1),
        (integrate.cumulative_trapezoid, (3, 1), (3, 2), 0),
    ],
)
def test_samples_at_points_of_another_shape_in_many_examples(function, samples, points, axis):
    rng = np.random.default_rng(0)
    y, x = rng.normal(size=samples), rng.normal(size=points)
    many_y, many_x = rng.normal(size=(2, *samples)), rng.normal(size=(2, *points))

    def run(y, x):
        return function(y, x, axis=axis)

    of_each = [run(one, x) for one in many_y]
    np.testing.assert_allclose(vmap(lambda y: run(y, x))(many_y), of_each, rtol=1e-14)
    of_each = [run(y, one) for one in many_x]
    np.testing.assert_allclose(vmap(lambda x: run(y, x))(many_x), of_each, rtol=1e-14)
    of_each = [run(*pair) for pair in zip(many_y, many_x, strict=True)]
    np.testing.assert_allclose(vmap(run)(many_y, many_x), of_each, rtol=1e-14)


def test_steps_that_are_arrays_in_many_examples():
    y, many = np.arange(6.0).reshape(3, 2) ** 2, np.array([[[1.0], [2.0]], [[0.5], [3.0]]])
    of_each = [np.trapezoid(y, dx=steps, axis=0) for steps in many]
    found = vmap(lambda steps: np.trapezoid(y, dx=steps, axis=0))(many)
    np.testing.assert_allclose(found, of_each, rtol=1e-14)


def heated(module, heat, at=0.53):
    """The temperature in a rod that heats itself, whose end is kept at a tenth of its heat."""
    mesh = np.linspace(0.0, 1.0, 21)
    return module.solve_bvp(
        lambda x, y: np.stack([y[1], -heat * np.exp(y[0])]),
        lambda first, last: tnp.stack([first[0], last[0] - 0.1 * heat]),
        mesh,
        np.zeros((2, 21)),
        tol=1e-8,
    ).sol(at)[0]


def test_a_boundary_value_problem_by_what_its_functions_capture():
    found = grad(lambda heat: heated(integrate, heat))(0.8)
    ahead, behind = (heated(scipys, 0.8 + step) for step in (1e-4, -1e-4))
    assert np.isclose(found, (ahead - behind) / 2e-4, rtol=1e-7)
    assert np.isclose(jvp(lambda heat: heated(integrate, heat), (0.8,), (1.0,))[1], found)
    second = grad(grad(lambda heat: heated(integrate, heat)))(0.8)
    slopes = [grad(lambda heat: heated(integrate, heat))(0.8 + step) for step in (1e-4, -1e-4)]
    assert np.isclose(second, (slopes[0] - slopes[1]) / 2e-4, rtol=1e-6)
    by_place = grad(lambda at: heated(integrate, 0.8, at))(0.53)
    ahead, behind = (heated(scipys, 0.8, 0.53 + step) for step in (1e-4, -1e-4))
    assert np.isclose(by_place, (ahead - behind) / 2e-4, rtol=1e-6)


@pytest.mark.parametrize("tower", [grad, lambda f: lambda x: jvp(f, (x,), (1.0,))[1]])
def test_an_eigenvalue_that_a_boundary_value_problem_has_among_its_unknowns(tower):
    """sin(w x) with w sqrt(c) = 2 pi: the parameter falls as 1 / sqrt(c), and y' with it."""
    x, guess = np.linspace(0.0, 1.0, 5), np.zeros((2, 5))
    guess[0, [1, 3]] = 1.0, -1.0

    def solved(c, tol=1e-6):
        found = integrate.solve_bvp(
            lambda x, y, p: [y[1], -(p[0] ** 2) * c * y[0]],
            lambda first, last, p: [first[0], last[0], first[1] - p[0]],
            x,
            guess,
            p=[6.0],
            tol=tol,
        )
        return found.p[0] + found.yp[0, -1] + np.sum(found.x)

    mesh_is_constant = -2 * np.pi / 1.2**1.5
    assert np.isclose(tower(solved)(1.2), mesh_is_constant, rtol=1e-5)
    with pytest.raises(NotDifferentiableError, match="not converged"):
        tower(lambda c: solved(c, tol=1e-12))(1.2)


@pytest.mark.parametrize("name", ["x", "S"])
def test_what_a_boundary_value_problem_is_not_differentiated_by(name):
    def solved(a):
        given = {"x": np.linspace(0.0, 1.0, 9), "S": None}
        given[name] = {"x": a * given["x"], "S": np.zeros((1, 1))}[name]
        x = given.pop("x")
        return integrate.solve_bvp(
            lambda x, y: a * y, lambda first, last: first - 1.0, x, np.ones((1, 9)), **given
        ).y[0, -1]

    with pytest.raises(OptionError, match="write it into the equations"):
        grad(solved)(1.0)


def test_boundary_value_problems_of_many_examples_have_meshes_of_their_own():
    with pytest.raises(OptionError, match="one example after the other"):
        vmap(grad(lambda heat: heated(integrate, heat)))(np.array([0.8, 0.9]))
