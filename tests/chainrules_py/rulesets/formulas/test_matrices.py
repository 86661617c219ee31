"""Linear systems as rules ask for them, where a library has no function of its own."""

import numpy as np
import pytest

from chainrules_py.engines.own_functions import triangular_solution

RNG = np.random.default_rng(1)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("of_adjoint", [False, True])
def test_a_triangular_system(lower, of_adjoint):
    t, b = RNG.normal(size=(2, 3, 3)) + 1j * RNG.normal(size=(2, 3, 3))
    t = np.tril(t) if lower else np.triu(t)
    matrix = t.conj().T if of_adjoint else t
    found = triangular_solution(t, b, np, lower=lower, of_adjoint=of_adjoint)
    np.testing.assert_allclose(matrix @ found, b)
