"""What CuPy lacks or does by waiting, written with what it has: NumPy's numbers, and nothing in the
ledger.
"""

import operator
import warnings

import numpy as np
import pytest

from chainrules_py.engines import vector_norm
from stand_ins.stand_in import DeviceArray, bare, ledger, namespace

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
    ledger.clear()
    found = getattr(namespace, function)(DeviceArray(ARRAYS[name]), **options)
    assert not ledger
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.host, wanted)


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "int8"])
def test_a_mean_where_a_mask_holds_has_the_dtype_that_numpys_has(dtype):
    x, mask = np.arange(6).reshape(2, 3).astype(dtype), np.array([[True, False, True], [True] * 3])
    found = namespace.mean(DeviceArray(x), axis=1, where=DeviceArray(mask))
    expected = np.mean(x, axis=1, where=mask)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.host, expected)


@pytest.mark.parametrize("options", [{}, {"rtol": None}, {"rtol": 1e-3}, {"rcond": 1e-17}], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_a_pseudoinverse_leaves_out(dtype, options):
    a = np.diag([1.0, 1e-6, 7e-16]).astype(dtype)
    found = namespace.linalg.pinv(DeviceArray(a), **options)
    expected = np.linalg.pinv(a, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.host, expected, rtol=1e-5)


@pytest.mark.parametrize("order", [2, 3, 0, np.inf])
def test_a_norm_of_small_integers_does_not_wrap_around(order):
    x = np.array([100, -128, 0], np.int8)
    found = vector_norm(DeviceArray(x), ord=order, xp=bare)
    expected = np.linalg.vector_norm(x, ord=order)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.host, expected)


@pytest.mark.parametrize(
    "compare", [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
)
def test_numbers_of_numpys_are_compared_from_the_left(compare):
    name = {
        "eq": "equal",
        "ne": "not_equal",
        "lt": "less",
        "le": "less_equal",
        "gt": "greater",
        "ge": "greater_equal",
    }
    x = np.array([1.0, 2.0, 3.0])
    found = getattr(namespace, name[compare.__name__])(np.array(2.0), DeviceArray(x))
    np.testing.assert_array_equal(found.host, compare(2.0, x))


def test_a_block_with_numbers_stays_on_the_device():
    from chainrules_py import ZERO, Tangent, frule, rrule, unthunk

    x = np.array([[1.0, 2.0]])
    ledger.clear()
    y, pullback = rrule(np.block, [[DeviceArray(x), 3.0], [DeviceArray(2 * x), 4.0]])
    (bars,) = pullback(DeviceArray(np.arange(6.0).reshape(2, 3)))
    dots = Tangent[list](Tangent[list](ZERO, 1.0), Tangent[list](DeviceArray(x), ZERO))
    _, y_dot = frule((dots,), np.block, [[DeviceArray(x), 3.0], [DeviceArray(2 * x), 4.0]])
    assert not ledger
    np.testing.assert_array_equal(y.host, [[1.0, 2.0, 3.0], [2.0, 4.0, 4.0]])
    np.testing.assert_array_equal(unthunk(bars[0][0]).host, [[0.0, 1.0]])
    assert float(unthunk(bars[1][1]).host) == 5.0
    np.testing.assert_array_equal(y_dot.host, [[0.0, 0.0, 1.0], [1.0, 2.0, 0.0]])


def test_a_number_that_is_appended_has_its_zero_on_the_device():
    from chainrules_py import ZERO, frule

    x = DeviceArray(np.array([1.0, 2.0]))
    _, y_dot = frule((x, ZERO), np.append, x, 3.0)
    np.testing.assert_array_equal(y_dot.host, [1.0, 2.0, 0.0])
