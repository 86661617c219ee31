"""Each rule is what differences say, in both modes and to second order."""

import numpy as np
import pytest

from chainrules_py.testing import check_rule
from chainrules_tape import grad
from heat_rod import conductivity, solve_tridiagonal, stored_heat

LOWER, DIAGONAL, UPPER = np.array([1.0, -0.5]), np.array([4.0, 5.0, 3.0]), np.array([0.5, 1.0])
B = np.array([1.0, 2.0, -1.0])


@pytest.mark.parametrize("x", [0.3, np.array(0.3), np.array([[0.5, -1.0], [2.0, 0.0]])])
def test_conductivity(x):
    check_rule(conductivity, x)


def test_stored_heat():
    check_rule(stored_heat, np.array([1.0, 3.0, 2.0]), np.array([0.0, 0.5, 2.0]))


def test_solution():
    a = np.diag(LOWER, -1) + np.diag(DIAGONAL) + np.diag(UPPER, 1)
    np.testing.assert_allclose(a @ solve_tridiagonal(LOWER, DIAGONAL, UPPER, B), B, rtol=1e-14)
    check_rule(solve_tridiagonal, LOWER, DIAGONAL, UPPER, B)


def test_arrays_that_the_kernels_do_not_take():
    check_rule(solve_tridiagonal, LOWER[::-1], DIAGONAL[::-1], UPPER[::-1], B[::-1])
    check_rule(conductivity, np.ones((2, 3)).T)
    with pytest.raises(TypeError, match="real and imaginary parts"):
        conductivity(np.ones(2) + 1j)


def test_single_precision_stays():
    single = [x.astype(np.float32) for x in (LOWER, DIAGONAL, UPPER, B)]
    results = (solve_tridiagonal(*single), conductivity(single[1]), stored_heat(*single[1::2]))
    assert {result.dtype for result in results} == {np.dtype(np.float32)}


def test_a_program_of_all_three():
    position = np.array([0.0, 1.0, 3.0])

    def heat(b):
        return stored_heat(solve_tridiagonal(LOWER, DIAGONAL * conductivity(b), UPPER, b), position)

    step = 1e-6 * np.eye(3)
    differences = [(heat(B + each) - heat(B - each)) / 2e-6 for each in step]
    np.testing.assert_allclose(grad(heat)(B), differences, rtol=1e-7)
