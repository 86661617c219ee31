"""Products of matrices whose types are said by arguments, half precision among them.

What is computed in half precision on a device with tensor cores is summed in single there; so it is
here.
"""

from typing import NamedTuple

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


class Batch(NamedTuple):
    """An argument that is a batch of matrices."""

    pointer: int
    kind: int
    ld: int
    step: int

    def read(self, rows: int, columns: int, count: int) -> Array:
        if self.kind not in DTYPES:
            raise Refused(blas.unsupported)
        return matrices(self.pointer, DTYPES[self.kind], rows, columns, self.ld, self.step, count)


def scalar_dtype(compute: int, result: DType) -> DType:
    """The type of alpha and beta; older callers say a type of data instead of one of computing."""
    if compute in DTYPES:
        return DTYPES[compute]
    kind = np.dtype("e" if compute in IN_HALF else "d" if compute in IN_DOUBLE else "f")
    return np.result_type(kind, np.complex64) if result.kind == "c" else kind


def widened(a: Array) -> Array:
    """A batch, in a type in which sums are made."""
    return a.astype(np.float32) if a.dtype.char == "e" else a


def multiply(
    a: Batch,
    b: Batch,
    c: Batch,
    trans: tuple[int, int],
    sizes: tuple[int, int, int],
    factors: tuple[int, int],
    compute: int,
    count: int,
) -> None:
    """C = alpha op(A) op(B) + beta C for each matrix of a batch."""
    m, n, k = sizes
    left = op(widened(a.read(*stored_shape(trans[0], m, k), count)), trans[0])
    right = op(widened(b.read(*stored_shape(trans[1], k, n), count)), trans[1])
    target = c.read(m, n, count)
    alpha, beta = (
        widened(np.asarray(load(factor, scalar_dtype(compute, target.dtype))))[()]
        for factor in factors
    )
    blend(target, left @ right, alpha, beta)


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
    batches = Batch(a, kind_a, lda, 0), Batch(b, kind_b, ldb, 0), Batch(c, kind_c, ldc, 0)
    multiply(*batches, (transa, transb), (m, n, k), (alpha, beta), compute, 1)


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
    batches = (
        Batch(a, kind_a, lda, step_a),
        Batch(b, kind_b, ldb, step_b),
        Batch(c, kind_c, ldc, step_c),
    )
    multiply(*batches, (transa, transb), (m, n, k), (alpha, beta), compute, count)
