"""NumPy's dtypes for PyTorch's: each way, and those that only one of
them has.
"""

import numpy as np
import pytest
import torch

from chainrules_py.errors import TangentTypeError
from chainrules_torch.arrays.dtypes import NUMPY_DTYPES, torch_dtype


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_there_and_back(dtype):
    assert torch_dtype(NUMPY_DTYPES[dtype]) is dtype
    assert torch.ones(1, dtype=dtype).numpy().dtype == NUMPY_DTYPES[dtype]


def test_what_stands_for_a_dtype():
    assert torch_dtype(float) is torch.float64
    assert torch_dtype("complex64") is torch.complex64
    assert torch_dtype(np.dtype(">f4")) is torch.float32


@pytest.mark.parametrize("unknown", [torch.bfloat16, torch.float8_e5m2], ids=str)
def test_what_numpy_does_not_have_is_refused_by_name(unknown):
    with pytest.raises(
        TangentTypeError, match=f"{unknown!s}, which only one of NumPy and PyTorch has"
    ):
        NUMPY_DTYPES[unknown]


@pytest.mark.parametrize("unknown", [np.longdouble, "U3", object])
def test_what_pytorch_does_not_have_is_refused_by_name(unknown):
    with pytest.raises(TangentTypeError, match="which only one of NumPy and PyTorch has"):
        torch_dtype(unknown)
