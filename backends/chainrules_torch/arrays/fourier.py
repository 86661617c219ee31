"""Fourier transforms, with NumPy's names of options."""

from collections.abc import Callable
from typing import Any

import torch

from chainrules_torch.arrays.tensor_array import TensorArray, floating_tensor, tensor_of


def of_one_axis(function: Callable[..., torch.Tensor]) -> Callable[..., Any]:
    """A transform along an axis."""

    def compute(a, n: int | None = None, axis: int = -1, norm: str | None = None) -> TensorArray:
        return TensorArray(function(floating_tensor(a), n, axis, norm))

    return compute


def of_axes(function: Callable[..., torch.Tensor], default) -> Callable[..., Any]:
    """A transform along several axes."""

    def compute(a, s: Any = None, axes: Any = default, norm: str | None = None) -> TensorArray:
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        if axes is not None and len(set(axes)) < len(axes):
            raise TypeError("a transform along an axis twice")
        return TensorArray(
            function(
                floating_tensor(a),
                s if s is None else tuple(s),
                axes if axes is None else tuple(axes),
                norm,
            )
        )

    return compute


def shifted(function: Callable[..., torch.Tensor]) -> Callable[..., Any]:
    """`fftshift` or `ifftshift`."""
    return lambda x, axes=None: TensorArray(function(tensor_of(x), axes))


FFT: dict[str, Callable[..., Any]] = {
    **{
        name: of_one_axis(getattr(torch.fft, name))
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    },
    **{
        name: of_axes(getattr(torch.fft, name), (-2, -1))
        for name in ("fft2", "ifft2", "rfft2", "irfft2")
    },
    **{
        name: of_axes(getattr(torch.fft, name), None)
        for name in ("fftn", "ifftn", "rfftn", "irfftn")
    },
    **{name: shifted(getattr(torch.fft, name)) for name in ("fftshift", "ifftshift")},
}
