"""CuPy's decompositions on a device, emulated or not: what defines them, of all shapes."""

import numpy as np
import pytest

from emulated_cuda.c_calls import DTYPES, close, random_array

pytestmark = [pytest.mark.gpu, pytest.mark.parametrize("dtype", DTYPES)]
cupy = pytest.importorskip("cupy")
SQUARES = [(4, 4), (1, 1), (2, 3, 3), (2, 2, 3, 3), (0, 0), (0, 3, 3), (40, 40)]
RECTANGLES = [*SQUARES, (5, 3), (3, 5), (2, 5, 3), (2, 3, 5), (0, 3), (3, 0), (40, 3), (2, 40, 33)]


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


@pytest.mark.parametrize("shape", RECTANGLES)
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_qr(dtype, shape, mode):
    a = random_array(dtype, *shape)
    factors = cupy.linalg.qr(cupy.asarray(a), mode)
    wanted = np.linalg.qr(a, mode)
    *q, r = (each.get() for each in (factors if isinstance(factors, tuple) else (factors,)))
    assert [each.shape for each in (*q, r)] == [
        each.shape for each in (wanted if isinstance(wanted, tuple) else (wanted,))
    ]
    close(adjoint(r) @ r, adjoint(a) @ a)
    if q:
        close(q[0] @ r, a)
        close(
            adjoint(q[0]) @ q[0],
            np.broadcast_to(np.eye(q[0].shape[-1]), (*shape[:-2], *q[0].shape[-1:] * 2)),
        )


@pytest.mark.parametrize("shape", RECTANGLES)
@pytest.mark.parametrize("full", [True, False])
def test_svd(dtype, shape, full):
    a = random_array(dtype, *shape)
    u, s, vh = (each.get() for each in cupy.linalg.svd(cupy.asarray(a), full_matrices=full))
    assert [each.shape for each in (u, s, vh)] == [
        each.shape for each in np.linalg.svd(a, full_matrices=full)
    ]
    k = s.shape[-1]
    close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a)
    close(adjoint(u) @ u, np.broadcast_to(np.eye(u.shape[-1]), (*shape[:-2], *u.shape[-1:] * 2)))
    close(
        cupy.linalg.svd(cupy.asarray(a), compute_uv=False).get(), np.linalg.svd(a, compute_uv=False)
    )


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


@pytest.mark.parametrize("shape", [(4, 4), (1, 1), (2, 3, 3)])
def test_eig(dtype, shape):
    if not hasattr(cupy.linalg, "eig"):
        pytest.skip("this CuPy has no eig")
    a = random_array(dtype, *shape)
    w, v = (each.get() for each in cupy.linalg.eig(cupy.asarray(a)))
    close((a @ v).astype(w.dtype), v * w[..., None, :])
    close(np.sort(cupy.linalg.eigvals(cupy.asarray(a)).get()), np.sort(w))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3)])
def test_empty_matrices(dtype, shape):
    a, b = cupy.zeros(shape, dtype), cupy.zeros((*shape[:-1], 2), dtype)
    assert cupy.linalg.inv(a).shape == shape
    assert cupy.linalg.solve(a, b).shape == b.shape


def test_a_singular_matrix_can_be_an_error(dtype):
    cupyx = pytest.importorskip("cupyx")
    with cupyx.errstate(linalg="raise"), pytest.raises(np.linalg.LinAlgError):
        cupy.linalg.solve(cupy.zeros((3, 3), dtype), cupy.ones((3, 2), dtype))
