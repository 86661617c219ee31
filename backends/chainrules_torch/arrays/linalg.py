"""Linear algebra on matrices and stacks of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.linalg._linalg import EighResult, EigResult, QRResult, SlogdetResult, SVDResult

from chainrules_py.engines import lstsq as lstsq_of
from chainrules_torch.arrays.promotion import averaged
from chainrules_torch.arrays.reductions import FUNCTIONS as REDUCTIONS, axes_of
from chainrules_torch.arrays.tensor_array import TensorArray, alike, floating_tensor, tensor_of


def of_matrices(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn PyTorch's function of matrices into one of arrays."""
    return lambda a, *args: TensorArray(function(floating_tensor(a), *args))


def _named(result, parts) -> Any:
    """Put tensors into a named tuple of NumPy's, as arrays."""
    return result(*map(TensorArray, parts))


def solve(a, b) -> TensorArray:
    """Return the solutions of linear systems; a `b` of one axis is a vector, as in NumPy."""
    x, y = alike(floating_tensor(a), floating_tensor(b))
    if y.ndim == 1:
        return TensorArray(torch.linalg.solve(x, y[:, None])[..., 0])
    return TensorArray(_solve_stacks(x, y))


def _solve_stacks(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    stack = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return torch.linalg.solve(a.expand(*stack, *a.shape[-2:]), b.expand(*stack, *b.shape[-2:]))


def solved_by_substitution(t, b, xp, *, lower: bool, of_adjoint: bool) -> TensorArray:
    """Return T^-1 B or T^-H B of a triangular T: `triangular_solution` for tensors."""
    x, y = alike(floating_tensor(t), floating_tensor(b))
    factor = x.mH if of_adjoint else x
    return TensorArray(torch.linalg.solve_triangular(factor, y, upper=lower == of_adjoint))


def cholesky(a, /, *, upper: bool = False) -> TensorArray:
    """Return the Cholesky factor, lower or upper."""
    return TensorArray(torch.linalg.cholesky(floating_tensor(a), upper=upper))


def slogdet(a) -> Any:
    """Return the sign and the logarithm of the determinant."""
    return _named(SlogdetResult, torch.linalg.slogdet(floating_tensor(a)))


def det(a) -> TensorArray:
    """Return the determinants: PyTorch's own have wrong second derivatives, forward over forward and
    in batches.
    """
    sign, logarithm = torch.linalg.slogdet(floating_tensor(a))
    return TensorArray(sign * torch.exp(logarithm))


def lstsq(a, b, rcond: Any = None) -> Any:
    """Return the solution of least squares."""
    x, y = alike(floating_tensor(a), floating_tensor(b))
    return lstsq_of(TensorArray(x), TensorArray(y), rcond, xp=np)


def qr(a, mode: str = "reduced") -> Any:
    """Return an orthogonal factor and a triangular one."""
    if mode == "r":
        return TensorArray(torch.linalg.qr(floating_tensor(a), mode="r").R)
    return _named(QRResult, torch.linalg.qr(floating_tensor(a), mode=mode))


def svd(a, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Return singular values and vectors."""
    if not compute_uv:
        return svdvals(a)
    return _named(SVDResult, torch.linalg.svd(floating_tensor(a), full_matrices=full_matrices))


def svdvals(x, /) -> TensorArray:
    """Return singular values."""
    return TensorArray(torch.linalg.svdvals(floating_tensor(x)))


def eigh(a, UPLO: str = "L") -> Any:
    """Return eigenvalues and eigenvectors of Hermitian matrices."""
    return _named(EighResult, torch.linalg.eigh(floating_tensor(a), UPLO=UPLO))


def eigvalsh(a, UPLO: str = "L") -> TensorArray:
    """Return eigenvalues of Hermitian matrices."""
    return TensorArray(torch.linalg.eigvalsh(floating_tensor(a), UPLO=UPLO))


def norm(x, ord: Any = None, axis: Any = None, keepdims: bool = False) -> TensorArray:
    """Return the norm of vectors or matrices."""
    t = floating_tensor(x)
    if axis is None and ord is None:
        y = torch.linalg.vector_norm(t)
        return TensorArray(y.reshape((1,) * t.ndim) if keepdims else y)
    axes = tuple(range(t.ndim)) if axis is None else axes_of(axis, t.ndim)
    if len(axes) == 1:
        return vector_norm(
            TensorArray(t), axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord
        )
    return TensorArray(
        torch.linalg.matrix_norm(t, "fro" if ord is None else ord, axes, keepdim=keepdims)
    )


def vector_norm(x, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> TensorArray:
    """Return (sum |x|**ord)**(1 / ord)."""
    t = tensor_of(x)
    if not t.ndim or axis == ():
        return TensorArray(torch.abs(t))
    return TensorArray(
        torch.linalg.vector_norm(
            t.to(averaged(t.dtype)), ord, axes_of(axis, t.ndim), keepdim=keepdims
        )
    )


def matrix_norm(x, /, *, keepdims: bool = False, ord: Any = "fro") -> TensorArray:
    """Return the norm of each matrix."""
    return norm(x, ord, (-2, -1), keepdims)


def eig(a) -> Any:
    """Return eigenvalues and eigenvectors of complex matrices.

    PyTorch's are always complex, NumPy's only where one has to be.
    """
    if not tensor_of(a).is_complex():
        raise TypeError(
            "whether eigenvalues of a real matrix are real is known to NumPy only: write"
            " numpy.linalg.eig(a + 0j)"
        )
    return _named(EigResult, torch.linalg.eig(floating_tensor(a)))


def eigvals(a) -> TensorArray:
    """Return eigenvalues of complex matrices."""
    return TensorArray(eig(a).eigenvalues.tensor)


def matrix_rank(A, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Return the number of singular values above the tolerance."""
    t = floating_tensor(A)
    s = TensorArray(torch.linalg.svdvals(t))
    if tol is None:
        rtol = max(t.shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else rtol
        tol = REDUCTIONS["max"](s, -1) * rtol
    return REDUCTIONS["sum"](s > TensorArray(tensor_of(tol))[..., None], -1)


LINALG: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        *(solve, cholesky, qr, svd, svdvals),
        *(
            eig,
            eigvals,
            eigh,
            eigvalsh,
            norm,
            vector_norm,
            matrix_norm,
            slogdet,
            det,
            lstsq,
            matrix_rank,
        ),
    )
}
LINALG["inv"] = of_matrices(torch.linalg.inv)
