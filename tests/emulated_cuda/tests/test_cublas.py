"""Each routine of the emulated cuBLAS, against NumPy's arithmetic: with columns apart, all
transpositions, all four types.
"""

import numpy as np
import pytest

from emulated_cuda.c_calls import (
    DTYPES,
    LETTERS,
    call,
    close,
    columns,
    number,
    pointers,
    random_array,
    status_of,
)
from emulated_cuda.libraries.cublas import blas

pytestmark = pytest.mark.parametrize("dtype", DTYPES)
OPS = (np.asarray, np.transpose, lambda a: a.conj().T)
HANDLE = 0


def stored(a, trans):
    """What to store in order that op(stored) is `a`."""
    return columns(np.ascontiguousarray(OPS[trans](a)))


def real_letters(dtype):
    return {"complex64": "Sc", "complex128": "Dz"}.get(dtype, LETTERS[dtype])


@pytest.mark.parametrize("step", [1, 3, -2])
def test_vectors(dtype, step):
    letter, apart = LETTERS[dtype], abs(step)
    places = [random_array(dtype, 7 * apart, seed=k) for k in (1, 2)]
    x, y = (place[::apart][:: 1 if step > 0 else -1] for place in places)
    scalar = random_array(dtype, 1)
    product = number(0, dtype)
    for name, wanted in (
        {"dot": x @ y} if dtype in DTYPES[:2] else {"dotu": x @ y, "dotc": x.conj() @ y}
    ).items():
        call(blas, f"cublas{letter}{name}_v2", HANDLE, 7, places[0], step, places[1], step, product)
        close(product[0], wanted)
    wanted = y + scalar * x
    call(blas, f"cublas{letter}axpy_v2", HANDLE, 7, scalar, places[0], step, places[1], step)
    close(y, wanted)
    wanted = scalar * x
    call(blas, f"cublas{letter}scal_v2", HANDLE, 7, scalar, places[0], step)
    close(x, wanted)


def test_sizes_of_vectors(dtype):
    x = random_array(dtype, 9)
    sizes = abs(x.real) + abs(x.imag)
    size, position = number(0, x.real.dtype), number(0, "i")
    call(blas, f"cublas{real_letters(dtype)}nrm2_v2", HANDLE, 9, x, 1, size)
    close(size[0], np.sqrt((abs(x) ** 2).sum()))
    call(blas, f"cublas{real_letters(dtype)}asum_v2", HANDLE, 9, x, 1, size)
    close(size[0], sizes.sum())
    for name, wanted in {"amax": sizes.argmax(), "amin": sizes.argmin()}.items():
        call(blas, f"cublasI{LETTERS[dtype].lower()}{name}_v2", HANDLE, 9, x, 1, position)
        assert position[0] == wanted + 1


def test_the_norm_does_not_overflow(dtype):
    x = np.full(4, np.sqrt(np.finfo(dtype).max), dtype)
    norm = number(0, x.real.dtype)
    call(blas, f"cublas{real_letters(dtype)}nrm2_v2", HANDLE, 4, x, 1, norm)
    np.testing.assert_allclose(norm[0], 2 * x[0].real, rtol=1e-5)


@pytest.mark.parametrize("trans", [0, 1, 2])
def test_matrix_and_vector(dtype, trans):
    a, ld = stored(random_array(dtype, 4, 3), trans)
    x, y = random_array(dtype, 3), random_array(dtype, 4)
    alpha, beta = random_array(dtype, 1, seed=1), random_array(dtype, 1, seed=2)
    wanted = alpha * (OPS[trans](a) @ x) + beta * y
    call(
        blas,
        f"cublas{LETTERS[dtype]}gemv_v2",
        HANDLE,
        trans,
        *a.shape,
        alpha,
        a,
        ld,
        x,
        1,
        beta,
        y,
        1,
    )
    close(y, wanted)


def test_outer_products(dtype):
    x, y, alpha = random_array(dtype, 4), random_array(dtype, 3), random_array(dtype, 1)
    rights = {"ger": y} if dtype in DTYPES[:2] else {"geru": y, "gerc": y.conj()}
    for name, right in rights.items():
        a, ld = columns(random_array(dtype, 4, 3))
        wanted = a + alpha * x[:, None] * right
        call(blas, f"cublas{LETTERS[dtype]}{name}_v2", HANDLE, 4, 3, alpha, x, 1, y, 1, a, ld)
        close(a, wanted)


