"""Stresses of rubber are those of the closed form without a change of volume, and nothing pulls
sideways.
"""

import numpy as np
import pytest


@pytest.mark.parametrize("name", ["neo-Hookean", "Mooney-Rivlin"])
def test_stresses_are_those_of_the_closed_form(program, result, name):
    stress, _ = result[name]
    # what is left is the small change of volume
    np.testing.assert_allclose(
        stress, program.incompressible(program.RUBBERS[name]), rtol=5e-3, atol=2e-3
    )


@pytest.mark.parametrize("name", ["neo-Hookean", "Mooney-Rivlin"])
def test_nothing_pulls_sideways_by_differences_of_the_energy(program, result, name):
    stress, widths = result[name]
    constants, h = program.RUBBERS[name], 1e-6

    def energies(lengths, widths):
        f = program.deformations(lengths, widths)
        return np.array([program.energy(each, constants) for each in f])

    lengths = program.STRETCHES
    across = (energies(lengths, widths + h) - energies(lengths, widths - h)) / (2 * h)
    along = (energies(lengths + h, widths) - energies(lengths - h, widths)) / (2 * h)
    np.testing.assert_allclose(across, 0.0, atol=1e-5)
    np.testing.assert_allclose(along, stress, atol=1e-5)


def test_the_stiffness_is_symmetric(program):
    rng = np.random.default_rng(0)
    f = np.eye(3) + 0.1 * rng.normal(size=(5, 3, 3))
    stiffness = program.stiffnesses(f, np.array([0.3, 0.1])).reshape(5, 9, 9)
    np.testing.assert_allclose(stiffness, stiffness.swapaxes(1, 2), rtol=1e-8, atol=1e-8)
