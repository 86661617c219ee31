"""A small load has the optimum of the textbook, and a large one bends the strip as Euler says."""

import numpy as np
import pytest

integrate = pytest.importorskip("scipy.integrate")


def test_a_small_load_needs_the_parabola(program):
    result = program.main(load=0.1)
    assert np.isclose(
        result["before"], 0.1 / (3 * program.STIFFNESS * program.THICKNESS**3), rtol=1e-3
    )
    # of thicknesses like a square root
    assert np.isclose(result["after"] / result["before"], 16 / 27, rtol=2e-3)
    place = (np.arange(program.PARTS) + 0.5) / program.PARTS
    np.testing.assert_allclose(result["best"][:-4], 0.0075 * np.sqrt(1 - place)[:-4], rtol=0.02)


def test_the_even_strip_bends_as_euler_says(program, result):
    stiffness = program.STIFFNESS * program.THICKNESS**3  # EI q'' = -P cos q, q(0) = 0, q'(1) = 0

    def equations(s, z):
        return np.stack([z[1], -program.LOAD * np.cos(z[0]) / stiffness, np.sin(z[0])])

    start = np.linspace(0, 1, 50)

    def ends(first, last):
        return np.array([first[0], last[1], first[2]])

    solved = integrate.solve_bvp(
        equations, ends, start, np.stack([start, 1 - start, start / 2]), tol=1e-8
    )
    assert np.isclose(result["before"], solved.sol(1.0)[2], rtol=1e-3)
