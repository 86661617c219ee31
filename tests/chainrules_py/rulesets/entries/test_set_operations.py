"""The rules of set operations share equally between equal values."""

import numpy as np
import pytest

from chainrules_py import frule, rrule
from chainrules_tape import vmap


def test_equal_values_share_equally():
    one, other = np.array([1.0, 2.0, 2.0]), np.array([2.0, 3.0])
    one_bar, other_bar = rrule(np.union1d, one, other)[1](np.array([1.0, 6.0, 5.0]))
    np.testing.assert_allclose(one_bar, [1.0, 2.0, 2.0])
    np.testing.assert_allclose(other_bar, [2.0, 5.0])
    y_dot = frule((np.array([1.0, 3.0, 6.0]), np.array([9.0, 5.0])), np.union1d, one, other)[1]
    np.testing.assert_allclose(y_dot, [1.0, 6.0, 5.0])


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_a_difference_has_the_dtype_of_what_is_left_in_lanes(dtype):
    x, other = np.array([[1.0, 2.0], [4.0, 5.0]], np.float32), np.array([9.0], dtype)
    found = vmap(lambda x: np.setdiff1d(x, other))(x)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, x)
