"""Functions of `scipy.optimize`, `spatial` and `special` on traced values: what is refused, and what is SciPy's."""

import numpy as np
import pytest
from scipy import optimize as scipys, spatial as scipys_spatial, special

from chainrules_py import NotDifferentiableError
from chainrules_py.errors import NotImplementedTangentError, OptionError
from chainrules_tape import LostGradientError, grad, sparsity, vmap
from chainrules_tape.scipy import optimize, spatial, special as own_special
from processes import printed


def test_what_has_no_rule_is_scipys():
    assert optimize.milp.__wrapped__ is scipys.milp
    assert optimize.LinearConstraint is scipys.LinearConstraint
    assert "brentq" in dir(optimize)


def test_what_is_differentiated_may_be_in_an_object_of_limits_alone():
    """Asked in a process of its own, before any other call has brought the rules."""
    lines = """
import numpy as np
from chainrules_tape import grad
from chainrules_tape.scipy import optimize
def largest(b):
    bounds = optimize.Bounds(np.zeros(2), b * np.array([0.5, 9.0]))
    return optimize.minimize(lambda x: np.sum((x - 1.0) ** 2), np.zeros(2), bounds=bounds).x[0]
print(grad(largest)(0.7))
"""
    assert float(printed(lines)) == pytest.approx(0.5)


def test_one_example_without_a_solution():
    def solved(p):
        return np.sum(optimize.root(lambda y: y**2 + p, np.ones(2)).x)

    with pytest.raises(NotDifferentiableError):
        vmap(grad(solved))(np.array([[-1.0, -4.0], [1.0, 1.0]]))


TWO = np.ones(2)
PROGRAMS_WITHOUT = {
    "a kink there": lambda b: optimize.linprog(-TWO, np.eye(2), b, TWO[None], b[:1] + 1.0).fun,
    "infeasible": lambda b: optimize.linprog(TWO, np.eye(2), -b).fun,
    "unbounded": lambda b: optimize.linprog(-b).fun,
    "'ineqlin' of a linear program": lambda b: optimize.linprog(-b, np.eye(2), TWO).ineqlin,
    "integrality": lambda b: optimize.linprog(-TWO, np.eye(2), b, integrality=TWO).fun,
}


@pytest.mark.parametrize("words", PROGRAMS_WITHOUT)
def test_linear_programs_without_a_derivative(words):
    with pytest.raises((NotDifferentiableError, OptionError), match=words):
        grad(PROGRAMS_WITHOUT[words])(TWO)


def test_multipliers_of_a_linear_program():
    matrix, rhs, bounds = np.array([[1.0, 1.0]]), np.array([1.5]), [(0.2, 1.0), (None, None)]
    costs = np.array([-2.0, -1.0])
    plain = scipys.linprog(costs, matrix, rhs, bounds=bounds)

    def least(rhs, bounds):
        return optimize.linprog(costs, matrix, rhs, bounds=bounds, method="highs-ds").fun

    by_rhs = grad(lambda b: least(b, bounds))(rhs)
    np.testing.assert_allclose(by_rhs, plain.ineqlin.marginals)
    by_bound = grad(lambda high: least(rhs, [(0.2, high), (None, None)]))(1.0)
    np.testing.assert_allclose(by_bound, plain.upper.marginals[0])


def test_the_function_of_rosenbrock():
    x = np.array([1.2, 0.7, -0.3, 0.5])
    assert sparsity(optimize.rosen_der, np.ones(40)).directions == 3
    single = x.astype(np.float32)
    assert vmap(optimize.rosen)(single[None]).dtype == np.float32


@pytest.mark.parametrize("name", ["KDTree", "cKDTree"])
@pytest.mark.parametrize("module", [scipys_spatial, spatial], ids=["SciPy's", "ours"])
def test_trees_say_why_they_have_no_rule(name, module):
    def nearest(x):
        tree = module.KDTree if name == "KDTree" else module.cKDTree
        return tree(x.reshape(3, 2)).query([0.0, 0.0])[0]

    with pytest.raises(LostGradientError, match=r"which points are near.*stop_gradient"):
        grad(nearest)(np.arange(6.0))


@pytest.mark.parametrize("zeta", [special.zeta, own_special.zeta])
def test_the_exponent_of_riemanns_zeta_function_is_refused_by_name(zeta):
    with pytest.raises(NotImplementedTangentError, match="Riemann"):
        grad(zeta)(2.5)
