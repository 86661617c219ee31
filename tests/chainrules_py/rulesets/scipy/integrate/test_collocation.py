"""Radau's formula beside SciPy's coefficients, its order, and how often steps along a curve are tried."""

import numpy as np
import pytest
from scipy.integrate._ivp import radau as scipys

from chainrules_py.rulesets.scipy.integrate.collocation import radau
from chainrules_tape import jacobian
from chainrules_tape.scipy.integrate import solve_ivp


def test_three_stages_are_those_of_scipy():
    """SciPy has the nodes, the real eigenvalue, and weights of the error for values, not slopes."""
    method = radau(3)
    np.testing.assert_allclose(method.nodes[1:], scipys.C, rtol=1e-14)
    np.testing.assert_allclose(method.filter, scipys.MU_REAL, rtol=1e-13)
    of_slopes = scipys.E @ method.matrix[1:, 1:]
    np.testing.assert_allclose(method.errors, [1.0, *of_slopes], rtol=1e-12)


@pytest.mark.parametrize("stages", [3, 5])
def test_the_order_of_a_step_and_of_its_estimate(stages: int):
    """Of y' = y z over a step: the powers by which the errors fall when z is halved."""
    method = radau(stages)

    def errors(z: complex) -> np.ndarray:
        slopes = np.linalg.solve(np.eye(stages + 1) - z * method.matrix, np.full(stages + 1, z))
        return np.abs([1.0 + method.last @ slopes - np.exp(z), method.errors @ slopes])

    powers = np.log2(errors(0.8j) / errors(0.4j))
    np.testing.assert_allclose(powers, [2 * stages, stages + 1], atol=0.2)


@pytest.mark.parametrize("method", ["BDF", "LSODA"])
def test_the_first_steps_are_short_enough(method: str):
    """The slope is called in lanes once by the state, and once by what else it takes."""
    calls = []

    def hunt(t, y, p):
        calls.append(type(t) in (float, np.float64))
        prey, hunters = y
        return [p[0] * prey - p[1] * prey * hunters, p[1] * prey * hunters - hunters]

    def solved(p):
        options = {"method": method, "t_eval": np.linspace(0.0, 10.0, 21), "args": (p,)}
        return solve_ivp(hunt, (0.0, 10.0), np.array([10.0, 5.0]), rtol=1e-6, atol=1e-8, **options)

    found = jacobian(lambda p: solved(p).y, mode="forward")(np.array([1.1, 0.4]))
    assert found.shape == (2, 21, 2)
    assert calls.count(False) == 2
