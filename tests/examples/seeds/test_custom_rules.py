"""Rules by hand for y sin(x), conjugate gradients and a root finder, against formulas and NumPy's
solver.
"""

import numpy as np
import pytest

from chainrules_py.testing import check_frule, check_rrule
from chainrules_py.testing.settings import Settings
from chainrules_tape import hessian, jacobian, vjp


@pytest.fixture
def seed(load):
    return load("seeds/custom_rules")


@pytest.fixture(params=["rules", "one_line"])
def table(seed, request):
    return getattr(seed, request.param)


def test_hand_written_rules_pass_the_kit(seed, table):
    for check in (check_rrule, check_frule):
        check(
            seed.modulated,
            np.array(0.5),
            np.array(3.0),
            settings=Settings(rules=table, second_order="off"),
        )


A, B = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]]), np.array([1.0, 2.0, -1.0])
X_BAR = np.array([1.0, -2.0, 0.5])


def test_linear_solver_in_reverse(seed):
    x, pullback = vjp(seed.conjugate_gradients, A, B, rules=seed.rules)
    np.testing.assert_allclose(x, np.linalg.solve(A, B), rtol=1e-12)
    a_bar, b_bar = pullback(X_BAR)
    np.testing.assert_allclose(b_bar, np.linalg.inv(A).T @ X_BAR, rtol=1e-12)
    np.testing.assert_allclose(a_bar, -np.linalg.inv(A).T @ np.outer(X_BAR, x), rtol=1e-12)


def test_linear_solver_twice(seed):
    # b^T A^-1 b has the Hessian 2 A^-1.
    found = hessian(lambda b: b @ seed.conjugate_gradients(A, b), rules=seed.rules)(B)
    np.testing.assert_allclose(found, 2 * np.linalg.inv(A), rtol=1e-11, atol=1e-13)


def exact_orbit_root(theta):
    """x2 = u with u^2 + u / theta1 = theta0^2, and x1 from the parabola."""
    u = (-1 / theta[1] + np.sqrt(1 / theta[1] ** 2 + 4 * theta[0] ** 2)) / 2
    return np.stack([np.sqrt(u / theta[1]), u])


def exact_jacobian(theta, h=1e-40):
    return np.stack([exact_orbit_root(theta + 1j * h * e).imag / h for e in np.eye(2)], axis=1)


THETA = np.array([2.0, 0.5])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_root_finder(seed, mode):
    def root(theta):
        return seed.find_root(seed.orbit, np.array([1.0, 1.0]), theta)

    np.testing.assert_allclose(root(THETA), exact_orbit_root(THETA), rtol=1e-14)
    np.testing.assert_allclose(
        jacobian(root, mode=mode, rules=seed.rules)(THETA), exact_jacobian(THETA), rtol=1e-12
    )


def test_prints_all_three(seed, capsys):
    seed.main()
    assert {"custom", "one", "solution", "root"} <= {
        line.split()[0] for line in capsys.readouterr().out.splitlines()
    }
