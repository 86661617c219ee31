"""Diagonals and triangles of matrices."""

from collections.abc import Callable
from typing import Any

import torch

from chainrules_torch.arrays.promotion import torch_dtype
from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of


def diag(v, k: int = 0) -> TensorArray:
    """A diagonal, read or made a matrix of."""
    t = tensor_of(v)
    if t.ndim not in (1, 2):
        raise ValueError(f"diag of an array of {t.ndim} axes")
    return TensorArray(torch.diag_embed(t, k) if t.ndim == 1 else torch.diagonal(t, k))


def diagonal(a, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TensorArray:
    """The entries on a diagonal."""
    return TensorArray(torch.diagonal(tensor_of(a), offset, axis1, axis2))


def linalg_diagonal(x, /, *, offset: int = 0) -> TensorArray:
    """The diagonals of matrices."""
    return diagonal(x, offset, -2, -1)


def triangle(function: Callable[..., Any]) -> Callable[..., Any]:
    """`tril` or `triu`."""

    def compute(m, k: int = 0) -> TensorArray:
        t = tensor_of(m)
        return TensorArray(function(t.expand(t.shape[0], t.shape[0]) if t.ndim == 1 else t, k))

    return compute


def trace(a, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> TensorArray:
    """The sum of a diagonal."""
    found = torch.diagonal(tensor_of(a), offset, axis1, axis2)
    return TensorArray(torch.sum(found, -1, dtype=None if dtype is None else torch_dtype(dtype)))


def linalg_trace(x, /, *, offset: int = 0, dtype: Any = None) -> TensorArray:
    """The sums of the diagonals of matrices."""
    return trace(x, offset, -2, -1, dtype)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (diag, diagonal, trace)},
    "tril": triangle(torch.tril),
    "triu": triangle(torch.triu),
}
LINALG = {"diagonal": linalg_diagonal, "trace": linalg_trace}
