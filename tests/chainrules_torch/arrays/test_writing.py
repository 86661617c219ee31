"""Writing entries of what cannot be written: a new array, in which what was added twice counts
twice.
"""

import numpy as np
import pytest
import torch

from chainrules_torch.arrays.namespace import namespace
from chainrules_torch.arrays.tensor_array import TensorArray
from chainrules_torch.arrays.writing import add_at, positions, set_at
from stand_ins.tensor_calls import in_numpy, on_tensor

X = np.arange(12.0).reshape(3, 4)
INDICES = {
    "a row": 1,
    "a part": (slice(None), slice(None, None, -2)),
    "places, one of them twice": (np.array([0, 2, 0]), np.array([1, 3, 1])),
    "a mask": X > 5,
    "an ellipsis": (..., 0),
}


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_entries_are_added(index):
    expected, values = np.zeros((3, 4), "float32"), np.cos(X[index])
    np.add.at(expected, index, values)
    found = in_numpy(add_at(on_tensor(values), index, (3, 4), np.dtype("float32")))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_positions_on_a_device_are_looked_up_there():
    elsewhere = TensorArray(torch.zeros(2, dtype=torch.int64, device="meta"))
    assert positions((elsewhere,), (3,)).is_meta
    assert namespace.take(X, elsewhere, axis=0).tensor.is_meta


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
@pytest.mark.parametrize("value", [7.0, np.float32(0.1)], ids=["a number", "of another dtype"])
def test_entries_are_replaced(index, value):
    expected, x = X.copy(), on_tensor(X)
    expected[index] = value
    found = set_at(x, index, value)
    np.testing.assert_array_equal(in_numpy(found), expected)
    np.testing.assert_array_equal(in_numpy(x), X)
