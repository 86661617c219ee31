"""Products of matrices whose types are said by arguments, half precision among them.

What is computed in half precision on a device with tensor cores is summed in single there; so it is
here.
"""

import numpy as np

from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.cublas.operations import blend, op, stored_shape
from emulated_cuda.libraries.library import Address, DType, Int, Long, Refused
from emulated_cuda.libraries.memory import Array, load, matrices

# Of cudaDataType.
DTYPES: dict[int, DType] = {
    0: np.dtype("f"),
    1: np.dtype("d"),
    2: np.dtype("e"),
    4: np.dtype("F"),
    5: np.dtype("D"),
}
IN_HALF, IN_DOUBLE = (64, 65), (70, 71)  # cublasComputeType; scalars have that type


def batch(pointer: int, kind: int, ld: int, step: int, shape: tuple[int, int], count: int) -> Array:
    """An argument that is a batch of matrices."""
    if kind not in DTYPES:
        raise Refused(blas.unsupported)
    return matrices(pointer, DTYPES[kind], *shape, ld, step, count)


def scalar_dtype(compute: int, result: DType) -> DType:
    """The type of alpha and beta; older callers say a type of data instead of one of computing."""
    if compute in DTYPES:
        return DTYPES[compute]
    kind = np.dtype("e" if compute in IN_HALF else "d" if compute in IN_DOUBLE else "f")
    return np.result_type(kind, np.complex64) if result.kind == "c" else kind


def widened(a: Array) -> Array:
    """A batch, in a type in which sums are made."""
    return a.astype(np.float32) if a.dtype.char == "e" else a


@blas.routine("cublasGemmStridedBatchedEx")
def gemm_strided_batched_ex(
    handle: Address,
    transa: Int,
    transb: Int,
    m: Int,
    n: Int,
    k: Int,
    alpha: Address,
    a: Address,
    kind_a: Int,
    lda: Int,
    step_a: Long,
    b: Address,
    kind_b: Int,
    ldb: Int,
    step_b: Long,
    beta: Address,
    c: Address,
    kind_c: Int,
    ldc: Int,
    step_c: Long,
    count: Int,
    compute: Int,
    algorithm: Int,
) -> None:
    left, right, target = (
        batch(a, kind_a, lda, step_a, stored_shape(transa, m, k), count),
        batch(b, kind_b, ldb, step_b, stored_shape(transb, k, n), count),
        batch(c, kind_c, ldc, step_c, (m, n), count),
    )
    scalar = scalar_dtype(compute, target.dtype)
    factors = (widened(np.asarray(load(factor, scalar)))[()] for factor in (alpha, beta))
    blend(target, op(widened(left), transa) @ op(widened(right), transb), *factors)


@blas.routine("cublasGemmEx")
def gemm_ex(
    handle: Address,
    transa: Int,
    transb: Int,
    m: Int,
    n: Int,
    k: Int,
    alpha: Address,
    a: Address,
    kind_a: Int,
    lda: Int,
    b: Address,
    kind_b: Int,
    ldb: Int,
    beta: Address,
    c: Address,
    kind_c: Int,
    ldc: Int,
    compute: Int,
    algorithm: Int,
) -> None:
    gemm_strided_batched_ex(
        *(handle, transa, transb, m, n, k, alpha, a, kind_a, lda, 0, b, kind_b, ldb, 0),
        *(beta, c, kind_c, ldc, 0, 1, compute, algorithm),
    )
