"""Products of vectors and matrices, and norms."""

from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from chainrules_dask.errors import raise_not_lazy
from chainrules_py.engines import Axis, matvec, vecdot, vecmat


def norm(x, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Any:
    """The norms of vectors or matrices."""
    linalg: Any = da.linalg
    x = floating(x)
    if x.ndim == 2 and axis is None and ord in ("nuc", 2, -2):
        axis = (0, 1)
    if ord in ("nuc", 2, -2) and isinstance(axis, tuple) and len(axis) == 2:
        return of_singular_values(x, ord, axis, keepdims)
    return linalg.norm(x, ord, axis, keepdims)


def of_singular_values(x, ord: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    """The norms of matrices that are sums or ends of their singular values, which Dask has of some."""
    sizes = svdvals(da.moveaxis(x, axes, (-2, -1)))
    found = {"nuc": da.sum, 2: da.max, -2: da.min}[ord](sizes, axis=-1)
    return da.expand_dims(found, axes) if keepdims else found


def floating(x) -> Any:
    """The array, in double precision if it is one of integers, whose squares wrap around."""
    return x if x.dtype.kind in "fc" else x.astype(float)


def lstsq(a, b, rcond: Any = None) -> Any:
    """The solution of least squares; Dask knows no threshold for what counts as singular."""
    if rcond is not None:
        got = f"rcond={rcond!r}, and Dask knows no threshold for what counts as singular"
        raise_not_lazy("linalg.lstsq", got, "leave it out, for a matrix of full rank")
    linalg: Any = da.linalg
    x, residuals, rank, singular = linalg.lstsq(a, b)
    # NumPy has none where the system need not be overdetermined
    return x, residuals if a.shape[0] > a.shape[1] else residuals[:0], rank, singular


def inv(a, /) -> Any:
    """The inverse, in the precision of the matrix; Dask's own is in double precision."""
    a = floating(a)
    if a.ndim > 2:
        return of_matrices("inv", "(i,i)->(i,i)")(a)
    return solve(a, da.eye(len(a), chunks=a.chunks[0][0], dtype=a.dtype))


def solve(a, b, /) -> Any:
    """The solution of a linear system."""
    linalg: Any = da.linalg
    a, b = in_squares(a), da.asarray(b)
    return linalg.solve(a, b.rechunk({0: a.chunks[0]}))


def cholesky(a, /, *, upper: bool = False) -> Any:
    """The triangular factor, NumPy's lower one where nothing is said; chunks that are not equal
    squares become one.
    """
    linalg: Any = da.linalg
    return linalg.cholesky(in_squares(a), lower=not upper)


def in_squares(a) -> Any:
    """A matrix whose chunks are equal squares: one, where they are not."""
    is_cut_evenly = len({*a.chunks[0], *a.chunks[1]}) == 1
    return a if is_cut_evenly else a.rechunk(-1)


def of_matrices(name: str, signature: str) -> Callable[..., Any]:
    """NumPy's function of the matrices in the last two axes, each of which becomes one chunk."""
    function: Any = getattr(np.linalg, name)

    def compute_of_matrices(a, *args, sizes: Any = None, **options):
        def run(block) -> Any:
            return function(block, *args, **options)

        a = floating(a)
        one = run(np.eye(1, dtype=a.dtype))
        is_one = not isinstance(one, tuple)
        y = da.apply_gufunc(
            run,
            signature,
            a.rechunk({a.ndim - 2: -1, a.ndim - 1: -1}),
            meta=np.asarray(one) if is_one else tuple(map(np.asarray, one)),
            output_sizes=sizes,
        )
        return y if is_one else type(one)(*y)

    return compute_of_matrices


def svd(a, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The decomposition into singular values: Dask's, of a matrix that is cut one way."""
    linalg: Any = da.linalg
    rows, columns = a.shape[-2:]
    least = min(rows, columns)
    if not compute_uv:
        return of_matrices("svdvals", "(i,j)->(k)")(a, sizes={"k": least})
    if a.ndim == 2 and min(a.numblocks) == 1 and (rows == columns or not full_matrices):
        return linalg.svd(a)
    m, n = (rows, columns) if full_matrices else (least, least)
    whole = of_matrices("svd", "(i,j)->(i,m),(k),(n,j)")
    return whole(a, full_matrices=full_matrices, sizes={"k": least, "m": m, "n": n})


def svdvals(x, /) -> Any:
    """The singular values."""
    return svd(x, compute_uv=False)


def eig(a) -> Any:
    """Eigenvalues and eigenvectors of complex matrices."""
    if a.dtype.kind != "c":
        got = "a real matrix, whose eigenvalues are real or not"
        raise_not_lazy("linalg.eig", got, "write numpy.linalg.eig(a + 0j)")
    return of_matrices("eig", "(i,i)->(i),(i,i)")(a)


# What Dask has nothing for, and is computed of the whole matrix.
WHOLE = {
    "det": "(i,i)->()",
    "slogdet": "(i,i)->(),()",
    "eigh": "(i,i)->(i),(i,i)",
    "eigvalsh": "(i,i)->(i)",
    "pinv": "(i,j)->(j,i)",
    "cond": "(i,j)->()",
    "matrix_rank": "(i,j)->()",
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f.__name__: partial(f, xp=da) for f in (vecdot, matvec, vecmat)},
}
LINALG: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (norm, lstsq, inv, solve, cholesky)},
    **{f.__name__: f for f in (eig, svd, svdvals)},
    **{name: of_matrices(name, signature) for name, signature in WHOLE.items()},
    **dict(matmul=da.matmul, tensordot=da.tensordot, vecdot=FUNCTIONS["vecdot"]),
}
