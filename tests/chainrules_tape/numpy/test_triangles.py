"""Where a matrix is not Hermitian, the gradient is that of the triangle which NumPy reads."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
import strangers
from chainrules_tape import grad, seen_through

A = np.array([[4.0, 0.0, 0.0], [0.3, 3.0, 0.0], [0.1, 0.2, 5.0]])
CASES = {
    "eigvalsh": lambda np, a: np.linalg.eigvalsh(a)[0],
    "eigvalsh upper": lambda np, a: np.linalg.eigvalsh(a.T, "U")[0],
    "eigvalsh by name": lambda np, a: np.linalg.eigvalsh(a.T, UPLO="U")[0],
    "eigh": lambda np, a: np.sum(np.linalg.eigh(a)[1][:, 0] ** 4),
    "cholesky": lambda np, a: np.sum(np.sin(np.linalg.cholesky(a))),
    "symmetric": lambda np, a: np.linalg.eigvalsh(a + a.T)[0],
}


@pytest.mark.parametrize("f", CASES.values(), ids=CASES)
def test_as_differences_have_it(f):
    expected = np.zeros((3, 3))
    for index in np.ndindex(3, 3):
        h = np.zeros((3, 3))
        h[index] = 1e-6
        expected[index] = (f(np, A + h) - f(np, A - h)) / 2e-6
    assert np.allclose(grad(lambda a: f(tnp, a))(A), expected, atol=1e-8)


def test_of_code_that_is_seen_through_it_always_is():
    def f(a):
        return np.sum(strangers.rotations.correlated(a))

    a = np.array([[2.0, 0.5], [0.5, 1.0]])
    with seen_through("strangers"):
        found = grad(f)(a)
    h = np.array([[0.0, 0.0], [1e-6, 0.0]])
    assert found[1, 0] == pytest.approx((f(a + h) - f(a - h)) / 2e-6, rel=1e-6)
    assert found[0, 1] == 0.0


def test_plain_values_go_to_numpy():
    assert np.array_equal(tnp.linalg.eigvalsh(A), np.linalg.eigvalsh(A))
