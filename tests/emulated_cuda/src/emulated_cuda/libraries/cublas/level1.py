"""Vectors: sums, products, norms, positions of extremes."""

import numpy as np

from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.library import Address, DType, Int
from emulated_cuda.libraries.memory import Array, load, store, vector


def sizes(x: Array) -> Array:
    """|re| + |im|, by which BLAS compares and sums."""
    return np.asarray(np.abs(np.real(x)) + np.abs(np.imag(x)))


@blas.over("cublasI{}amax_v2", s="f", d="d", c="F", z="D")
def amax(dtype: DType, handle: Address, n: Int, x: Address, incx: Int, result: Address) -> None:
    store(result, "i", 1 + np.argmax(sizes(vector(x, dtype, n, incx))) if n > 0 else 0)


@blas.over("cublasI{}amin_v2", s="f", d="d", c="F", z="D")
def amin(dtype: DType, handle: Address, n: Int, x: Address, incx: Int, result: Address) -> None:
    store(result, "i", 1 + np.argmin(sizes(vector(x, dtype, n, incx))) if n > 0 else 0)


@blas.over("cublas{}asum_v2", S="f", D="d", Sc="F", Dz="D")
def asum(dtype: DType, handle: Address, n: Int, x: Address, incx: Int, result: Address) -> None:
    store(result, dtype.char.lower(), sizes(vector(x, dtype, n, incx)).sum())


@blas.over("cublas{}nrm2_v2", S="f", D="d", Sc="F", Dz="D")
def nrm2(dtype: DType, handle: Address, n: Int, x: Address, incx: Int, result: Address) -> None:
    entries = vector(x, dtype, n, incx)
    largest = sizes(entries).max(initial=0)  # by which is divided first, lest a square overflow
    store(
        result,
        dtype.char.lower(),
        largest * np.linalg.norm(entries / largest) if largest > 0 else largest,
    )


@blas.over("cublas{}axpy_v2")
def axpy(
    dtype: DType,
    handle: Address,
    n: Int,
    alpha: Address,
    x: Address,
    incx: Int,
    y: Address,
    incy: Int,
) -> None:
    target = vector(y, dtype, n, incy)
    target += load(alpha, dtype) * vector(x, dtype, n, incx)


@blas.over("cublas{}scal_v2")
def scal(dtype: DType, handle: Address, n: Int, alpha: Address, x: Address, incx: Int) -> None:
    target = vector(x, dtype, n, incx)
    target *= load(alpha, dtype)


@blas.over("cublas{}dot_v2", S="f", D="d")
@blas.over("cublas{}dotu_v2", C="F", Z="D")
def dot(
    dtype: DType,
    handle: Address,
    n: Int,
    x: Address,
    incx: Int,
    y: Address,
    incy: Int,
    result: Address,
) -> None:
    store(result, dtype, np.dot(vector(x, dtype, n, incx), vector(y, dtype, n, incy)))


@blas.over("cublas{}dotc_v2", C="F", Z="D")
def dotc(
    dtype: DType,
    handle: Address,
    n: Int,
    x: Address,
    incx: Int,
    y: Address,
    incy: Int,
    result: Address,
) -> None:
    store(result, dtype, np.vdot(vector(x, dtype, n, incx), vector(y, dtype, n, incy)))
