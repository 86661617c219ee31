"""A matrix and a vector."""

from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.cublas.operations import blend, op
from emulated_cuda.libraries.library import Address, DType, Int, Matrix, Vector
from emulated_cuda.libraries.memory import load


@blas.over("cublas{}gemv_v2")
def gemv(
    dtype: DType,
    handle: Address,
    trans: Int,
    m: Int,
    n: Int,
    alpha: Address,
    a: Matrix,
    x: Vector,
    beta: Address,
    y: Vector,
) -> None:
    rows, columns = (n, m) if trans else (m, n)
    product = op(a.of(dtype, m, n), trans) @ x.of(dtype, columns)
    blend(y.of(dtype, rows), product, load(alpha, dtype), load(beta, dtype))
