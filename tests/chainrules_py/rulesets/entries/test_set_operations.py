"""The rules of set operations share equally between equal values."""

import numpy as np
import pytest

from chainrules_tape import vmap


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_a_difference_has_the_dtype_of_what_is_left_in_lanes(dtype):
    x, other = np.array([[1.0, 2.0], [4.0, 5.0]], np.float32), np.array([9.0], dtype)
    found = vmap(lambda x: np.setdiff1d(x, other))(x)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, x)
