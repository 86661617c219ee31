"""QR: reflectors, and the factor that they are."""

from emulated_cuda.libraries import lapack
from emulated_cuda.libraries.cusolver.context import solver
from emulated_cuda.libraries.library import Address, DType, Int, Matrix
from emulated_cuda.libraries.memory import store, vector

REAL, COMPLEX = {"S": "f", "D": "d"}, {"C": "F", "Z": "D"}


@solver.over("cusolverDn{}geqrf")
def geqrf(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    a: Matrix,
    tau: Address,
    work: Address,
    size: Int,
    info: Address,
) -> None:
    store(info, "i", lapack.geqrf(a.of(dtype, m, n), vector(tau, dtype, min(m, n))))


@solver.over("cusolverDn{}orgqr", **REAL)
@solver.over("cusolverDn{}ungqr", **COMPLEX)
def orgqr(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    k: Int,
    a: Matrix,
    tau: Address,
    work: Address,
    size: Int,
    info: Address,
) -> None:
    store(info, "i", lapack.orgqr(a.of(dtype, m, n), vector(tau, dtype, k)))
