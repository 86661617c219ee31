"""Two matrices: products, sums and triangular systems, one at a time or many."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import numpy as np
from scipy.linalg.blas import get_blas_funcs

from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.cublas.operations import (
    RIGHT,
    UNIT,
    UPPER,
    blend,
    op,
    stored_shape,
)
from emulated_cuda.libraries.library import Address, DType, Int, Matrix
from emulated_cuda.libraries.memory import Array, Columns, load


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
    a: Matrix,
    b: Matrix,
    beta: Address,
    c: Matrix,
) -> None:
    left = a.of(dtype, *stored_shape(transa, m, k))
    right = b.of(dtype, *stored_shape(transb, k, n))
    product = op(left, transa) @ op(right, transb)
    blend(c.of(dtype, m, n), product, load(alpha, dtype), load(beta, dtype))


@blas.over("cublas{}geam")
def geam(
    dtype: DType,
    handle: Address,
    transa: Int,
    transb: Int,
    m: Int,
    n: Int,
    alpha: Address,
    a: Matrix,
    beta: Address,
    b: Matrix,
    c: Matrix,
) -> None:
    total = np.zeros((m, n), dtype)
    for factor, part, trans in ((alpha, a, transa), (beta, b, transb)):
        scale = load(factor, dtype)
        if scale:  # what is multiplied by zero is not read
            total += scale * op(part.of(dtype, *stored_shape(trans, m, n)), trans)
    c.of(dtype, m, n)[...] = total


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
    a: Matrix,
    b: Matrix,
) -> None:
    size = n if side == RIGHT else m
    factor = a.of(dtype, size, size)
    solve_triangular(factor, b.of(dtype, m, n), load(alpha, dtype), side, uplo, trans, diag)


def for_each(routine: Callable[..., None]) -> Callable[..., None]:
    """A routine for many matrices, given as arrays of pointers; how many there are comes last."""

    def run_each(*arguments: Any) -> None:
        *given, count = arguments
        columns = [x.each(count) if isinstance(x, Columns) else [x] * count for x in given]
        for each in zip(*columns, strict=True):
            routine(*each)

    own = signature(routine)
    count = Parameter("count", Parameter.POSITIONAL_OR_KEYWORD, annotation=Int)
    vars(run_each)["__signature__"] = own.replace(parameters=[*own.parameters.values(), count])
    return run_each


blas.over("cublas{}gemmBatched")(for_each(gemm))
blas.over("cublas{}trsmBatched")(for_each(trsm))
