"""Each routine of the emulated cuSOLVER, by what defines its result: the factors multiply to the
matrix, and so on.
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
from emulated_cuda.libraries.cusolver import solver
from emulated_cuda.libraries.cusolver.context import INVALID_VALUE

pytestmark = pytest.mark.parametrize("dtype", DTYPES)
HANDLE, PARAMETERS = 0, 0
KINDS = {"float32": 0, "float64": 1, "complex64": 4, "complex128": 5}
OPS = (np.asarray, np.transpose, lambda a: a.conj().T)


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


def unset():
    """A place for `info`, or for another number."""
    return number(-1, "i")


def hermitian(dtype, n=4):
    a = random_array(dtype, n, n)
    return a + adjoint(a)


def positive(dtype, n=4):
    a = random_array(dtype, n, n)
    return a @ adjoint(a) + np.eye(n, dtype=dtype)


def real(dtype):
    return np.dtype(dtype).char.lower()


def call_with_work(symbol, given, *rest, dtype):
    """Prepare a call of cuSOLVER: get the size of its workspace from the arguments that are given,
    and make one.
    """
    name, size = f"cusolverDn{symbol}", unset()
    call(solver, f"{name}_bufferSize", *given, size)
    assert size[0] > 0
    return name, np.zeros(size[0], dtype), int(size[0])


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (1, 1)])
def test_lu(dtype, shape):
    a, ld = columns(random_array(dtype, *shape))
    original, pivots, info = a.copy(), np.zeros(min(shape), "i"), unset()
    name, work, _ = call_with_work(f"{LETTERS[dtype]}getrf", (HANDLE, *shape, a, ld), dtype=dtype)
    call(solver, name, HANDLE, *shape, a, ld, work, pivots, info)
    assert info[0] == 0
    k = min(shape)
    rows = list(range(shape[0]))
    for row, other in enumerate(pivots - 1):
        rows[row], rows[other] = rows[other], rows[row]
    close(
        (np.tril(a[:, :k], -1) + np.eye(shape[0], k)).astype(dtype) @ np.triu(a[:k]), original[rows]
    )


@pytest.mark.parametrize("trans", [0, 1, 2])
def test_systems(dtype, trans):
    a, ld = columns(random_array(dtype, 4, 4))
    b, ldb = columns(random_array(dtype, 4, 3))
    original, right, pivots, info = a.copy(), b.copy(), np.zeros(4, "i"), unset()
    call(solver, f"cusolverDn{LETTERS[dtype]}getrf", HANDLE, 4, 4, a, ld, 0, pivots, info)
    call(
        solver, f"cusolverDn{LETTERS[dtype]}getrs", HANDLE, trans, 4, 3, a, ld, pivots, b, ldb, info
    )
    assert info[0] == 0
    close(OPS[trans](original) @ b, right)


def test_a_singular_matrix_is_told(dtype):
    (a, ld), info = columns(np.diag([1, 0, 2]).astype(dtype)), unset()
    call(solver, f"cusolverDn{LETTERS[dtype]}getrf", HANDLE, 3, 3, a, ld, 0, np.zeros(3, "i"), info)
    assert info[0] == 2


@pytest.mark.parametrize("uplo", [0, 1])
def test_cholesky(dtype, uplo):
    original = positive(dtype)
    (a, ld), (b, ldb) = columns(original), columns(random_array(dtype, 4, 3))
    right, info = b.copy(), unset()
    name, work, size = call_with_work(
        f"{LETTERS[dtype]}potrf", (HANDLE, uplo, 4, a, ld), dtype=dtype
    )
    call(solver, name, HANDLE, uplo, 4, a, ld, work, size, info)
    assert info[0] == 0
    factor = adjoint(np.triu(a)) if uplo else np.tril(a)
    close(factor @ adjoint(factor), original)
    other = np.tril_indices(4, -1) if uplo else np.triu_indices(4, 1)
    close(a[other], original[other])
    call(solver, f"cusolverDn{LETTERS[dtype]}potrs", HANDLE, uplo, 4, 3, a, ld, b, ldb, info)
    close(original @ b, right)


def test_cholesky_of_batches(dtype):
    originals, rights = (positive(dtype), 2 * positive(dtype)), random_array(dtype, 2, 4, 1)
    factors, solutions = [columns(a)[0] for a in originals], [columns(b)[0] for b in rights]
    info = np.full(2, -1, "i")
    call(
        solver,
        f"cusolverDn{LETTERS[dtype]}potrfBatched",
        HANDLE,
        0,
        4,
        pointers(factors),
        6,
        info,
        2,
    )
    np.testing.assert_array_equal(info, 0)
    arguments = pointers(factors), 6, pointers(solutions), 6, info
    call(solver, f"cusolverDn{LETTERS[dtype]}potrsBatched", HANDLE, 0, 4, 1, *arguments, 2)
    close(np.stack(originals) @ np.stack(solutions), rights)
    assert (
        status_of(solver, f"cusolverDn{LETTERS[dtype]}potrsBatched", HANDLE, 0, 4, 2, *arguments, 2)
        == INVALID_VALUE
    )


def test_a_matrix_that_is_not_positive_is_told(dtype):
    (a, ld), info = columns(np.diag([1, -1, 2]).astype(dtype)), unset()
    call(solver, f"cusolverDn{LETTERS[dtype]}potrf", HANDLE, 0, 3, a, ld, 0, 0, info)
    assert info[0] == 2


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_qr(dtype, shape):
    m, n = shape
    a, ld = columns(random_array(dtype, m, n))
    k, original, info = min(m, n), a.copy(), unset()
    tau = np.zeros(k, dtype)
    name, work, size = call_with_work(f"{LETTERS[dtype]}geqrf", (HANDLE, m, n, a, ld), dtype=dtype)
    call(solver, name, HANDLE, m, n, a, ld, tau, work, size, info)
    assert info[0] == 0
    upper, (q, ldq) = np.triu(a[:k]), columns(np.zeros((m, m), dtype))
    q[:, :k] = a[:, :k]
    unitary = f"{LETTERS[dtype]}{'un' if np.dtype(dtype).kind == 'c' else 'or'}"
    name, work, size = call_with_work(f"{unitary}gqr", (HANDLE, m, m, k, q, ldq, tau), dtype=dtype)
    call(solver, name, HANDLE, m, m, k, q, ldq, tau, work, size, info)
    assert info[0] == 0
    close(q[:, :k] @ upper, original)
    close(adjoint(q) @ q, np.eye(m))
    for side in (0, 1):
        for trans in (0, 2 if np.dtype(dtype).kind == "c" else 1):
            check_product_with_q(f"{unitary}mqr", a, ld, tau, OPS[trans](q), side, trans)


def check_product_with_q(symbol, a, ld, tau, wanted, side, trans):
    """What multiplies by the reflectors against what multiplies by the factor."""
    order, k, dtype = len(wanted), len(tau), a.dtype
    sizes = (2, order, k) if side else (order, 2, k)
    (c, ldc), info = columns(random_array(dtype, *sizes[:2])), unset()
    product = c @ wanted if side else wanted @ c
    name, work, size = call_with_work(
        symbol, (HANDLE, side, trans, *sizes, a, ld, tau, c, ldc), dtype=dtype
    )
    call(solver, name, HANDLE, side, trans, *sizes, a, ld, tau, c, ldc, work, size, info)
    assert info[0] == 0
    close(c, product)


@pytest.mark.parametrize("jobs", ["AA", "SS", "OS", "AO", "NN"])
def test_singular_values(dtype, jobs):
    m, n = 5, 3
    a, ld = columns(random_array(dtype, m, n))
    original, s, info = a.copy(), np.zeros(n, real(dtype)), unset()
    (u, ldu), (vt, ldvt) = columns(np.zeros((m, m), dtype)), columns(np.zeros((n, n), dtype))
    name, work, size = call_with_work(f"{LETTERS[dtype]}gesvd", (HANDLE, m, n), dtype=dtype)
    arguments = a, ld, s, u, ldu, vt, ldvt, work, size, 0, info
    call(solver, name, HANDLE, *(job.encode() for job in jobs), m, n, *arguments)
    assert info[0] == 0
    close(s, np.linalg.svd(original, compute_uv=False))
    left = {"A": u[:, :n], "S": u[:, :n], "O": a}.get(jobs[0])
    right = {"A": vt, "S": vt, "O": a[:n]}.get(jobs[1])
    if jobs != "NN":
        close((left * s) @ right, original)
    if jobs[0] == "A":
        close(adjoint(u) @ u, np.eye(m))


def test_singular_values_of_a_flat_matrix_are_refused(dtype):
    assert (
        status_of(
            solver,
            f"cusolverDn{LETTERS[dtype]}gesvd",
            HANDLE,
            b"A",
            b"A",
            3,
            5,
            *(0, 3) * 4,
            0,
            0,
            0,
        )
        == INVALID_VALUE
    )


@pytest.mark.parametrize("economic", [0, 1])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
def test_singular_values_by_rotations(dtype, shape, economic):
    (m, n), k = shape, min(shape)
    a, ld = columns(random_array(dtype, m, n))
    original, s, info, size = a.copy(), np.zeros(k, real(dtype)), unset(), unset()
    (u, ldu), (v, ldv) = (
        columns(np.zeros((length, k if economic else length), dtype)) for length in shape
    )
    given = HANDLE, 1, economic, m, n, a, ld, s, u, ldu, v, ldv
    call(solver, f"cusolverDn{LETTERS[dtype]}gesvdj_bufferSize", *given, size, PARAMETERS)
    call(solver, f"cusolverDn{LETTERS[dtype]}gesvdj", *given, 0, int(size[0]), info, PARAMETERS)
    assert info[0] == 0
    close((u[:, :k] * s) @ adjoint(v[:, :k]), original)
    close(adjoint(u) @ u, np.eye(u.shape[1]))
    close(adjoint(v) @ v, np.eye(v.shape[1]))


def test_singular_values_of_batches(dtype):
    m, n, count = 4, 3, 2
    original = random_array(dtype, count, m, n)
    a, s, info, size = (
        np.ascontiguousarray(original.swapaxes(1, 2)),
        np.zeros((count, n), real(dtype)),
        np.full(count, -1, "i"),
        unset(),
    )
    u, v = np.zeros((count, m, m), dtype), np.zeros((count, n, n), dtype)
    given = HANDLE, 1, m, n, a, m, s, u, m, v, n
    call(
        solver,
        f"cusolverDn{LETTERS[dtype]}gesvdjBatched_bufferSize",
        *given,
        size,
        PARAMETERS,
        count,
    )
    call(
        solver,
        f"cusolverDn{LETTERS[dtype]}gesvdjBatched",
        *given,
        0,
        int(size[0]),
        info,
        PARAMETERS,
        count,
    )
    np.testing.assert_array_equal(info, 0)
    close((u.swapaxes(1, 2)[:, :, :n] * s[:, None]) @ v.conj(), original)
    a[...], u[...], v[...], s[...] = original.swapaxes(1, 2), 0, 0, 0
    given = HANDLE, 1, n, m, n, a, m, m * n, s, n, u, m, m * m, v, n, n * n
    call(solver, f"cusolverDn{LETTERS[dtype]}gesvdaStridedBatched_bufferSize", *given, size, count)
    call(
        solver,
        f"cusolverDn{LETTERS[dtype]}gesvdaStridedBatched",
        *given,
        0,
        int(size[0]),
        info,
        np.zeros(count),
        count,
    )
    close((u.swapaxes(1, 2)[:, :, :n] * s[:, None]) @ v.conj(), original)


@pytest.mark.parametrize("uplo", [0, 1])
@pytest.mark.parametrize("method", ["evd", "evj", "x", "evjBatched"])
def test_hermitian_eigenvalues(dtype, method, uplo):
    original, w, info, size = hermitian(dtype), np.zeros(4, real(dtype)), unset(), unset()
    a, ld = columns(np.triu(original) if uplo else np.tril(original), 0)
    name = f"cusolverDn{LETTERS[dtype]}{'he' if np.dtype(dtype).kind == 'c' else 'sy'}{method}"
    given = HANDLE, 1, uplo, 4, a, ld, w
    after = {"evd": (), "evj": (PARAMETERS,), "evjBatched": (PARAMETERS, 1)}.get(method)
    if after is None:
        kinds = KINDS[dtype], KINDS[str(w.dtype)]
        given = HANDLE, PARAMETERS, 1, uplo, 4, kinds[0], a, ld, kinds[1], w, kinds[0]
        sizes = np.zeros(2, np.uintp)
        call(solver, "cusolverDnXsyevd_bufferSize", *given, sizes, sizes[1:])
        call(solver, "cusolverDnXsyevd", *given, 0, int(sizes[0]), 0, int(sizes[1]), info)
    else:
        call(solver, f"{name}_bufferSize", *given, size, *after)
        call(solver, name, *given, 0, int(size[0]), info, *after)
    assert info[0] == 0
    assert (np.diff(w) >= 0).all()
    close((a * w) @ adjoint(a), original)


@pytest.mark.parametrize("vectors", [0, 1])
def test_general_eigenvalues(dtype, vectors):
    a, ld = columns(random_array(dtype, 5, 5))
    w, info, kind = np.zeros(5, np.dtype(dtype).char.upper()), unset(), KINDS[dtype]
    v, ldv = columns(np.zeros((5, 5), dtype))
    given = (
        HANDLE,
        PARAMETERS,
        0,
        vectors,
        5,
        kind,
        a,
        ld,
        KINDS[str(w.dtype)],
        w,
        kind,
        0,
        1,
        kind,
        v,
        ldv,
        kind,
    )
    sizes, original = np.zeros(2, np.uintp), a.copy()
    call(solver, "cusolverDnXgeev_bufferSize", *given, sizes, sizes[1:])
    call(solver, "cusolverDnXgeev", *given, 0, int(sizes[0]), 0, int(sizes[1]), info)
    assert info[0] == 0
    wanted = np.linalg.eigvals(original.astype("D"))
    assert all(abs(wanted - each).min() < 1e-4 for each in w)
    if vectors:
        full = unpacked(w, v)
        close((original @ full).astype(w.dtype), full * w)
        assert (abs(full).max(0) > 0.1).all()


def unpacked(w, v):
    """Of a real matrix, the vectors of a pair of conjugate values are two columns: the real and the
    imaginary part.
    """
    if v.dtype.kind == "c":
        return v
    full = v.astype(w.dtype)
    for k in np.flatnonzero(w.imag > 0):
        full[:, k], full[:, k + 1] = v[:, k] + 1j * v[:, k + 1], v[:, k] - 1j * v[:, k + 1]
    return full


def test_nan_gives_nan_and_info(dtype):
    a, ld = columns(np.full((3, 3), np.nan, dtype))
    w, s, info = np.zeros(3, real(dtype)), np.zeros(3, real(dtype)), unset()
    call(
        solver,
        f"cusolverDn{LETTERS[dtype]}gesvd",
        HANDLE,
        b"N",
        b"N",
        3,
        3,
        a,
        ld,
        s,
        0,
        3,
        0,
        3,
        0,
        0,
        0,
        info,
    )
    assert info[0] > 0
    assert np.isnan(s).all()
    call(
        solver,
        "cusolverDnXsyevd",
        *(
            HANDLE,
            0,
            1,
            0,
            3,
            KINDS[dtype],
            a,
            ld,
            KINDS[str(w.dtype)],
            w,
            KINDS[dtype],
            0,
            1,
            0,
            1,
            info,
        ),
    )
    assert np.isnan(w).all()
