"""LU, and systems solved with it."""

from emulated_cuda.libraries import lapack
from emulated_cuda.libraries.cusolver.context import solver
from emulated_cuda.libraries.library import Address, DType, Int, Matrix
from emulated_cuda.libraries.memory import store, vector


@solver.over("cusolverDn{}getrf")
def getrf(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    a: Matrix,
    work: Address,
    pivots: Address,
    info: Address,
) -> None:
    count = min(m, n)
    if count and not pivots:
        raise NotImplementedError("getrf without pivots")
    if count:
        store(info, "i", lapack.getrf(a.of(dtype, m, n), vector(pivots, "i", count)))


@solver.over("cusolverDn{}getrs")
def getrs(
    dtype: DType,
    handle: Address,
    trans: Int,
    n: Int,
    nrhs: Int,
    a: Matrix,
    pivots: Address,
    b: Matrix,
    info: Address,
) -> None:
    rows = vector(pivots, "i", n)
    store(
        info,
        "i",
        lapack.getrs(a.of(dtype, n, n), rows, b.of(dtype, n, nrhs), trans),
    )
