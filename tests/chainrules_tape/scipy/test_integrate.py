"""Functions of `scipy.integrate` on traced values: in lanes, and what is refused; other derivatives
are cells of `product.solving`.
"""

import math

import numpy as np
import pytest

from chainrules_py import BatchingError, NotDifferentiableError
from chainrules_py.errors import OptionError
from chainrules_tape import grad, jvp, taylor, value_and_grad, vmap
from chainrules_tape.scipy import integrate
from product.solving import heated


def test_steps_of_each_example_are_no_array():
    def function(p):
        return integrate.solve_ivp(lambda t, y: -p * y, (0.0, 1.0), np.ones(2)).y[:, -1]

    points = np.array([[1.0, 2.0], [0.1, 0.3], [5.0, -1.0]])
    for each in (function, grad(lambda p: np.sum(function(p)))):
        with pytest.raises(BatchingError, match="results of the shapes"):
            vmap(each)(points)


def test_each_example_has_the_values_at_its_own_steps():
    def squares(p):
        return np.sum(integrate.solve_ivp(lambda t, y: -p * y, (0.0, 1.0), np.ones(1)).y ** 2)

    points = np.array([0.7, 0.71])
    values, slopes = vmap(value_and_grad(squares))(points)
    np.testing.assert_allclose(values, [squares(p) for p in points], rtol=1e-12)
    np.testing.assert_allclose(slopes, [grad(squares)(p) for p in points], rtol=1e-12)


def test_limits_of_many_examples_move_where_they_are_finite():
    def gaussian(end):
        return integrate.quad(lambda s: np.exp(-s * s), 0.0, end)[0]

    ends = np.array([1.0, np.inf, 2.0])
    slopes = np.array([np.exp(-1.0), 0.0, np.exp(-4.0)])
    np.testing.assert_allclose(vmap(grad(gaussian))(ends), slopes, rtol=1e-12)
    second = vmap(grad(grad(gaussian)))(ends)
    np.testing.assert_allclose(second, [-2 * np.exp(-1.0), 0.0, -4 * np.exp(-4.0)], rtol=1e-12)


def test_a_limit_that_stays_may_be_a_pole():
    def over(end):
        return integrate.nquad(lambda y, x: y / x**0.5, [(0.0, 1.0), (0.0, end)])[0]

    assert np.isclose(grad(over)(1.3), 0.5 / 1.3**0.5, rtol=1e-8)


def test_equal_points_of_simpsons_rule_have_a_derivative():
    """SciPy takes the interval between them for nothing."""
    points = np.array([0.0, 1.0, 1.0, 2.0])
    assert np.isfinite(grad(lambda x: integrate.simpson(np.arange(4.0), x))(points)).all()


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
        zeros, _ = found.sol([0.0, 0.5, 1.0])
        return found.p[0] + found.yp[0, -1] + np.sum(found.x) + np.sum(zeros)

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

    with pytest.raises(OptionError, match="into the equations"):
        grad(solved)(1.0)


def test_boundary_value_problems_of_many_examples_have_meshes_of_their_own():
    with pytest.raises(OptionError, match="their meshes differ"):
        vmap(grad(heated))(np.array([0.8, 0.9]))


def test_an_event_that_jumps_is_refused():
    def found(p):
        event = lambda t, y: np.sign(y[0])  # noqa: E731
        result = integrate.solve_ivp(lambda t, y: 3 * np.ones(1), (-1.0, 1.0), p, events=event)
        return result.t_events[0][0]

    with pytest.raises(NotDifferentiableError, match="has no slope"):
        grad(found)(-3.0 * np.ones(1))


@pytest.mark.parametrize(
    "value",
    [
        lambda t: integrate.solve_ivp(lambda s, y: -y, (0.0, t), [1.0], rtol=1e-9).y[0, -1],
        lambda t: integrate.solve_ivp(
            lambda s, y: -y, (0.0, 2.0), [1.0], t_eval=np.ones(1) * t, rtol=1e-9
        ).y[0, 0],
        lambda t: integrate.solve_ivp(
            lambda s, y: -y, (0.0, 2.0), [1.0], dense_output=True, rtol=1e-9
        ).sol(t)[0],
    ],
    ids=["t_span", "t_eval", "sol"],
)
def test_times_are_differentiated_eight_times_at_most(value):
    expected = [(-1) ** k * math.exp(-1.0) / math.factorial(k) for k in range(9)]
    np.testing.assert_allclose(taylor(value, 1.0, 8), expected, rtol=1e-6)
    with pytest.raises(OptionError, match="at most eight"):
        taylor(value, 1.0, 9)
