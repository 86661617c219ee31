"""Singular values and vectors. The method, by rotations or by reduction, is not that of the device:
one here serves all.
"""

import numpy as np

from emulated_cuda.libraries.cusolver.attempts import attempt
from emulated_cuda.libraries.cusolver.context import INVALID_VALUE, solver
from emulated_cuda.libraries.library import Address, DType, Int, Letter, Matrix, Refused
from emulated_cuda.libraries.memory import Array, Columns, spoil, store, vector

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
    a: Matrix,
    s: Address,
    u: Matrix,
    vt: Matrix,
    work: Address,
    size: Int,
    real_work: Address,
    info: Address,
) -> None:
    if m < n:  # as documented
        raise Refused(INVALID_VALUE)
    source, k = a.of(dtype, m, n), min(m, n)
    all_u, singular, all_v, status = decompose(source)
    vector(s, dtype.char.lower(), k)[...] = singular
    write_vectors(job_u, source, all_u, k, u)
    write_vectors(job_vt, source.T, all_v.conj(), k, vt, transposed=True)
    if OVERWRITE not in (job_u, job_vt):
        spoil(source)
    store(info, "i", status)


def write_vectors(
    job: bytes,
    source: Array,
    vectors: Array,
    k: int,
    target: Columns,
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
        target.of(source.dtype, count, len(vectors))[...] = vectors[:, :count].T
    else:
        target.of(source.dtype, len(vectors), count)[...] = vectors[:, :count]


@solver.over("cusolverDn{}gesvdjBatched")
def gesvdj_batched(
    dtype: DType,
    handle: Address,
    job: Int,
    m: Int,
    n: Int,
    a: Matrix,
    s: Address,
    u: Matrix,
    v: Matrix,
    work: Address,
    size: Int,
    info: Address,
    parameters: Address,
    count: Int,
) -> None:
    if max(m, n) > LARGEST_OF_BATCH:  # as documented
        raise Refused(INVALID_VALUE)
    sources = a.stack(dtype, m, n, count)
    lefts, rights = u.stack(dtype, m, m, count), v.stack(dtype, n, n, count)
    values = vector(s, dtype.char.lower(), count * min(m, n)).reshape(count, -1)
    for k in range(count):
        all_u, values[k], all_v, vector(info, "i", count)[k] = decompose(sources[k])
        if job:
            lefts[k], rights[k] = all_u, all_v
    spoil(sources)
