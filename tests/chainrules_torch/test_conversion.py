"""Tensors as NumPy's arrays and back: what is shared, what is copied, and what is refused."""

import numpy as np
import pytest
import torch

from chainrules_py.errors import TangentTypeError
from chainrules_torch.conversion import (
    array_of_tensor,
    as_fresh_tensor,
    as_shared_tensor,
    as_tensor,
    is_differentiable,
)


def test_a_tensor_is_shared_read_only():
    x = torch.ones(3, requires_grad=True)
    array = array_of_tensor(x)
    assert array.ctypes.data == x.data_ptr()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 2
    assert array_of_tensor(2.0) == 2.0


def test_lazy_conjugates_and_negatives_are_carried_out():
    z = torch.tensor([1 + 2j])
    assert array_of_tensor(z.conj()).tolist() == [1 - 2j]
    assert array_of_tensor(z.conj().imag).tolist() == [-2.0]
    with pytest.raises(TangentTypeError, match="bfloat16"):
        array_of_tensor(torch.ones(1, dtype=torch.bfloat16))


OWN = np.arange(4.0)
FIXED = np.arange(4.0)
FIXED.flags.writeable = False


@pytest.mark.parametrize(
    ("array", "copied"),
    [
        (OWN, False),
        (FIXED, True),
        (OWN[::-1], True),
        (np.broadcast_to(1.0, (3,)), True),
        (OWN.astype(">f8"), True),
    ],
    ids=[
        "an array of its own",
        "read-only",
        "backwards",
        "one entry in three places",
        "of another byte order",
    ],
)
def test_results_that_pytorch_cannot_take_over_are_copied(array, copied):
    tensor = as_tensor(array, None, [], "here")
    assert tensor.tolist() == array.tolist()
    assert (tensor.data_ptr() == array.ctypes.data) is not copied
    tensor += 0  # a warning, where PyTorch knows that it must not


def test_results_that_share_memory_with_others_are_copied():
    part = OWN[1:]
    assert as_tensor(part, None, [OWN], "here").data_ptr() != part.ctypes.data
    assert as_tensor(OWN, None, [OWN], "here").data_ptr() != OWN.ctypes.data
    assert as_tensor(OWN, None, [FIXED], "here").data_ptr() == OWN.ctypes.data


def test_arrays_as_tensors():
    assert as_fresh_tensor(OWN).data_ptr() != OWN.ctypes.data
    assert as_shared_tensor(OWN).data_ptr() == OWN.ctypes.data
    assert as_shared_tensor(FIXED).data_ptr() != FIXED.ctypes.data
    assert as_shared_tensor(OWN[::-1]).tolist() == [3.0, 2.0, 1.0, 0.0]
    assert as_fresh_tensor(2.0).dtype == torch.float64
    assert as_fresh_tensor("name") == "name"
    assert as_fresh_tensor(3) == 3


@pytest.mark.parametrize(
    ("x", "answer"),
    [(OWN, True), (1.0, True), (torch.ones(1), True), (torch.arange(3), False), (3, False)],
)
def test_what_has_a_tangent_space(x, answer):
    assert is_differentiable(x) is answer