@pytest.mark.parametrize("trans", [(0, 0), (0, 1), (1, 0), (2, 1), (0, 2), (2, 2)])
@pytest.mark.parametrize("beta", [0.0, 1.5])
def test_products(dtype, trans, beta):
    (a, lda), (b, ldb) = (
        stored(random_array(dtype, 4, 5), trans[0]),
        stored(random_array(dtype, 5, 3), trans[1]),
    )
    c, ldc = columns(np.full((4, 3), np.nan if beta == 0 else 1, dtype))
    alpha = random_array(dtype, 1)
    wanted = alpha * (OPS[trans[0]](a) @ OPS[trans[1]](b)) + beta
    call(
        blas,
        f"cublas{LETTERS[dtype]}gemm_v2",
        HANDLE,
        *trans,
        4,
        3,
        5,
        alpha,
        a,
        lda,
        b,
        ldb,
        number(beta, dtype),
        c,
        ldc,
    )
    close(c, wanted)


@pytest.mark.parametrize("sizes", [(0, 3, 2), (2, 3, 0), (1, 1, 1)])
def test_empty_and_single_products(dtype, sizes):
    m, n, k = sizes
    (a, lda), (b, ldb), (c, ldc) = (
        columns(np.ones(shape, dtype)) for shape in ((m, k), (k, n), (m, n))
    )
    call(
        blas,
        f"cublas{LETTERS[dtype]}gemm_v2",
        HANDLE,
        0,
        0,
        m,
        n,
        k,
        *scaled(dtype, a, lda, b, ldb),
        c,
        ldc,
    )
    close(c, np.full((m, n), k))


def scaled(dtype, *factors):
    """The arguments of a product between the sizes and the result, with 1 and 0 for alpha and beta."""
    return number(1, dtype), *factors, number(0, dtype)


def test_products_of_batches(dtype):
    a, b = random_array(dtype, 2, 4, 5), random_array(dtype, 2, 5, 3)
    (a0, lda), (b0, ldb), (c0, ldc) = columns(a[0]), columns(b[0]), columns(np.zeros((4, 3), dtype))
    lists = [a0, columns(a[1])[0]], [b0, columns(b[1])[0]], [c0, columns(c0)[0]]
    arguments = scaled(dtype, pointers(lists[0]), lda, pointers(lists[1]), ldb)
    call(
        blas,
        f"cublas{LETTERS[dtype]}gemmBatched",
        HANDLE,
        0,
        0,
        4,
        3,
        5,
        *arguments,
        pointers(lists[2]),
        ldc,
        2,
    )
    close(np.stack(lists[2]), a @ b)


@pytest.mark.parametrize("step_b", [15, 0])
def test_products_of_strided_batches(dtype, step_b):
    a, b, c = random_array(dtype, 2, 4, 5), random_array(dtype, 2, 5, 3), np.zeros((2, 4, 3), dtype)
    stacks = [np.ascontiguousarray(x.swapaxes(1, 2)) for x in (a, b, c)]
    arguments = scaled(dtype, stacks[0], 4, 20, stacks[1], 5, step_b)
    call(
        blas,
        f"cublas{LETTERS[dtype]}gemmStridedBatched",
        HANDLE,
        0,
        0,
        4,
        3,
        5,
        *arguments,
        stacks[2],
        4,
        12,
        2,
    )
    close(stacks[2].swapaxes(1, 2), a @ (b if step_b else b[:1]))


