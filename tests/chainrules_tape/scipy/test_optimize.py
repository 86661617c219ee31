"""Functions of `scipy.optimize` on traced values: through `chainrules_tape.scipy`, and SciPy's own
are refused.
"""

import subprocess
import sys

import numpy as np
import pytest
from scipy import optimize as scipys

from chainrules_py import NotDifferentiableError
from chainrules_tape import LostGradientError, grad, hessian, sparsity, vmap
from chainrules_tape.scipy import optimize


def test_what_has_no_rule_is_scipys():
    assert optimize.linprog.__wrapped__ is scipys.linprog
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


def test_one_example_without_a_solution():
    def solved(p):
        return np.sum(optimize.root(lambda y: y**2 + p, np.ones(2)).x)

    with pytest.raises(NotDifferentiableError):
        vmap(grad(solved))(np.array([[-1.0, -4.0], [1.0, 1.0]]))


def test_the_function_of_rosenbrock():
    x = np.array([1.2, 0.7, -0.3, 0.5])
    hessians = hessian(optimize.rosen)(x), hessian(optimize.rosen, sparse=True)(x).toarray()
    np.testing.assert_allclose(hessians, [scipys.rosen_hess(x)] * 2)
    assert sparsity(optimize.rosen_der, np.ones(40)).directions == 3
    single = x.astype(np.float32)
    assert vmap(optimize.rosen)(single[None]).dtype == np.float32
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
