"""Classic programs: what they say and compute; their derivatives are cells of `product`."""

import runpy
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from chainrules_py.testing import Layout
from chainrules_tape import grad

PROGRAMS = Path(__file__).parents[2] / "examples" / "programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))


@cache
def load(name):
    return SimpleNamespace(**runpy.run_path(str(PROGRAMS / f"{name}.py")))


@pytest.mark.parametrize("name", ["logistic_regression", "deconvolution", "filter_design"])
def test_gradients_by_hand(name):
    module = load(name)
    parameters, *data = module.problem()
    found, expected = (
        Layout(parameters).vector(gradient(parameters, *data))
        for gradient in (grad(module.loss), module.gradient_by_hand)
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.linalg.norm(expected))


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


def test_heat_flows_back_by_the_transposed_steps():
    module = load("heat_equation")
    parameters, measured, steps = module.problem()
    rate, start = parameters["conductivity"], parameters["start"]
    matrix = np.linalg.matrix_power(module.step_matrix(rate), steps)
    np.testing.assert_allclose(module.cooled(start, rate, steps), matrix @ start, atol=1e-13)


def test_the_energy_of_a_trajectory_is_conserved():
    module = load("lennard_jones")
    (positions,) = module.problem()
    forces = module.forces_by_hand(positions)
    np.testing.assert_allclose(module.forces(positions), forces, rtol=1e-11)
    _, energies = module.trajectory(positions, steps=50)
    assert max(energies) - min(energies) < 1e-3


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
