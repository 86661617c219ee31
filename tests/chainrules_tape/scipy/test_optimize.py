"""Functions of `scipy.optimize` on traced values: through `chainrules_tape.scipy`, and SciPy's own
are refused.
"""

import subprocess
import sys

import numpy as np
import pytest
from scipy import optimize as scipys

from chainrules_py import NotDifferentiableError
from chainrules_tape import LostGradientError, grad, hessian, jacobian, jvp, sparsity, taylor, vmap
from chainrules_tape.scipy import optimize


def test_traced_values_are_found_in_args_and_in_functions():
    by_args = grad(lambda a: optimize.brentq(lambda x, a: x * x - a, 0.0, 10.0, args=(a,)))
    captured = grad(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 10.0))
    assert by_args(4.0) == captured(4.0) == 0.25


def test_what_has_no_rule_is_scipys():
    assert optimize.linprog.__wrapped__ is scipys.linprog
    assert optimize.linprog([1.0], bounds=(2.0, 3.0)).x == 2.0
    assert optimize.LinearConstraint is scipys.LinearConstraint
    assert "brentq" in dir(optimize)


def test_scipys_own_name_is_refused():
    # SciPy's C code calls on after an error, in which Python finds no attributes, or which it
    # notices where a profiler listens.
    with pytest.raises((LostGradientError, SystemError, AttributeError)) as caught:
        grad(lambda a: scipys.brentq(lambda x: x * x - a, 0.0, 10.0))(4.0)
    assert "float" in "".join([str(caught.value), *getattr(caught.value, "__notes__", ())])


def test_the_engine_does_not_import_scipy():
    lines = (
        "import sys, chainrules_tape, chainrules_py; print(any(name.partition('.')[0] == 'scipy'"
        " for name in sys.modules))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", lines], capture_output=True, text=True, check=True
        ).stdout
        == "False\n"
    )


def test_a_solver_that_is_called_in_a_solver():
    inner = lambda x: optimize.brentq(lambda y: y**3 - x, -9.0, 9.0)  # noqa: E731
    assert np.isclose(grad(lambda a: optimize.brentq(lambda x: inner(x) - a, 0.0, 50.0))(2.0), 12.0)


P = np.array([[2.0, 10.0], [30.0, 0.0]])  # y**3 + y = p at whole numbers
ROOTS = np.array([[1.0, 2.0], [3.0, 0.0]])
SOLVERS = {
    "root": lambda f, y: optimize.root(f, y).x,
    "root by lm": lambda f, y: optimize.root(f, y, method="lm").x,
    "fsolve": optimize.fsolve,
    "least_squares": lambda f, y: optimize.least_squares(f, y, xtol=1e-14, gtol=1e-14).x,
}


@pytest.mark.parametrize("name", SOLVERS)
def test_equations_of_many_examples(name):
    def solved(p):
        return SOLVERS[name](lambda y: y**3 + y - p, np.ones(2))

    np.testing.assert_allclose(vmap(solved)(P), ROOTS, atol=1e-6)
    slopes = 1 / (3 * ROOTS**2 + 1)
    found = vmap(grad(lambda p: np.sum(solved(p))))(P)
    np.testing.assert_allclose(found, slopes, atol=1e-5)
    along = vmap(lambda p: jvp(solved, (p,), (np.ones(2),))[1])(P)
    np.testing.assert_allclose(along, slopes, atol=1e-5)


def test_one_example_without_a_solution():
    def solved(p):
        return np.sum(optimize.root(lambda y: y**2 + p, np.ones(2)).x)

    with pytest.raises(NotDifferentiableError):
        vmap(grad(solved))(np.array([[-1.0, -4.0], [1.0, 1.0]]))


START, STEP = np.array([1.2, 0.7, -0.3, 0.5]), np.array([0.3, -0.2, 0.1, 2.0])


def along_step(function, argument):
    """A central difference of one of SciPy's functions along `STEP`, which is exact up to h**2."""
    h = 1e-5
    return (function(argument + h * STEP) - function(argument - h * STEP)) / (2 * h)


@pytest.mark.parametrize("name", ["rosen", "rosen_der", "rosen_hess"])
def test_the_function_of_rosenbrock_by_scipys_own_derivatives(name):
    function, plain = getattr(optimize, name), getattr(scipys, name)
    y, slope = jvp(function, (START,), (STEP,))
    assert np.allclose(y, plain(START), rtol=1e-15)
    assert np.allclose(slope, along_step(plain, START), rtol=1e-7, atol=1e-5)
    lanes = np.stack([START, STEP, START * STEP])
    assert np.allclose(vmap(function)(lanes), list(map(plain, lanes)))
    single = START.astype(np.float32)
    assert vmap(function)(single[None]).dtype == np.float32
    assert jvp(function, (single,), (single,))[1].dtype == np.float32


def test_derivatives_of_the_function_of_rosenbrock_are_each_other():
    expected = scipys.rosen_hess(START)
    assert np.allclose(grad(optimize.rosen)(START), scipys.rosen_der(START))
    assert np.allclose(jacobian(optimize.rosen_der)(START), expected)
    assert np.allclose(hessian(optimize.rosen, sparse=True)(START).toarray(), expected)
    product = jacobian(optimize.rosen_hess_prod, argnums=(0, 1))(START, STEP)
    assert np.allclose(product[1], expected)
    assert np.allclose(product[0], jacobian(optimize.rosen_hess)(START) @ STEP)
    assert sparsity(optimize.rosen_der, np.ones(40)).directions == 3

    terms = taylor(lambda t: optimize.rosen(START + t * STEP), 0.0, 5)
    steps = (0.1, 2.0)
    assert np.allclose(
        [sum(c * t**k for k, c in enumerate(terms)) for t in steps],
        [scipys.rosen(START + t * STEP) for t in steps],
    )


def test_the_function_of_rosenbrock_of_points_in_columns():
    columns = np.stack([START, STEP], axis=1)
    total = grad(lambda x: np.sum(optimize.rosen(x)))(columns)
    assert np.allclose(total, scipys.rosen_der(columns))
    assert grad(lambda a, b: optimize.rosen([a, b]), argnums=(0, 1))(1.2, 0.7) == pytest.approx(
        tuple(scipys.rosen_der([1.2, 0.7]))
    )


def test_second_derivatives_of_a_cheapest_assignment():
    costs = np.random.default_rng(0).uniform(size=(3, 3))

    def cheapest(costs):
        return np.sum(costs[optimize.linear_sum_assignment(costs)] ** 2)

    chosen = np.zeros((3, 3))
    chosen[scipys.linear_sum_assignment(costs)] = 2.0
    assert np.array_equal(hessian(cheapest)(costs).reshape(9, 9), np.diag(chosen.ravel()))
