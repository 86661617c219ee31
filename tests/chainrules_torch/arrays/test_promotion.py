"""NumPy's dtypes for PyTorch's: each way, in which two of them meet, and those that only one of
them has.
"""

from itertools import product

import numpy as np
import pytest
import torch

from chainrules_py.errors import TangentTypeError
from chainrules_torch.arrays.promotion import (
    NUMPY_DTYPES,
    averaged,
    beside_number,
    inexact,
    promoted,
    torch_dtype,
)


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


def test_two_dtypes_meet_as_in_numpy():
    for one, other in product(NUMPY_DTYPES, NUMPY_DTYPES):
        assert NUMPY_DTYPES[promoted(one, other)] == np.result_type(
            NUMPY_DTYPES[one], NUMPY_DTYPES[other]
        )


@pytest.mark.parametrize("number", [True, 2, 1.5, 1j], ids=repr)
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_a_number_is_weak(dtype, number):
    expected = (np.ones(1, NUMPY_DTYPES[dtype]) + number).dtype
    assert NUMPY_DTYPES[beside_number(dtype, type(number))] == expected


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_integers_become_what_they_become_in_numpy(dtype):
    ones = np.ones(1, NUMPY_DTYPES[dtype])
    assert NUMPY_DTYPES[inexact(dtype)] == np.sin(ones).dtype
    assert NUMPY_DTYPES[averaged(dtype)] == np.mean(ones).dtype
