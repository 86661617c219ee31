"""QR: reflectors, the factor that they are, and products with it."""

from emulated_cuda.libraries import lapack
from emulated_cuda.libraries.cublas.operations import RIGHT
from emulated_cuda.libraries.cusolver.context import solver
from emulated_cuda.libraries.library import Address, DType, Int
from emulated_cuda.libraries.memory import matrix, store, vector

REAL, COMPLEX = {"S": "f", "D": "d"}, {"C": "F", "Z": "D"}


@solver.over("cusolverDn{}geqrf")
def geqrf(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    a: Address,
    lda: Int,
    tau: Address,
    work: Address,
    size: Int,
    info: Address,
) -> None:
    store(info, "i", lapack.geqrf(matrix(a, dtype, m, n, lda), vector(tau, dtype, min(m, n))))


@solver.over("cusolverDn{}orgqr", **REAL)
@solver.over("cusolverDn{}ungqr", **COMPLEX)
def orgqr(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    k: Int,
    a: Address,
    lda: Int,
    tau: Address,
    work: Address,
    size: Int,
    info: Address,
) -> None:
    store(info, "i", lapack.orgqr(matrix(a, dtype, m, n, lda), vector(tau, dtype, k)))


@solver.over("cusolverDn{}ormqr", **REAL)
@solver.over("cusolverDn{}unmqr", **COMPLEX)
def ormqr(
    dtype: DType,
    handle: Address,
    side: Int,
    trans: Int,
    m: Int,
    n: Int,
    k: Int,
    a: Address,
    lda: Int,
    tau: Address,
    c: Address,
    ldc: Int,
    work: Address,
    size: Int,
    info: Address,
) -> None:
    reflectors = matrix(a, dtype, n if side == RIGHT else m, k, lda)
    target = matrix(c, dtype, m, n, ldc)
    store(
        info,
        "i",
        lapack.ormqr(reflectors, vector(tau, dtype, k), target, right=side == RIGHT, trans=trans),
    )