@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize(("side", "uplo", "diag"), [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_triangular_systems(dtype, side, uplo, diag, trans):
    size = 3 if side else 4
    factor = random_array(dtype, size, size) + 3 * np.eye(size, dtype=dtype)
    triangle = np.triu(factor) if uplo else np.tril(factor)
    if diag:
        np.fill_diagonal(triangle, 1)
    (a, lda), (b, ldb) = columns(factor), columns(random_array(dtype, 4, 3))
    alpha, right = random_array(dtype, 1), b.copy()
    arguments = HANDLE, side, uplo, trans, diag, 4, 3, alpha
    call(blas, f"cublas{LETTERS[dtype]}trsm_v2", *arguments, a, lda, b, ldb)
    op = OPS[trans](triangle)
    close(b @ op if side else op @ b, alpha * right)
    again, _ = columns(right)
    call(
        blas,
        f"cublas{LETTERS[dtype]}trsmBatched",
        *arguments,
        pointers([a]),
        lda,
        pointers([again]),
        ldb,
        1,
    )
    close(again, b)


@pytest.mark.parametrize("trans", [0, 1])
@pytest.mark.parametrize("uplo", [0, 1])
def test_symmetric_products(dtype, uplo, trans):
    a, lda = stored(random_array(dtype, 4, 3), trans)
    c, ldc = columns(np.ones((4, 4), dtype))
    factor = OPS[trans](a)
    alpha, beta = number(2, dtype), number(3, dtype)
    call(
        blas,
        f"cublas{LETTERS[dtype]}syrk_v2",
        HANDLE,
        uplo,
        trans,
        4,
        3,
        alpha,
        a,
        lda,
        beta,
        c,
        ldc,
    )
    part, other = (np.triu, np.tril) if uplo else (np.tril, np.triu)
    close(part(c), part(2 * factor @ factor.T + 3))
    close(other(c, -1 if uplo else 1), other(np.ones((4, 4)), -1 if uplo else 1))


@pytest.mark.parametrize("trans", [(0, 0), (1, 0), (0, 2)])
def test_sums_of_matrices(dtype, trans):
    (a, lda), (b, ldb) = (
        stored(random_array(dtype, 4, 3), trans[0]),
        stored(random_array(dtype, 4, 3, seed=1), trans[1]),
    )
    c, ldc = columns(np.full((4, 3), np.nan, dtype))
    alpha, beta = random_array(dtype, 1, seed=1), random_array(dtype, 1, seed=2)
    call(
        blas,
        f"cublas{LETTERS[dtype]}geam",
        HANDLE,
        *trans,
        4,
        3,
        alpha,
        a,
        lda,
        beta,
        b,
        ldb,
        c,
        ldc,
    )
    close(c, alpha * OPS[trans[0]](a) + beta * OPS[trans[1]](b))
    call(
        blas,
        f"cublas{LETTERS[dtype]}geam",
        HANDLE,
        *trans,
        4,
        3,
        alpha,
        a,
        lda,
        number(0, dtype),
        0,
        ldb,
        c,
        ldc,
    )
    close(c, alpha * OPS[trans[0]](a))


@pytest.mark.parametrize("side", [0, 1])
def test_diagonal_factors(dtype, side):
    (a, lda), (c, ldc) = columns(random_array(dtype, 4, 3)), columns(np.zeros((4, 3), dtype))
    x = random_array(dtype, 3 if side else 4)
    call(blas, f"cublas{LETTERS[dtype]}dgmm", HANDLE, side, 4, 3, a, lda, x, 1, c, ldc)
    close(c, a @ np.diag(x) if side else np.diag(x) @ a)


def test_inverses_of_batches(dtype):
    a = random_array(dtype, 2, 4, 4)
    factors, inverses = (
        [columns(each)[0] for each in a],
        [columns(each)[0] for each in np.zeros_like(a)],
    )
    pivots, info = np.zeros(8, "i"), np.full(2, -1, "i")
    call(
        blas,
        f"cublas{LETTERS[dtype]}getrfBatched",
        HANDLE,
        4,
        pointers(factors),
        6,
        pivots,
        info,
        2,
    )
    np.testing.assert_array_equal(info, 0)
    assert pivots.min() >= 1
    info[:] = -1
    call(
        blas,
        f"cublas{LETTERS[dtype]}getriBatched",
        HANDLE,
        4,
        pointers(factors),
        6,
        pivots,
        pointers(inverses),
        6,
        info,
        2,
    )
    np.testing.assert_array_equal(info, 0)
    close(a @ np.stack(inverses), np.broadcast_to(np.eye(4), (2, 4, 4)))


@pytest.mark.parametrize("trans", [0, 1, 2])
def test_systems_of_batches(dtype, trans):
    a, b = random_array(dtype, 2, 4, 4), random_array(dtype, 2, 4, 3)
    factors, rights = [columns(each)[0] for each in a], [columns(each)[0] for each in b]
    pivots, info = np.zeros(8, "i"), np.full(2, -1, "i")
    call(
        blas,
        f"cublas{LETTERS[dtype]}getrfBatched",
        HANDLE,
        4,
        pointers(factors),
        6,
        pivots,
        info,
        2,
    )
    arguments = pointers(factors), 6, pivots, pointers(rights), 6, info, 2
    call(blas, f"cublas{LETTERS[dtype]}getrsBatched", HANDLE, trans, 4, 3, *arguments)
    close(np.stack([OPS[trans](each) for each in a]) @ np.stack(rights), b)


def test_a_singular_matrix_is_told(dtype):
    a, info = columns(np.diag([1, 0, 2]).astype(dtype))[0], number(-1, "i")
    call(
        blas,
        f"cublas{LETTERS[dtype]}getrfBatched",
        HANDLE,
        3,
        pointers([a]),
        5,
        np.zeros(3, "i"),
        info,
        1,
    )
    assert info[0] == 2


def test_without_pivots_is_a_failure_that_is_told(dtype, capfd):
    a, info = columns(np.eye(3, dtype=dtype))[0], number(-1, "i")
    status = status_of(
        blas, f"cublas{LETTERS[dtype]}getrfBatched", HANDLE, 3, pointers([a]), 5, 0, info, 1
    )
    assert status == blas.failed
    assert "NotImplementedError" in capfd.readouterr().err
