"""Two matrices: products and triangular systems, one at a time or many."""

from typing import Any

from scipy.linalg.blas import get_blas_funcs

from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.cublas.operations import (
    RIGHT,
    UNIT,
    UPPER,
    blend,
    op,
    stored_shape,
    triangle,
)
from emulated_cuda.libraries.library import Address, DType, Int
from emulated_cuda.libraries.memory import Array, addresses, load, matrix


@blas.over("cublas{}gemm_v2")
def gemm(
    dtype: DType,
    handle: Address,
    transa: Int,
    transb: Int,
    m: Int,
    n: Int,
    k: Int,
    alpha: Address,
    a: Address,
    lda: Int,
    b: Address,
    ldb: Int,
    beta: Address,
    c: Address,
    ldc: Int,
) -> None:
    left = matrix(a, dtype, *stored_shape(transa, m, k), lda)
    right = matrix(b, dtype, *stored_shape(transb, k, n), ldb)
    product = op(left, transa) @ op(right, transb)
    blend(matrix(c, dtype, m, n, ldc), product, load(alpha, dtype), load(beta, dtype))


@blas.over("cublas{}gemmBatched")
def gemm_batched(
    dtype: DType,
    handle: Address,
    transa: Int,
    transb: Int,
    m: Int,
    n: Int,
    k: Int,
    alpha: Address,
    a: Address,
    lda: Int,
    b: Address,
    ldb: Int,
    beta: Address,
    c: Address,
    ldc: Int,
    count: Int,
) -> None:
    for each_a, each_b, each_c in zip(
        addresses(a, count), addresses(b, count), addresses(c, count), strict=True
    ):
        gemm(
            dtype,
            handle,
            transa,
            transb,
            m,
            n,
            k,
            alpha,
            each_a,
            lda,
            each_b,
            ldb,
            beta,
            each_c,
            ldc,
        )


def solve_triangular(
    a: Array, b: Array, alpha: complex, side: int, uplo: int, trans: int, diag: int
) -> None:
    """B = alpha op(A)^-1 B, or alpha B op(A)^-1, in place; reads one triangle of A."""
    if b.size:
        solve: Any = get_blas_funcs("trsm", dtype=a.dtype)
        b[...] = solve(
            alpha, a, b, side=side == RIGHT, lower=uplo != UPPER, trans_a=trans, diag=diag == UNIT
        )


@blas.over("cublas{}trsm_v2")
def trsm(
    dtype: DType,
    handle: Address,
    side: Int,
    uplo: Int,
    trans: Int,
    diag: Int,
    m: Int,
    n: Int,
    alpha: Address,
    a: Address,
    lda: Int,
    b: Address,
    ldb: Int,
) -> None:
    size = n if side == RIGHT else m
    factor = matrix(a, dtype, size, size, lda)
    solve_triangular(
        factor, matrix(b, dtype, m, n, ldb), load(alpha, dtype), side, uplo, trans, diag
    )


@blas.over("cublas{}trsmBatched")
def trsm_batched(
    dtype: DType,
    handle: Address,
    side: Int,
    uplo: Int,
    trans: Int,
    diag: Int,
    m: Int,
    n: Int,
    alpha: Address,
    a: Address,
    lda: Int,
    b: Address,
    ldb: Int,
    count: Int,
) -> None:
    for each_a, each_b in zip(addresses(a, count), addresses(b, count), strict=True):
        trsm(dtype, handle, side, uplo, trans, diag, m, n, alpha, each_a, lda, each_b, ldb)


@blas.over("cublas{}syrk_v2")
def syrk(
    dtype: DType,
    handle: Address,
    uplo: Int,
    trans: Int,
    n: Int,
    k: Int,
    alpha: Address,
    a: Address,
    lda: Int,
    beta: Address,
    c: Address,
    ldc: Int,
) -> None:
    factor = op(matrix(a, dtype, *stored_shape(trans, n, k), lda), trans)
    target, entries = matrix(c, dtype, n, n, ldc), triangle(n, uplo)
    part = target[entries]
    blend(part, (factor @ factor.T)[entries], load(alpha, dtype), load(beta, dtype))
    target[entries] = part
