"""Positions of a device, by which entries are written and read, stay there."""

import numpy as np
import torch

from chainrules_torch.arrays.namespace import namespace
from chainrules_torch.arrays.tensor_array import TensorArray
from chainrules_torch.arrays.writing import positions


def test_positions_on_a_device_are_looked_up_there():
    elsewhere = TensorArray(torch.zeros(2, dtype=torch.int64, device="meta"))
    assert positions((elsewhere,), (3,)).is_meta
    assert namespace.take(np.ones((3, 4)), elsewhere, axis=0).tensor.is_meta
