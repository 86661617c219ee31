"""Stresses of rubber are those of the closed form without a change of volume."""

import numpy as np
import pytest


@pytest.mark.parametrize("name", ["neo-Hookean", "Mooney-Rivlin"])
def test_stresses_are_those_of_the_closed_form(program, result, name):
    stress, _ = result[name]
    # what is left is the small change of volume
    np.testing.assert_allclose(
        stress, program.incompressible(program.RUBBERS[name]), rtol=5e-3, atol=2e-3
    )
