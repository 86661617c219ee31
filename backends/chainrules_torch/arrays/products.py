"""Products of matrices and other sums of products."""

from collections.abc import Callable
from typing import Any

import torch

from chainrules_torch.arrays.tensor_array import TensorArray, alike, tensor_of, tensors

contracted: Any = torch.tensordot  # whose annotation knows numbers of axes alone


def of_two(function: Callable[..., torch.Tensor]) -> Callable[..., Any]:
    """A product of two arrays of one type."""

    def compute(a, b) -> TensorArray:
        if (
            type(a) is type(b) is TensorArray
            and a.tensor.dtype is b.tensor.dtype
            and a.tensor.is_cpu is b.tensor.is_cpu
        ):
            return TensorArray(function(a.tensor, b.tensor))
        return TensorArray(function(*tensors(a, b)))

    return compute


def dot(a, b) -> TensorArray:
    """The product over the last axis of `a` and the last but one of `b`."""
    x, y = alike(tensor_of(a), tensor_of(b))
    if 0 in (x.ndim, y.ndim):
        return TensorArray(x * y)
    return TensorArray(
        contracted(x, y, ([-1], [max(y.ndim - 2, 0)])) if x.ndim > 2 or y.ndim > 2 else x @ y
    )


def vdot(a, b) -> TensorArray:
    """The sum of conj(a) * b over all entries."""
    x, y = alike(tensor_of(a), tensor_of(b))
    return TensorArray(torch.sum(x.conj().reshape(-1) * y.reshape(-1)))


def outer(a, b) -> TensorArray:
    """All products of two entries."""
    x, y = alike(tensor_of(a), tensor_of(b))
    return TensorArray(x.reshape(-1)[:, None] * y.reshape(-1))


def tensordot(a, b, axes: Any = 2) -> TensorArray:
    """The products over several axes."""
    if not isinstance(axes, int):
        axes = tuple([part] if isinstance(part, int) else list(map(int, part)) for part in axes)
    return TensorArray(torch.tensordot(*alike(tensor_of(a), tensor_of(b)), dims=axes))


def einsum(subscripts: str, *arrays, optimize: Any = False) -> TensorArray:
    """Sums of products, by Einstein's convention."""
    return TensorArray(torch.einsum(subscripts, *alike(*map(tensor_of, arrays))))


def convolve(a, v, mode: str = "full") -> TensorArray:
    """The convolution of two vectors."""
    x, y = alike(tensor_of(a), tensor_of(v))
    x, y = (x, y) if len(x) >= len(y) else (y, x)
    return TensorArray(_windows(x, len(y), mode) @ y.flip(0))


def correlate(a, v, mode: str = "valid") -> TensorArray:
    """The correlation of two vectors."""
    x, y = alike(tensor_of(a), tensor_of(v))
    if len(x) >= len(y):
        return TensorArray(_windows(x, len(y), mode) @ y.conj())
    return TensorArray((_windows(y.conj(), len(x), mode) @ x).flip(0))


def _windows(x: torch.Tensor, width: int, mode: str) -> torch.Tensor:
    if not width:
        raise ValueError("v cannot be empty")
    before, after = {
        "full": (width - 1, width - 1),
        "valid": (0, 0),
        "same": (width // 2, (width - 1) // 2),
    }[mode]
    return torch.nn.functional.pad(x, (before, after)).unfold(0, width, 1)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        dot,
        vdot,
        outer,
        tensordot,
        einsum,
        convolve,
        correlate,
    )
}
FUNCTIONS["matmul"] = of_two(torch.matmul)
LINALG = {name: FUNCTIONS[name] for name in ("outer", "tensordot", "matmul")}
