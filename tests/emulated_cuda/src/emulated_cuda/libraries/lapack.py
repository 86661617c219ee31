"""LAPACK's routines as cuBLAS and cuSOLVER have them: into the given arrays, pivots from 1, and an
`info` returned.

Where an array is empty nothing is asked of LAPACK, which does not take it.
"""

from typing import Any

import numpy as np
from scipy.linalg.lapack import get_lapack_funcs

from emulated_cuda.libraries.cublas.operations import UPPER
from emulated_cuda.libraries.library import DType
from emulated_cuda.libraries.memory import Array


def routine(name: str, dtype: DType) -> Any:
    """LAPACK's routine for a dtype."""
    return get_lapack_funcs(name, dtype=dtype)


def unitary(name: str, dtype: DType) -> Any:
    """The routine for a unitary factor, whose name says whether it is real."""
    return routine(("un" if dtype.kind == "c" else "or") + name, dtype)


def getrf(a: Array, pivots: Array | None) -> int:
    """P A = L U, in place."""
    if not a.size:
        return 0
    factors, rows, info = routine("getrf", a.dtype)(a)
    a[...] = factors
    if pivots is not None:
        pivots[...] = rows + 1
    return int(info)


def getrs(factors: Array, pivots: Array, b: Array, trans: int) -> int:
    """Solve op(A) X = B, in place of B."""
    if not b.size:
        return 0
    b[...], info = routine("getrs", b.dtype)(factors, pivots - 1, b, trans=trans)
    return int(info)


def getri(factors: Array, pivots: Array, inverse: Array) -> int:
    """The inverse; `info` is the position of a zero pivot."""
    if not inverse.size:
        return 0
    result, info = routine("getri", factors.dtype)(factors, pivots - 1)
    inverse[...] = result
    return int(info)


def potrf(a: Array, uplo: int) -> int:
    """A = L L^H or U^H U, in place of one triangle; the other one stays."""
    if not a.size:
        return 0
    a[...], info = routine("potrf", a.dtype)(a, lower=uplo != UPPER, clean=False)
    return int(info)


def geqrf(a: Array, tau: Array) -> int:
    """A = Q R, in place: R above, the reflectors of Q below."""
    if not a.size:
        return 0
    a[...], tau[...], _, info = routine("geqrf", a.dtype)(a)
    return int(info)


def orgqr(a: Array, tau: Array) -> int:
    """Q, in place of its reflectors."""
    if not a.size:
        return 0
    if not tau.size:
        a[...] = np.eye(*a.shape, dtype=a.dtype)
        return 0
    a[...], _, info = unitary("gqr", a.dtype)(a, tau)
    return int(info)
