"""CuPy's `eigh` on a device, emulated or not, matrices without entries, and singular ones."""

import numpy as np
import pytest

from emulated_cuda.c_calls import DTYPES, close, random_array

pytestmark = [pytest.mark.gpu, pytest.mark.parametrize("dtype", DTYPES)]
cupy = pytest.importorskip("cupy")
SQUARES = [(4, 4), (1, 1), (2, 3, 3), (2, 2, 3, 3), (0, 0), (0, 3, 3), (40, 40)]


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


@pytest.mark.parametrize("shape", SQUARES)
@pytest.mark.parametrize("uplo", "LU")
def test_eigh(dtype, shape, uplo):
    a = random_array(dtype, *shape)
    a = a + adjoint(a)
    given = cupy.asarray(np.tril(a) if uplo == "L" else np.triu(a))
    w, v = (each.get() for each in cupy.linalg.eigh(given, uplo))
    close((v * w[..., None, :]) @ adjoint(v), a)
    close(w, np.linalg.eigvalsh(a))
    close(cupy.linalg.eigvalsh(given, uplo).get(), w)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3)])
def test_empty_matrices(dtype, shape):
    a, b = cupy.zeros(shape, dtype), cupy.zeros((*shape[:-1], 2), dtype)
    assert cupy.linalg.inv(a).shape == shape
    assert cupy.linalg.solve(a, b).shape == b.shape


def test_a_singular_matrix_can_be_an_error(dtype):
    cupyx = pytest.importorskip("cupyx")
    with cupyx.errstate(linalg="raise"), pytest.raises(np.linalg.LinAlgError):
        cupy.linalg.solve(cupy.zeros((3, 3), dtype), cupy.ones((3, 2), dtype))
