"""Cholesky's factorisation, of one matrix and of many."""

from emulated_cuda.libraries import lapack
from emulated_cuda.libraries.cusolver.context import INVALID_VALUE, solver
from emulated_cuda.libraries.library import Address, DType, Int, Refused
from emulated_cuda.libraries.memory import addresses, matrix, store, vector


@solver.over("cusolverDn{}potrf")
def potrf(
    dtype: DType,
    handle: Address,
    uplo: Int,
    n: Int,
    a: Address,
    lda: Int,
    work: Address,
    size: Int,
    info: Address,
) -> None:
    store(info, "i", lapack.potrf(matrix(a, dtype, n, n, lda), uplo))


@solver.over("cusolverDn{}potrs")
def potrs(
    dtype: DType,
    handle: Address,
    uplo: Int,
    n: Int,
    nrhs: Int,
    a: Address,
    lda: Int,
    b: Address,
    ldb: Int,
    info: Address,
) -> None:
    store(
        info, "i", lapack.potrs(matrix(a, dtype, n, n, lda), matrix(b, dtype, n, nrhs, ldb), uplo)
    )


@solver.over("cusolverDn{}potrfBatched")
def potrf_batched(
    dtype: DType,
    handle: Address,
    uplo: Int,
    n: Int,
    a: Address,
    lda: Int,
    info: Address,
    count: Int,
) -> None:
    for k, pointer in enumerate(addresses(a, count)):
        vector(info, "i", count)[k] = lapack.potrf(matrix(pointer, dtype, n, n, lda), uplo)


@solver.over("cusolverDn{}potrsBatched")
def potrs_batched(
    dtype: DType,
    handle: Address,
    uplo: Int,
    n: Int,
    nrhs: Int,
    a: Address,
    lda: Int,
    b: Address,
    ldb: Int,
    info: Address,
    count: Int,
) -> None:
    if nrhs != 1:  # as documented
        raise Refused(INVALID_VALUE)
    for each_a, each_b in zip(addresses(a, count), addresses(b, count), strict=True):
        lapack.potrs(matrix(each_a, dtype, n, n, lda), matrix(each_b, dtype, n, nrhs, ldb), uplo)
    store(info, "i", 0)
