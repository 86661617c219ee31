"""Vectors: their products, and their norms without overflow."""

import numpy as np

from emulated_cuda.libraries.cublas.context import blas
from emulated_cuda.libraries.library import Address, DType, Int, Vector
from emulated_cuda.libraries.memory import Array, store


def sizes(x: Array) -> Array:
    """|re| + |im|, by which BLAS compares and sums."""
    return np.asarray(np.abs(np.real(x)) + np.abs(np.imag(x)))


@blas.over("cublas{}nrm2_v2", S="f", D="d", Sc="F", Dz="D")
def nrm2(dtype: DType, handle: Address, n: Int, x: Vector, result: Address) -> None:
    entries = x.of(dtype, n)
    largest = sizes(entries).max(initial=0)  # by which is divided first, lest a square overflow
    store(
        result,
        dtype.char.lower(),
        largest * np.linalg.norm(entries / largest) if largest > 0 else largest,
    )


@blas.over("cublas{}dot_v2", S="f", D="d")
@blas.over("cublas{}dotu_v2", C="F", Z="D")
def dot(
    dtype: DType,
    handle: Address,
    n: Int,
    x: Vector,
    y: Vector,
    result: Address,
) -> None:
    store(result, dtype, np.dot(x.of(dtype, n), y.of(dtype, n)))


@blas.over("cublas{}dotc_v2", C="F", Z="D")
def dotc(
    dtype: DType,
    handle: Address,
    n: Int,
    x: Vector,
    y: Vector,
    result: Address,
) -> None:
    store(result, dtype, np.vdot(x.of(dtype, n), y.of(dtype, n)))
