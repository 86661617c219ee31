"""Singular values and vectors. The method, by rotations or by reduction, is not that of the device:
one here serves all.
"""

import numpy as np

from emulated_cuda.libraries.cusolver.attempts import attempt
from emulated_cuda.libraries.cusolver.context import INVALID_VALUE, solver
from emulated_cuda.libraries.library import Address, DType, Int, Letter, Long, Refused
from emulated_cuda.libraries.memory import Array, matrices, matrix, spoil, store, strided, vector

ALL, THIN, OVERWRITE = b"A", b"S", b"O"
LARGEST_OF_BATCH = 32  # rows or columns of what gesvdjBatched takes


def decompose(a: Array) -> tuple[Array, Array, Array, int]:
    """A = U diag(S) V^H with square U and V, and `info`."""
    m, n = a.shape

    def iterate() -> tuple[Array, ...]:
        u, s, vh = np.linalg.svd(a)
        return u, s, vh.conj().T

    (u, s, v), info = attempt(iterate, ((m, m), min(m, n), (n, n)))
    return u, s, v, info


@solver.over("cusolverDn{}gesvd")
def gesvd(
    dtype: DType,
    handle: Address,
    job_u: Letter,
    job_vt: Letter,
    m: Int,
    n: Int,
    a: Address,
    lda: Int,
    s: Address,
    u: Address,
    ldu: Int,
    vt: Address,
    ldvt: Int,
    work: Address,
    size: Int,
    real_work: Address,
    info: Address,
) -> None:
    if m < n:  # as documented
        raise Refused(INVALID_VALUE)
    source, k = matrix(a, dtype, m, n, lda), min(m, n)
    all_u, singular, all_v, status = decompose(source)
    vector(s, dtype.char.lower(), k)[...] = singular
    write_vectors(job_u, source, all_u, k, u, ldu)
    write_vectors(job_vt, source.T, all_v.conj(), k, vt, ldvt, transposed=True)
    if OVERWRITE not in (job_u, job_vt):
        spoil(source)
    store(info, "i", status)


def write_vectors(
    job: bytes,
    source: Array,
    vectors: Array,
    k: int,
    target: int,
    ld: int,
    *,
    transposed: bool = False,
) -> None:
    """Columns go where the job says: all or k of them to the target (as rows, if transposed), or
    into the matrix itself.
    """
    count = {ALL: len(vectors), THIN: k, OVERWRITE: k}.get(job, 0)
    if job == OVERWRITE:
        source[:, :k] = vectors[:, :k]
    elif transposed:
        matrix(target, source.dtype, count, len(vectors), ld)[...] = vectors[:, :count].T
    else:
        matrix(target, source.dtype, len(vectors), count, ld)[...] = vectors[:, :count]


@solver.over("cusolverDn{}gesvdj")
def gesvdj(
    dtype: DType,
    handle: Address,
    job: Int,
    economic: Int,
    m: Int,
    n: Int,
    a: Address,
    lda: Int,
    s: Address,
    u: Address,
    ldu: Int,
    v: Address,
    ldv: Int,
    work: Address,
    size: Int,
    info: Address,
    parameters: Address,
) -> None:
    k = min(m, n)
    source = matrix(a, dtype, m, n, lda)
    all_u, singular, all_v, status = decompose(source)
    spoil(source)
    vector(s, dtype.char.lower(), k)[...] = singular
    if job:
        columns_u, columns_v = (k, k) if economic else (m, n)
        matrix(u, dtype, m, columns_u, ldu)[...] = all_u[:, :columns_u]
        matrix(v, dtype, n, columns_v, ldv)[...] = all_v[:, :columns_v]
    store(info, "i", status)


@solver.over("cusolverDn{}gesvdjBatched")
def gesvdj_batched(
    dtype: DType,
    handle: Address,
    job: Int,
    m: Int,
    n: Int,
    a: Address,
    lda: Int,
    s: Address,
    u: Address,
    ldu: Int,
    v: Address,
    ldv: Int,
    work: Address,
    size: Int,
    info: Address,
    parameters: Address,
    count: Int,
) -> None:
    if max(m, n) > LARGEST_OF_BATCH:  # as documented
        raise Refused(INVALID_VALUE)
    sources = matrices(a, dtype, m, n, lda, lda * n, count)
    lefts, rights = (
        matrices(u, dtype, m, m, ldu, ldu * m, count),
        matrices(v, dtype, n, n, ldv, ldv * n, count),
    )
    values = vector(s, dtype.char.lower(), count * min(m, n)).reshape(count, -1)
    for k in range(count):
        all_u, values[k], all_v, vector(info, "i", count)[k] = decompose(sources[k])
        if job:
            lefts[k], rights[k] = all_u, all_v
    spoil(sources)


@solver.over("cusolverDn{}gesvdaStridedBatched")
def gesvda(
    dtype: DType,
    handle: Address,
    job: Int,
    rank: Int,
    m: Int,
    n: Int,
    a: Address,
    lda: Int,
    step_a: Long,
    s: Address,
    step_s: Long,
    u: Address,
    ldu: Int,
    step_u: Long,
    v: Address,
    ldv: Int,
    step_v: Long,
    work: Address,
    size: Int,
    info: Address,
    residuals: Address,
    count: Int,
) -> None:
    sources = matrices(a, dtype, m, n, lda, step_a, count)
    lefts, rights = (
        matrices(u, dtype, m, rank, ldu, step_u, count),
        matrices(v, dtype, n, rank, ldv, step_v, count),
    )
    values = strided(s, dtype.char.lower(), (count, rank), (step_s, 1))
    for k in range(count):
        all_u, singular, all_v, vector(info, "i", count)[k] = decompose(sources[k])
        values[k] = singular[:rank]
        if job:
            lefts[k], rights[k] = all_u[:, :rank], all_v[:, :rank]
        store(residuals + 8 * k, "d", np.linalg.norm(singular[rank:]))
