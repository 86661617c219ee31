"""Linear algebra on matrices and stacks of them."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import torch
from numpy.linalg._linalg import EighResult, EigResult, QRResult, SlogdetResult, SVDResult

from chainrules_torch.arrays.promotion import averaged, inexact
from chainrules_torch.arrays.reductions import FUNCTIONS as REDUCTIONS
from chainrules_torch.arrays.reductions import axes_of
from chainrules_torch.arrays.tensor_array import TensorArray, alike, tensor_of


def matrices(x: Any) -> torch.Tensor:
    """Matrices of floating numbers."""
    t = tensor_of(x)
    return t.to(averaged(t.dtype))


def of_matrices(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of matrices that returns an array."""
    return lambda a, *args: TensorArray(function(matrices(a), *args))


def _named(result: Any, parts: Any) -> Any:
    """NumPy's named tuple of arrays."""
    return result(*map(TensorArray, parts))


def solve(a: Any, b: Any) -> TensorArray:
    """The solutions of linear systems; one vector is no matrix."""
    x, y = alike(matrices(a), matrices(b))
    return TensorArray(
        torch.linalg.solve(x, y[:, None])[..., 0] if y.ndim == 1 else _solve_stacks(x, y)
    )


def _solve_stacks(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    stack = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return torch.linalg.solve(a.expand(*stack, *a.shape[-2:]), b.expand(*stack, *b.shape[-2:]))


def solved_by_substitution(
    t: Any, b: Any, xp: Any, *, lower: bool, of_adjoint: bool
) -> TensorArray:
    """T^-1 B or T^-H B of a triangular T: `triangular_solution` for tensors."""
    x, y = alike(matrices(t), matrices(b))
    return TensorArray(
        torch.linalg.solve_triangular(x.mH if of_adjoint else x, y, upper=lower == of_adjoint)
    )


def cholesky(a: Any, /, *, upper: bool = False) -> TensorArray:
    """Cholesky's factor."""
    return TensorArray(torch.linalg.cholesky(matrices(a), upper=upper))


def slogdet(a: Any) -> Any:
    """The sign and the logarithm of the determinant."""
    return _named(SlogdetResult, torch.linalg.slogdet(matrices(a)))


def qr(a: Any, mode: str = "reduced") -> Any:
    """An orthogonal factor and a triangular one."""
    if mode == "r":
        return TensorArray(torch.linalg.qr(matrices(a), mode="r").R)
    return _named(QRResult, torch.linalg.qr(matrices(a), mode=mode))


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Singular values and vectors."""
    if not compute_uv:
        return svdvals(a)
    return _named(SVDResult, torch.linalg.svd(matrices(a), full_matrices=full_matrices))


def svdvals(x: Any, /) -> TensorArray:
    """Singular values."""
    return TensorArray(torch.linalg.svdvals(matrices(x)))


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    return _named(EighResult, torch.linalg.eigh(matrices(a), UPLO=UPLO))


def eigvalsh(a: Any, UPLO: str = "L") -> TensorArray:
    """Eigenvalues of Hermitian matrices."""
    return TensorArray(torch.linalg.eigvalsh(matrices(a), UPLO=UPLO))


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> TensorArray:
    """The pseudoinverse."""
    t = matrices(a)
    cutoff = rtol if rtol is not None else 1e-15 if rcond is None else rcond
    u, s, vh = torch.linalg.svd(t.conj(), full_matrices=False)
    kept = (
        s > tensor_of(cutoff)[..., None].to(s.dtype) * torch.amax(s, -1, keepdim=True)
        if s.shape[-1]
        else s > 0
    )
    inverse = torch.where(kept, 1 / torch.where(kept, s, 1), 0)
    return TensorArray(vh.mT @ (inverse[..., None] * u.mT))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> TensorArray:
    """The norm of vectors or matrices."""
    t = tensor_of(x)
    t = t.to(inexact(t.dtype)) if ord is None else t.to(averaged(t.dtype))
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


def vector_norm(
    x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> TensorArray:
    """(sum |x|**ord)**(1 / ord)."""
    t = tensor_of(x)
    if not t.ndim or axis == ():
        return TensorArray(torch.abs(t))
    return TensorArray(
        torch.linalg.vector_norm(
            t.to(averaged(t.dtype)), ord, axes_of(axis, t.ndim), keepdim=keepdims
        )
    )


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> TensorArray:
    """The norm of each matrix."""
    return norm(x, ord, (-2, -1), keepdims)


def tensorinv(a: Any, ind: int = 2) -> TensorArray:
    """The inverse of a linear map of tensors."""
    t = matrices(a)
    shape = (*t.shape[ind:], *t.shape[:ind])
    return TensorArray(torch.linalg.inv(t.reshape(prod(t.shape[ind:]), -1)).reshape(shape))


def tensorsolve(a: Any, b: Any, axes: Any = None) -> TensorArray:
    """The solution of a linear equation of tensors."""
    x, y = alike(matrices(a), matrices(b))
    if axes is not None:
        x = x.movedim(tuple(axes), tuple(range(-len(axes), 0)))
    shape = x.shape[y.ndim :] if axes is None else x.shape[x.ndim - (x.ndim - y.ndim) :]
    return TensorArray(torch.linalg.solve(x.reshape(-1, prod(shape)), y.reshape(-1)).reshape(shape))


def matrix_power(a: Any, n: int) -> TensorArray:
    """Repeated products."""
    return TensorArray(torch.linalg.matrix_power(matrices(a), n))


def cond(x: Any, p: Any = None) -> Any:
    """The condition number."""
    if p in (None, 2, -2):
        s = svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return norm(x, p, (-2, -1)) * norm(TensorArray(torch.linalg.inv(matrices(x))), p, (-2, -1))


def eig(a: Any) -> Any:
    """Eigenvalues and eigenvectors; PyTorch's are always complex, NumPy's only where one has to be."""
    if not tensor_of(a).is_complex():
        raise TypeError("whether eigenvalues of a real matrix are real is known to NumPy only")
    return _named(EigResult, torch.linalg.eig(matrices(a)))


def eigvals(a: Any) -> TensorArray:
    """Eigenvalues."""
    return TensorArray(eig(a).eigenvalues.tensor)


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """The number of singular values that count."""
    t = matrices(A)
    s = torch.linalg.svdvals(t)
    if tol is None:
        rtol = max(t.shape[-2:]) * np.finfo(TensorArray(s).dtype).eps if rtol is None else rtol
        tol = TensorArray(torch.amax(s, -1, keepdim=True)) * rtol
    return REDUCTIONS["sum"](TensorArray(s) > tol, -1)


LINALG: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        *(
            solve,
            cholesky,
            slogdet,
            qr,
            svd,
            svdvals,
            eigh,
            eigvalsh,
            pinv,
            norm,
            vector_norm,
            matrix_norm,
            tensorinv,
        ),
        *(tensorsolve, matrix_power, cond, eig, eigvals, matrix_rank),
    )
}
# PyTorch's own det has wrong second derivatives, forward over forward and in batches: NumPy
# computes it, and our rule counts.
LINALG["inv"] = of_matrices(torch.linalg.inv)
