"""Functions of `scipy.linalg` on traced values."""

import numpy as np
import pytest
import scipy
from scipy import linalg as scipy_linalg

from chainrules_tape import LostGradientError, grad, jacobian
from chainrules_tape.scipy import linalg

A = np.array([[3.0, 1.0], [0.5, 2.0]])
B = np.array([1.0, -2.0])


def test_matrices_are_made_of_traced_entries():
    made = jacobian(lambda x: linalg.block_diag(linalg.toeplitz(x), x))(B)
    assert made.shape == (3, 4, 2)
    assert made[..., 0].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


def test_plain_values_get_scipys_answer():
    assert np.array_equal(linalg.solve(A, B), scipy_linalg.solve(A, B))


@pytest.mark.skipif(
    scipy.__version__.startswith("1.16."),
    reason="there SciPy asks for arrays in a module of no name",
)
def test_scipys_own_name_is_refused_with_the_import_to_write():
    with pytest.raises(LostGradientError, match=r"from chainrules_tape\.scipy import linalg"):
        grad(lambda a: np.sum(scipy_linalg.solve(a, B)))(A)
    with pytest.raises(LostGradientError, match=r"from chainrules_tape\.scipy import linalg"):
        grad(lambda b: np.sum(scipy_linalg.toeplitz(b)))(B)


@pytest.mark.parametrize("name", ["cholesky", "cho_factor", "eigvalsh"])
@pytest.mark.parametrize("lower", [True, False])
def test_the_triangle_that_is_read_has_the_derivative(name, lower):
    """Of a matrix of which the other triangle holds something else."""

    def f(m, a):
        y = getattr(m, name)(a, lower=lower)
        y = y[0] if isinstance(y, tuple) else y
        return np.sum((np.tril(y) if lower else np.triu(y)) ** 3) if y.ndim == 2 else np.sum(y**3)

    a = np.array([[3.0, 0.4], [0.9, 2.0]])
    slopes = np.zeros_like(a)
    for index in np.ndindex(a.shape):
        step = np.zeros_like(a)
        step[index] = 1e-6
        slopes[index] = (f(scipy_linalg, a + step) - f(scipy_linalg, a - step)) / 2e-6
    assert np.allclose(grad(lambda a: f(linalg, a))(a), slopes, rtol=1e-7, atol=1e-8)
