"""NumPy's dtypes for PyTorch's, and PyTorch's for NumPy's."""

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
