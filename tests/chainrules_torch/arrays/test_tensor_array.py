"""`TensorArray`: attributes, operators and indices as NumPy's arrays have them, and what it refuses
to become.
"""

import numpy as np
import torch

from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of
from stand_ins.tensor_calls import in_numpy, on_tensor

X = np.arange(24.0).reshape(2, 3, 4) - 7


def test_values_that_are_no_arrays():
    assert tensor_of([1, 2.5]).dtype == torch.float64
    stacked = tensor_of([on_tensor(X[0, 0]), X[0, 1]])
    np.testing.assert_array_equal(stacked, X[0, :2])
    assert tensor_of(2, np.float32).dtype == torch.float32
    assert in_numpy(3) == 3
    assert "TensorArray(tensor([1.]))" == repr(TensorArray(torch.ones(1)))
