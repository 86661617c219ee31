"""Many small matrices at once, given as an array of pointers: LU factorisations, and what is solved
with them.
"""

from emulated_cuda.libraries import lapack
from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.library import Address, DType, Int
from emulated_cuda.libraries.memory import addresses, matrix, store, vector


@blas.over("cublas{}getrfBatched")
def getrf_batched(
    dtype: DType,
    handle: Address,
    n: Int,
    a: Address,
    lda: Int,
    pivots: Address,
    info: Address,
    count: Int,
) -> None:
    if not pivots:
        raise NotImplementedError("getrfBatched without pivots")
    each_pivots = vector(pivots, "i", count * n).reshape(count, n)
    for k, pointer in enumerate(addresses(a, count)):
        vector(info, "i", count)[k] = lapack.getrf(
            matrix(pointer, dtype, n, n, lda), each_pivots[k]
        )


@blas.over("cublas{}getrsBatched")
def getrs_batched(
    dtype: DType,
    handle: Address,
    trans: Int,
    n: Int,
    nrhs: Int,
    a: Address,
    lda: Int,
    pivots: Address,
    b: Address,
    ldb: Int,
    info: Address,
    count: Int,
) -> None:
    each_pivots = vector(pivots, "i", count * n).reshape(count, n)
    for k, (each_a, each_b) in enumerate(
        zip(addresses(a, count), addresses(b, count), strict=True)
    ):
        lapack.getrs(
            matrix(each_a, dtype, n, n, lda),
            each_pivots[k],
            matrix(each_b, dtype, n, nrhs, ldb),
            trans,
        )
    store(info, "i", 0)  # of the arguments, and on the host


@blas.over("cublas{}getriBatched")
def getri_batched(
    dtype: DType,
    handle: Address,
    n: Int,
    a: Address,
    lda: Int,
    pivots: Address,
    c: Address,
    ldc: Int,
    info: Address,
    count: Int,
) -> None:
    each_pivots = vector(pivots, "i", count * n).reshape(count, n)
    for k, (each_a, each_c) in enumerate(
        zip(addresses(a, count), addresses(c, count), strict=True)
    ):
        inverse = matrix(each_c, dtype, n, n, ldc)
        vector(info, "i", count)[k] = lapack.getri(
            matrix(each_a, dtype, n, n, lda), each_pivots[k], inverse
        )
