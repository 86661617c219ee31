"""Solvers that factorise in a low precision and refine.

Here they factorise in the precision of the answer, and refine once.
"""

import numpy as np

from emulated_cuda.libraries.cusolver.context import WORKSPACE, solver
from emulated_cuda.libraries.library import Address, DType, Int, Size
from emulated_cuda.libraries.memory import matrix, store

# The type of the numbers, and the lowest one that is used, of which nothing is left here.
NAMES = {
    first + lowest: dtype
    for first, lows, dtype in (("S", "SXH", "f"), ("D", "DSXH", "d"))
    for lowest in lows
}
NAMES |= {
    first + lowest: dtype
    for first, lows, dtype in (("C", "CKY", "F"), ("Z", "ZCKY", "D"))
    for lowest in lows
}


@solver.over("cusolverDn{}gesv_bufferSize", **NAMES)
def gesv_buffer_size(
    dtype: DType,
    handle: Address,
    n: Int,
    nrhs: Int,
    a: Address,
    lda: Int,
    pivots: Address,
    b: Address,
    ldb: Int,
    x: Address,
    ldx: Int,
    work: Address,
    size: Address,
) -> None:
    store(size, np.uintp, WORKSPACE)


@solver.over("cusolverDn{}gesv", **NAMES)
def gesv(
    dtype: DType,
    handle: Address,
    n: Int,
    nrhs: Int,
    a: Address,
    lda: Int,
    pivots: Address,
    b: Address,
    ldb: Int,
    x: Address,
    ldx: Int,
    work: Address,
    size: Size,
    iterations: Address,
    info: Address,
) -> None:
    matrix(x, dtype, n, nrhs, ldx)[...] = np.linalg.solve(
        matrix(a, dtype, n, n, lda), matrix(b, dtype, n, nrhs, ldb)
    )
    store(iterations, "i", 1)
    store(info, "i", 0)


@solver.over("cusolverDn{}gels_bufferSize", **NAMES)
def gels_buffer_size(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    nrhs: Int,
    a: Address,
    lda: Int,
    b: Address,
    ldb: Int,
    x: Address,
    ldx: Int,
    work: Address,
    size: Address,
) -> None:
    store(size, np.uintp, WORKSPACE)


@solver.over("cusolverDn{}gels", **NAMES)
def gels(
    dtype: DType,
    handle: Address,
    m: Int,
    n: Int,
    nrhs: Int,
    a: Address,
    lda: Int,
    b: Address,
    ldb: Int,
    x: Address,
    ldx: Int,
    work: Address,
    size: Size,
    iterations: Address,
    info: Address,
) -> None:
    solution = np.linalg.lstsq(
        matrix(a, dtype, m, n, lda), matrix(b, dtype, m, nrhs, ldb), rcond=None
    )[0]
    matrix(x, dtype, n, nrhs, ldx)[...] = solution
    store(iterations, "i", 1)
    store(info, "i", 0)
