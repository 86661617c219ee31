"""Cholesky's factorisation, of one matrix and of many."""

from emulated_cuda.libraries import lapack
from emulated_cuda.libraries.cusolver.context import solver
from emulated_cuda.libraries.library import Address, DType, Int, Matrix
from emulated_cuda.libraries.memory import store, vector


@solver.over("cusolverDn{}potrf")
def potrf(
    dtype: DType,
    handle: Address,
    uplo: Int,
    n: Int,
    a: Matrix,
    work: Address,
    size: Int,
    info: Address,
) -> None:
    store(info, "i", lapack.potrf(a.of(dtype, n, n), uplo))


@solver.over("cusolverDn{}potrfBatched")
def potrf_batched(
    dtype: DType,
    handle: Address,
    uplo: Int,
    n: Int,
    a: Matrix,
    info: Address,
    count: Int,
) -> None:
    for k, each in enumerate(a.each(count)):
        vector(info, "i", count)[k] = lapack.potrf(each.of(dtype, n, n), uplo)
