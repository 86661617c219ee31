"""Many small matrices at once, given as an array of pointers: LU factorisations, and what is solved
with them.
"""

from emulated_cuda.libraries import lapack
from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.library import Address, DType, Int, Matrix
from emulated_cuda.libraries.memory import store, vector


@blas.over("cublas{}getrfBatched")
def getrf_batched(
    dtype: DType,
    handle: Address,
    n: Int,
    a: Matrix,
    pivots: Address,
    info: Address,
    count: Int,
) -> None:
    if not pivots:
        raise NotImplementedError("getrfBatched without pivots")
    each_pivots = vector(pivots, "i", count * n).reshape(count, n)
    for k, each in enumerate(a.each(count)):
        vector(info, "i", count)[k] = lapack.getrf(each.of(dtype, n, n), each_pivots[k])


@blas.over("cublas{}getrsBatched")
def getrs_batched(
    dtype: DType,
    handle: Address,
    trans: Int,
    n: Int,
    nrhs: Int,
    a: Matrix,
    pivots: Address,
    b: Matrix,
    info: Address,
    count: Int,
) -> None:
    each_pivots = vector(pivots, "i", count * n).reshape(count, n)
    for rows, each_a, each_b in zip(each_pivots, a.each(count), b.each(count), strict=True):
        lapack.getrs(each_a.of(dtype, n, n), rows, each_b.of(dtype, n, nrhs), trans)
    store(info, "i", 0)  # of the arguments, and on the host


@blas.over("cublas{}getriBatched")
def getri_batched(
    dtype: DType,
    handle: Address,
    n: Int,
    a: Matrix,
    pivots: Address,
    c: Matrix,
    info: Address,
    count: Int,
) -> None:
    each_pivots = vector(pivots, "i", count * n).reshape(count, n)
    for k, (each_a, each_c) in enumerate(zip(a.each(count), c.each(count), strict=True)):
        inverse = each_c.of(dtype, n, n)
        vector(info, "i", count)[k] = lapack.getri(each_a.of(dtype, n, n), each_pivots[k], inverse)
