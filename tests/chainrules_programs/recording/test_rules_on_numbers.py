"""Derivatives of functions that want the numbers themselves are steps of a program: the tape's."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from chainrules_tape import NotCompiledWarning, compiled, grad, hessian, jvp, value_and_grad, vmap
from chainrules_tape.core.trees import flatten
from chainrules_tape.scipy.integrate import quad, solve_ivp
from chainrules_tape.scipy.interpolate import BSpline, CubicSpline
from chainrules_tape.scipy.optimize import brentq, minimize, newton
from chainrules_tape.scipy.sparse.linalg import spsolve

X = np.array([1.2, 0.7, 0.4])
SPLINE = CubicSpline(np.linspace(0.0, 2.0, 6), np.sin(np.linspace(0.0, 2.0, 6)))
MATRIX = sparse.csc_array(np.eye(3) + 0.1)


def of_a_loop(x):
    """What a function captures is as it was when the solver called it."""
    total = 0.0
    for k in range(3):
        shift = np.full(1, 1.0 + k)
        total = total + brentq(lambda y: y**3 - x[0] * (k + 1) - shift[0], 0.0, 5.0)  # noqa: B023
        shift[:] = 0.0
    return total


CALLS = {
    "spsolve": lambda x: np.sum(spsolve(MATRIX, x) ** 2),
    "solve_ivp": lambda x: np.sum(
        solve_ivp(lambda t, y, k: -k * y, (0.0, 1.0), x, args=(x[0],), t_eval=[0.5, 1.0]).y
    ),
    "solve_ivp, captured": lambda x: np.sum(
        solve_ivp(lambda t, y: -x[1] * y, (0.0, 1.0), x, t_eval=[0.5, 1.0]).y
    ),
    "minimize": lambda x: np.sum(minimize(lambda y: np.sum((y - x) ** 2 + y**4), X).x),
    "brentq": lambda x: brentq(lambda y: y**3 - x[0], 0.0, 5.0),
    "quad": lambda x: quad(lambda y: np.sin(y * x[0]), 0, 1)[0],
    "a constant matrix": lambda x: np.sum((MATRIX @ x) ** 2 + MATRIX.T.dot(x)),
    "an interpolant": lambda x: np.sum(SPLINE(x) ** 2) + np.sum(SPLINE(x, 1)),
    "splines of values": lambda x: (
        np.sum(CubicSpline(X[::-1], x)(0.3 + 0.2 * x)) * BSpline(np.arange(6.0), x, 2)(2.5)
    ),
    "of a loop": of_a_loop,
}
WAYS = {
    "grad": grad,
    "value_and_grad": value_and_grad,
    "jvp": lambda f: lambda x: jvp(f, (x,), (np.ones(3),)),
    "hessian": hessian,
    "values": lambda f: f,
    "lanes": lambda f: lambda x: vmap(f)(np.stack([x, 0.9 * x])),
    "lanes of lanes": lambda f: lambda x: vmap(vmap(grad(f)))(np.stack([x, 0.9 * x])[None]),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("way", WAYS)
def test_derivatives(name, way):
    if way == "hessian" and name.startswith("solve_ivp"):
        pytest.skip("it runs on the tape")
    function = WAYS[way](CALLS[name])
    step = compiled(function)
    for factor in (1.0, 1.02, 1.04):
        found, expected = step(factor * X), function(factor * X)
        for one, other in zip(flatten(found)[0], flatten(expected)[0], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)
    assert len(step.programs()) == 1, step.explain()


def test_a_solver_that_fails_is_the_functions_error():
    slope = grad(lambda x: brentq(lambda y: y**3 - x[0], 0.0, 5.0))
    step = compiled(slope)
    for _ in range(3):
        step(X)
    with pytest.raises(ValueError, match="different signs"):
        step(-X)
    assert not step.faults


def test_an_interpolant_that_scipy_refuses_is_the_functions_error():
    slope = grad(lambda y: CubicSpline(np.arange(3.0), y, bc_type="periodic")(0.5))
    step, periodic = compiled(slope), np.array([1.0, 2.0, 1.0])
    for _ in range(3):
        np.testing.assert_allclose(step(periodic), slope(periodic))
    with pytest.raises(ValueError, match="periodic"):
        step(X)


def test_objects_in_a_result_are_no_constants():
    def f(x):
        found = minimize(lambda y: np.sum((y - x) ** 2 * x), X, method="L-BFGS-B")
        return np.sum(found.hess_inv.todense()) if x[0] > 1.0 else np.sum(found.x)

    step = compiled(f)
    for factor in (0.5, 0.5, 0.6):
        assert step(factor * X) == f(factor * X)
    assert step.programs()
    with pytest.warns(NotCompiledWarning, match="LbfgsInvHessProduct"):
        step(X)
    assert step(1.3 * X) == f(1.3 * X)


def by_brackets(x):
    return brentq(lambda y: y**3 - x[0], 0.0, 5.0)


def by_steps(x):
    return newton(lambda y: y**2 - x[0], 1.0, maxiter=30)


@pytest.mark.parametrize("way", [grad, lambda f: f])
@pytest.mark.parametrize("solved", [by_brackets, by_steps])
def test_a_branch_by_a_solvers_error(solved, way):
    def f(x):
        try:
            y = solved(x)
        except (ValueError, RuntimeError):
            return 2.0 * np.sum(x)
        return np.sum(x) * y

    step = compiled(way(f))
    with warnings.catch_warnings(action="ignore"):
        for x in (X, X, X, -X, X):
            np.testing.assert_allclose(step(x), way(f)(x))
    assert not step.faults
