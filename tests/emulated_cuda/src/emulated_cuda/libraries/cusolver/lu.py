"""LU, and systems solved with it."""

from emulated_cuda.libraries import lapack
from emulated_cuda.libraries.cusolver.context import solver
from emulated_cuda.libraries.library import Address, DType, Int
from emulated_cuda.libraries.memory import matrix, store, vector


@solver.over("cusolverDn{}getrf")
def getrf(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    a: Address,
    lda: Int,
    work: Address,
    pivots: Address,
    info: Address,
) -> None:
    count = min(m, n)
    if count and not pivots:
        raise NotImplementedError("getrf without pivots")
    if count:
        store(info, "i", lapack.getrf(matrix(a, dtype, m, n, lda), vector(pivots, "i", count)))


@solver.over("cusolverDn{}getrs")
def getrs(
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
) -> None:
    rows = vector(pivots, "i", n)
    store(
        info,
        "i",
        lapack.getrs(matrix(a, dtype, n, n, lda), rows, matrix(b, dtype, n, nrhs, ldb), trans),
    )
