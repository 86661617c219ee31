"""Classic programs: gradients by hand, and what they compute; all derivatives are cells of `product`."""

import runpy
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from chainrules_py.testing import Layout
from chainrules_tape import grad, jacobian

PROGRAMS = Path(__file__).parents[2] / "examples" / "programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))
BY_HAND = ["logistic_regression", "deconvolution", "filter_design"]


@cache
def load(name):
    return SimpleNamespace(**runpy.run_path(str(PROGRAMS / f"{name}.py")))


def program(name, **about):
    module = load(name)
    parameters, *data = module.problem(**about)
    return module.loss, parameters, data


def coordinates(gradient, parameters):
    return Layout(parameters).vector(gradient)


def assert_close(found, expected):
    scale = np.linalg.norm(expected)
    assert scale > 1e-3  # else there is nothing to compare
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * scale)


def complex_step(f, parameters, h=1e-40):
    """The gradient in coordinates of an analytic f (Squire and Trapp, SIAM Review 40, 1998)."""
    layout = Layout(parameters)
    point = layout.vector(parameters)
    return np.array(
        [np.imag(f(layout.restore(point + 1j * h * unit))) / h for unit in np.eye(layout.size)]
    )


@pytest.mark.parametrize("name", BY_HAND)
def test_gradient_by_hand(name):
    loss, parameters, data = program(name)
    expected = load(name).gradient_by_hand(parameters, *data)
    assert_close(
        coordinates(grad(loss)(parameters, *data), parameters), coordinates(expected, parameters)
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_runs_and_says_something(name, capsys):
    runpy.run_path(str(PROGRAMS / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out


# What the programs compute, from sources that know nothing of them


def test_newton_minimises_the_logistic_loss():
    module = load("logistic_regression")
    weights, norms = module.newton(*module.problem())
    _, *data = module.problem()
    assert np.linalg.norm(module.gradient_by_hand(weights, *data)) < 1e-13
    assert norms == sorted(norms, reverse=True)


def joint_gaussian(parameters, observations):
    """Minus the log-density of all observations at once, with their covariance written out."""
    a, c, q, r = (parameters[name] for name in ("transition", "emission", "process", "measurement"))
    steps, power = len(observations), np.linalg.matrix_power
    states = [np.eye(2)]
    for _ in range(steps - 1):
        states.append(a @ states[-1] @ a.T + q @ q.T)
    blocks = [
        [
            power(a, max(i - j, 0)) @ states[min(i, j)] @ power(a, max(j - i, 0)).T
            for j in range(steps)
        ]
        for i in range(steps)
    ]
    observe = np.kron(np.eye(steps), c)
    spread = observe @ np.block(blocks) @ observe.T + np.kron(np.eye(steps), r @ r.T)
    y = observations.ravel()
    return 0.5 * (y @ np.linalg.solve(spread, y) + np.log(np.linalg.det(2 * np.pi * spread)))


def test_kalman_filter_is_the_joint_gaussian():
    loss, parameters, (observations,) = program("kalman_filter", steps=4)
    assert loss(parameters, observations) == pytest.approx(
        joint_gaussian(parameters, observations), rel=1e-12
    )
    expected = complex_step(lambda p: joint_gaussian(p, observations), parameters)
    assert_close(coordinates(grad(loss)(parameters, observations), parameters), expected)


def test_forces_are_those_by_hand_and_conserve_energy():
    module = load("lennard_jones")
    (positions,) = module.problem()
    np.testing.assert_allclose(
        module.forces(positions), module.forces_by_hand(positions), rtol=1e-11
    )
    _, energies = module.trajectory(positions, steps=50)
    assert max(energies) - min(energies) < 1e-3


def test_heat_flows_back_by_the_transposed_steps():
    module = load("heat_equation")
    parameters, measured, steps = module.problem()
    matrix = np.linalg.matrix_power(module.step_matrix(parameters["conductivity"]), steps)
    np.testing.assert_allclose(
        jacobian(module.cooled, mode="reverse")(
            parameters["start"], parameters["conductivity"], steps
        ),
        matrix,
        atol=1e-14,
    )


def test_shooting_hits_and_converges_quadratically():
    module = load("shooting")
    velocity, target, *plan = module.problem()
    aim, misses = module.newton(velocity, target, *plan)
    np.testing.assert_allclose(module.landing(aim, *plan), target, atol=1e-13)
    assert misses[4] < 10 * misses[3] ** 2


def test_bundle_adjustment_sees_what_was_seen():
    module = load("bundle_adjustment")
    parameters, *data = module.problem()
    before = module.loss(parameters, *data)
    for _ in range(3):
        parameters = module.step(parameters, *data)
    assert module.loss(parameters, *data) < 1e-6 * before
