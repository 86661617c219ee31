"""Elementwise functions of CuPy's on a device, in the types that it has kernels for, against
NumPy's.
"""

import numpy as np
import pytest

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.gpu

INTEGERS = ("int8", "uint32", "int64")
FLOATS = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-14}
SPECIAL = [-np.inf, -2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 1.0, 3.5, 100.0, np.inf, np.nan]
UNARY = (
    "absolute negative sign square sqrt reciprocal exp expm1 log log1p log2 log10 sin cos tan"
    " arcsin arctan sinh cosh"
)
UNARY += " tanh arcsinh floor ceil rint trunc isnan isinf signbit cbrt exp2"
BINARY = (
    "add subtract multiply true_divide floor_divide remainder power maximum minimum fmax arctan2"
    " hypot copysign"
)
BINARY += " nextafter logaddexp"
BITS = (
    "add subtract multiply floor_divide remainder bitwise_and bitwise_or bitwise_xor left_shift"
    " right_shift maximum"
)
BITS += " power less"


def both(name, *args):
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*args)
    return getattr(cupy, name)(*map(cupy.asarray, args)), expected


def agree(found, expected, tolerance):
    assert found.dtype == expected.dtype
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found.get(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY.split())
def test_of_a_float(name, dtype):
    if (name, dtype) == ("cbrt", "float16"):
        pytest.skip("CuPy has no kernel for it")
    x = np.array(SPECIAL, dtype)
    found, expected = both(name, x)
    if name == "sign":
        found, expected = found[:-1], expected[:-1]  # of nan CuPy says 0
    agree(found, expected, FLOATS[dtype])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BINARY.split())
def test_of_two_floats(name, dtype):
    x = np.array([-2.5, -1.0, -0.0, 0.0, 0.25, 3.5, np.inf, np.nan], dtype)
    if name == "floor_divide" or (name, dtype) == ("nextafter", "float16"):
        x = x[:-2]  # where CuPy's formulas have other numbers than NumPy's
    y = np.array([0.5, -2.0, 3.0, 4.25], dtype)
    agree(*both(name, x[:, None], y), FLOATS[dtype])


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", BITS.split())
def test_of_integers(name, dtype):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    x, y = np.array([least, most, 1, 5, 77, 0], dtype), np.array([1, 2, 3, 7], dtype)
    agree(*both(name, x[:, None], y), 0)


@pytest.mark.parametrize("source", ["int8", "uint64", "float16", "float64", "complex64"])
def test_conversions(source):
    x = np.array([0, 1, 3, 100, 7], source)
    for target in ("bool", "uint8", "int64", "float16", "float32", "complex128"):
        if not (source == "complex64" and target != "complex128"):
            np.testing.assert_array_equal(cupy.asarray(x).astype(target).get(), x.astype(target))
