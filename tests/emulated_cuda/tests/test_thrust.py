"""Sorting as CuPy has it from Thrust, against NumPy's."""

import numpy as np
import pytest

from emulated_cuda.c_calls import random_array
from emulated_cuda.libraries import thrust

DTYPES = ("bool", "int8", "uint64", "float16", "float32", "float64", "complex64", "complex128")
SHAPES = [(9,), (1,), (3, 7), (2, 3, 5), (4, 1)]


def numbers(dtype, shape):
    """With repeated ones, and with nan where there is such a number."""
    x = np.round(
        2 * random_array("complex128" if np.dtype(dtype).kind == "c" else "float64", *shape)
    )
    x.flat[:: max(2, x.size // 3)] = np.nan if np.dtype(dtype).kind in "fc" else 1
    return (x if np.dtype(dtype).kind in "fc" else abs(x)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_sort(dtype, shape):
    x = numbers(dtype, shape)
    y, order = x.copy(), np.zeros(shape, np.intp)
    thrust.sort(x.dtype, y.ctypes.data, 0, shape)
    np.testing.assert_array_equal(y, np.sort(x, axis=-1))
    thrust.argsort(x.dtype, order.ctypes.data, x.ctypes.data, 0, shape)
    np.testing.assert_array_equal(order, np.argsort(numbers(dtype, shape), axis=-1, kind="stable"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_lexsort(dtype):
    keys, order = numbers(dtype, (3, 20)), np.zeros(20, np.intp)
    thrust.lexsort(keys.dtype, order.ctypes.data, keys.ctypes.data, 3, 20)
    np.testing.assert_array_equal(order, np.lexsort(keys))


def test_what_has_no_order():
    with pytest.raises(NotImplementedError):
        thrust.sort(np.dtype("U3"), 0, 0, (0,))
    with pytest.raises(TypeError):
        thrust.lexsort(np.dtype("U3"), 0, 0, 1, 0)
