"""What cuBLAS has beyond BLAS: sums of matrices, diagonal factors."""

import numpy as np

from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.cublas.operations import RIGHT, op, stored_shape
from emulated_cuda.libraries.library import Address, DType, Int
from emulated_cuda.libraries.memory import load, matrix, vector


@blas.over("cublas{}geam")
def geam(
    dtype: DType,
    handle: Address,
    transa: Int,
    transb: Int,
    m: Int,
    n: Int,
    alpha: Address,
    a: Address,
    lda: Int,
    beta: Address,
    b: Address,
    ldb: Int,
    c: Address,
    ldc: Int,
) -> None:
    total = np.zeros((m, n), dtype)
    for factor, pointer, ld, trans in ((alpha, a, lda, transa), (beta, b, ldb, transb)):
        if load(factor, dtype) != 0:  # a matrix whose factor is zero need not exist
            total += load(factor, dtype) * op(
                matrix(pointer, dtype, *stored_shape(trans, m, n), ld), trans
            )
    matrix(c, dtype, m, n, ldc)[...] = total


@blas.over("cublas{}dgmm")
def dgmm(
    dtype: DType,
    handle: Address,
    side: Int,
    m: Int,
    n: Int,
    a: Address,
    lda: Int,
    x: Address,
    incx: Int,
    c: Address,
    ldc: Int,
) -> None:
    diagonal = vector(x, dtype, n, incx) if side == RIGHT else vector(x, dtype, m, incx)[:, None]
    matrix(c, dtype, m, n, ldc)[...] = matrix(a, dtype, m, n, lda) * diagonal
