"""`TensorArray`: a tensor as an array of the standard, with NumPy's attributes, operators and
indices.

It cannot be written, and does not become an array of NumPy's or a Python number unless it is an
integer: such a value would have lost its derivative without a word.
"""

from collections.abc import Iterator
from functools import cache, partial
from operator import attrgetter
from typing import Any

import array_api_compat.torch
import numpy as np
import torch

from chainrules_array_api.standard_array import (
    WRAPPERS,
    StandardArray,
    array_of,
    dtypes_of,
    numpy_dtype,
)
from chainrules_torch.arrays.indices import read_tensor

functions: Any = array_api_compat.torch


class OnDevice:
    """PyTorch's functions by the names of the standard, which make arrays on a device."""

    __name__ = functions.__name__

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def __getattr__(self, name: str) -> Any:
        found = getattr(functions, name)
        return partial(found, device=self.device) if name in MAKING else found


MAKING = frozenset({"asarray", "zeros", "ones", "full", "empty", "arange", "eye", "linspace"})
on_device = cache(OnDevice)
NUMPY_DTYPES = dict(dtypes_of(functions))  # rules ask for them again and again


class TensorArray(StandardArray):
    """A tensor as an array that behaves as NumPy's do."""

    __slots__ = ()
    is_given: Any = False

    # Rules ask for these again and again: a getter in C takes a quarter of the time of a property
    # in Python.
    shape: Any = property(attrgetter("array.shape"), doc="The length of each axis.")
    tensor: Any = property(attrgetter("array"), doc="The tensor itself.")
    ndim: Any = property(attrgetter("array.ndim"), doc="The number of axes.")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.array = tensor

    @property
    def xp(self) -> Any:
        """PyTorch's functions, which make arrays where this one is."""
        return functions if self.array.is_cpu else on_device(self.array.device)

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's name for the type of the entries."""
        dtype = self.array.dtype
        return NUMPY_DTYPES[dtype] if dtype in NUMPY_DTYPES else numpy_dtype(functions, dtype)

    def __iter__(self) -> Iterator[Any]:
        return map(TensorArray, self.array.unbind())

    def __getitem__(self, index) -> Any:
        return TensorArray(
            tensor_entries(self.array, index if isinstance(index, tuple) else (index,))
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._constant().detach().cpu().numpy(), dtype)


WRAPPERS[torch.Tensor] = TensorArray


def tensor_of(x, dtype: Any = None) -> torch.Tensor:
    """A value as a tensor; numbers and lists as NumPy would make arrays of them."""
    found: torch.Tensor = array_of(functions, x, dtype)
    return found


def together(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Tensors where the first of those is that are on a device; indices and masks are made on the
    CPU, as NumPy's are.
    """
    device = next((x.device for x in tensors if not x.is_cpu), None)
    return list(tensors) if device is None else [x.to(device) for x in tensors]


def tensor_entries(x: torch.Tensor, index: tuple[Any, ...]) -> torch.Tensor:
    """``x[index]`` as NumPy has it, where arrays of tensors may be in the index."""
    return read_tensor(
        x, [part.tensor if isinstance(part, TensorArray) else part for part in index]
    )
