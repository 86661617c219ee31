"""What CuPy lacks or does by waiting, written with what it has: NumPy's numbers, and a host that does
not wait or copy.
"""

import warnings

import numpy as np
import pytest

from chainrules_cupy.namespace import namespace
from stand_ins.waiting import staying

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")

NAN = np.nan
ARRAYS = {
    "floats": np.array([[1.0, NAN, -3.0], [NAN, NAN, 2.0]]),
    "a line of nan": np.array([[NAN, NAN], [1.0, -np.inf]]),
    "infinite": np.array([[-np.inf, NAN], [np.inf, NAN]]),
    "float32": np.array([[1.0, NAN], [0.5, 2.0]], np.float32),
    "integers": np.arange(6).reshape(2, 3),
}


@pytest.mark.parametrize("options", [{}, {"axis": 1}, {"axis": 0, "keepdims": True}], ids=str)
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("function", ["nanmax", "nanmin"])
def test_extrema_without_nan_do_not_wait(function, name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's about lines of nan
        wanted = getattr(np, function)(ARRAYS[name], **options)
    x = cupy.asarray(ARRAYS[name])
    with staying():
        found = getattr(namespace, function)(x, **options)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.get(), wanted)


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "int8"])
def test_a_mean_where_a_mask_holds_has_the_dtype_that_numpys_has(dtype):
    x, mask = np.arange(6).reshape(2, 3).astype(dtype), np.array([[True, False, True], [True] * 3])
    found = namespace.mean(cupy.asarray(x), axis=1, where=cupy.asarray(mask))
    expected = np.mean(x, axis=1, where=mask)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected)


@pytest.mark.parametrize("order", [2, 3, 0, np.inf])
def test_a_norm_of_small_integers_does_not_wrap_around(order):
    x = np.array([100, -128, 0], np.int8)
    found = namespace.linalg.vector_norm(cupy.asarray(x), ord=order)
    expected = np.linalg.vector_norm(x, ord=order)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected)
