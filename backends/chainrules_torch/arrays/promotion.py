"""NumPy's dtypes for PyTorch's, and the dtype in which values meet.

PyTorch's own promotion is another one: tensors without axes are weak there, integers become
float32, and so on.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import torch

from chainrules_py import TangentTypeError


class NumpyDtypes(dict[torch.dtype, np.dtype[Any]]):
    """NumPy's dtypes by PyTorch's; one that NumPy does not have is refused."""

    def __missing__(self, dtype) -> Any:
        raise _unknown(dtype)


NUMPY_DTYPES = NumpyDtypes(
    (getattr(torch, name), np.dtype(name))
    for name in (
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    )
)
TORCH_DTYPES = {own: theirs for theirs, own in NUMPY_DTYPES.items()}


@lru_cache(maxsize=256)
def torch_dtype(dtype) -> torch.dtype:
    """PyTorch's dtype for one of NumPy's, or for what stands for one."""
    own = np.dtype(dtype)
    try:
        return TORCH_DTYPES[own if own.isnative else own.newbyteorder("=")]
    except KeyError:
        raise _unknown(dtype) from None


def _unknown(dtype) -> TangentTypeError:
    got = f"the dtype {dtype}, which only one of NumPy and PyTorch has"
    instead = (
        "use float16, float32, float64, complex64, complex128, bool, uint8 or a signed integer"
    )
    return TangentTypeError("to_torch", got, instead, operation=torch_dtype, operands=(dtype,))


@lru_cache(maxsize=256)
def promoted(*dtypes: torch.dtype) -> torch.dtype:
    """The dtype in which NumPy computes with arrays of these."""
    return torch_dtype(np.result_type(*map(NUMPY_DTYPES.__getitem__, dtypes)))


@lru_cache(maxsize=256)
def beside_number(dtype: torch.dtype, kind: type) -> torch.dtype:
    """The dtype in which NumPy computes with an array of this one and a number of Python's."""
    return torch_dtype(np.result_type(NUMPY_DTYPES[dtype], kind(0)))


@lru_cache(maxsize=256)
def inexact(dtype: torch.dtype) -> torch.dtype:
    """The dtype in which NumPy computes a sine of numbers of this one."""
    if dtype.is_floating_point or dtype.is_complex:
        return dtype
    return torch_dtype(np.sin(np.zeros(0, NUMPY_DTYPES[dtype])).dtype)


@lru_cache(maxsize=256)
def averaged(dtype: torch.dtype) -> torch.dtype:
    """The dtype of a mean, a solution or a transform: 64 bits for integers of any size."""
    return dtype if dtype.is_floating_point or dtype.is_complex else torch.float64
