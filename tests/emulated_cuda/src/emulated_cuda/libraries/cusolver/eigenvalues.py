"""Eigenvalues and eigenvectors of symmetric, Hermitian and general matrices."""

import numpy as np

from emulated_cuda.libraries import lapack
from emulated_cuda.libraries.cublas.extended import DTYPES
from emulated_cuda.libraries.cublas.operations import UPPER
from emulated_cuda.libraries.cusolver.attempts import attempt
from emulated_cuda.libraries.cusolver.context import solver
from emulated_cuda.libraries.library import Address, DType, Int, Long, Matrix, Size
from emulated_cuda.libraries.memory import Array, matrix, spoil, store, vector

NAMES = {"Ssy": "f", "Dsy": "d", "Che": "F", "Zhe": "D"}


def decompose(a: Array, values: Array, uplo: int, job: int) -> int:
    """A = V diag(values) V^H, with V in place of A, which is destroyed where V is not wanted."""

    def iterate() -> tuple[Array, ...]:
        return tuple(np.linalg.eigh(a, "U" if uplo == UPPER else "L"))

    (values[...], vectors), info = attempt(iterate, (values.shape, a.shape))
    if job:
        a[...] = vectors
    else:
        spoil(a)
    return info


@solver.over("cusolverDn{}evjBatched", **NAMES)
def syevj_batched(
    dtype: DType,
    handle: Address,
    job: Int,
    uplo: Int,
    n: Int,
    a: Matrix,
    w: Address,
    work: Address,
    size: Int,
    info: Address,
    parameters: Address,
    count: Int,
) -> None:
    sources = a.stack(dtype, n, n, count)
    values = vector(w, dtype.char.lower(), count * n).reshape(count, n)
    for k in range(count):
        vector(info, "i", count)[k] = decompose(sources[k], values[k], uplo, job)


@solver.routine("cusolverDnXsyevd")
def xsyevd(
    handle: Address,
    parameters: Address,
    job: Int,
    uplo: Int,
    n: Long,
    kind_a: Int,
    a: Address,
    lda: Long,
    kind_w: Int,
    w: Address,
    compute: Int,
    work: Address,
    size: Size,
    host_work: Address,
    host_size: Size,
    info: Address,
) -> None:
    store(
        info,
        "i",
        decompose(matrix(a, DTYPES[kind_a], n, n, lda), vector(w, DTYPES[kind_w], n), uplo, job),
    )


@solver.routine("cusolverDnXgeev")
def xgeev(
    handle: Address,
    parameters: Address,
    job_left: Int,
    job_right: Int,
    n: Long,
    kind_a: Int,
    a: Address,
    lda: Long,
    kind_w: Int,
    w: Address,
    kind_left: Int,
    left: Address,
    ld_left: Long,
    kind_right: Int,
    right: Address,
    ld_right: Long,
    compute: Int,
    work: Address,
    size: Size,
    host_work: Address,
    host_size: Size,
    info: Address,
) -> None:
    if job_left:
        raise NotImplementedError("left eigenvectors")
    # Of a real matrix the vectors are packed: two real columns for a pair of conjugates.
    geev = lapack.routine("geev", DTYPES[kind_a])
    source = matrix(a, DTYPES[kind_a], n, n, lda)
    *parts, _, vectors, status = geev(source, compute_vl=False, compute_vr=bool(job_right))
    vector(w, DTYPES[kind_w], n)[...] = parts[0] + 1j * parts[1] if len(parts) == 2 else parts[0]
    if job_right:
        matrix(right, DTYPES[kind_right], n, n, ld_right)[...] = vectors
    spoil(source)
    store(info, "i", status)
