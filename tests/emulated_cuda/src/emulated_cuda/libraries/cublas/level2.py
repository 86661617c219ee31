"""A matrix and a vector."""

import numpy as np

from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.cublas.operations import blend, op
from emulated_cuda.libraries.library import Address, DType, Int
from emulated_cuda.libraries.memory import load, matrix, vector


@blas.over("cublas{}gemv_v2")
def gemv(
    dtype: DType,
    handle: Address,
    trans: Int,
    m: Int,
    n: Int,
    alpha: Address,
    a: Address,
    lda: Int,
    x: Address,
    incx: Int,
    beta: Address,
    y: Address,
    incy: Int,
) -> None:
    rows, columns = (n, m) if trans else (m, n)
    product = op(matrix(a, dtype, m, n, lda), trans) @ vector(x, dtype, columns, incx)
    blend(vector(y, dtype, rows, incy), product, load(alpha, dtype), load(beta, dtype))


@blas.over("cublas{}ger_v2", S="f", D="d")
@blas.over("cublas{}geru_v2", C="F", Z="D")
def ger(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    alpha: Address,
    x: Address,
    incx: Int,
    y: Address,
    incy: Int,
    a: Address,
    lda: Int,
) -> None:
    target = matrix(a, dtype, m, n, lda)
    target += load(alpha, dtype) * np.outer(vector(x, dtype, m, incx), vector(y, dtype, n, incy))


@blas.over("cublas{}gerc_v2", C="F", Z="D")
def gerc(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    alpha: Address,
    x: Address,
    incx: Int,
    y: Address,
    incy: Int,
    a: Address,
    lda: Int,
) -> None:
    target = matrix(a, dtype, m, n, lda)
    target += load(alpha, dtype) * np.outer(
        vector(x, dtype, m, incx), vector(y, dtype, n, incy).conj()
    )
