"""Functions of Hermitian matrices: derivatives of every order, wherever the eigenvalues are."""

import numpy as np
import pytest

from chainrules_py.rulesets.linalg.hermitian_functions import hermitian_function
from chainrules_tape import ClosureError, grad

scipy_linalg = pytest.importorskip("scipy.linalg")

SPECTRA = {
    "repeated": [1.0, 1.0, 1.0, 1.0],
    "in pairs": [1.0, 1.0, 2.0, 2.0],
    "nearly": [0.5, 0.5 + 1e-13, 0.5 + 1e-7, 3.0],
    "apart": [0.2, 0.5, 1.0, 3.0],
}
FUNCTIONS = {
    np.exp: scipy_linalg.expm,
    np.log: scipy_linalg.logm,
    np.sqrt: scipy_linalg.sqrtm,
    np.square: lambda a: a @ a,
}
RNG = np.random.default_rng(0)


def drawn(dtype, n=4):
    return RNG.normal(size=(n, n)) + (
        1j * RNG.normal(size=(n, n)) if np.dtype(dtype).kind == "c" else 0
    )


def matrix_with(spectrum, dtype):
    q = np.linalg.qr(drawn(dtype, len(spectrum)))[0]
    a = (q * spectrum) @ q.conj().T
    return (a + a.conj().T) / 2


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("h", FUNCTIONS)
def test_derivatives_are_blocks_of_the_function_of_a_block_matrix(h, dtype, name):
    """f([[A, E], [0, A]]) has D f(A)[E] in its corner, and one block matrix of these D2 f(A)[E, F]
    (Higham 2008, 3.6).
    """
    a, e, f, zero = matrix_with(SPECTRA[name], dtype), drawn(dtype), drawn(dtype), np.zeros((4, 4))
    block = np.block(
        [[a, e, f, zero], [zero, a, zero, f], [zero, zero, a, e], [zero, zero, zero, a]]
    )
    expected = FUNCTIONS[h](block)
    np.testing.assert_allclose(hermitian_function(h, a), expected[:4, :4], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(
        hermitian_function(h, a, e), expected[:4, 4:8], rtol=1e-10, atol=1e-10
    )
    np.testing.assert_allclose(
        hermitian_function(h, a, e, f), expected[:4, 12:], rtol=1e-9, atol=1e-9
    )


def test_a_parameter_of_the_function():
    """Next to a plain matrix it is an ordinary value; inside a rule it is refused, not lost."""
    a, x = np.diag([1.0, 2.0]), np.ones(2)
    found = grad(lambda p: x @ hermitian_function(lambda w: w**p, a) @ x)(3.0)
    np.testing.assert_allclose(found, 8 * np.log(2.0))
    with pytest.raises(ClosureError):
        grad(lambda p: np.sum(hermitian_function(lambda w: w**p, p * a)))(3.0)


def test_complex_functions():
    a, e = matrix_with([1.0, 1.0, 2.0], "complex128"), drawn("complex128", 3)
    value, derivative = scipy_linalg.expm_frechet(1j * a, 1j * e)
    np.testing.assert_allclose(hermitian_function(lambda x: np.exp(1j * x), a), value, atol=1e-14)
    np.testing.assert_allclose(
        hermitian_function(lambda x: np.exp(1j * x), a, e), derivative, atol=1e-13
    )


def test_the_sign_of_a_matrix_projects():
    """A step between eigenvalues: with P on the positive ones and Q on the others, the derivative
    has no part within either.
    """
    a = np.diag([-2.0, -2.0, 1.0])
    found = hermitian_function(np.sign, a, np.ones((3, 3)))
    np.testing.assert_allclose(found, [[0, 0, 2 / 3], [0, 0, 2 / 3], [2 / 3, 2 / 3, 0]])
