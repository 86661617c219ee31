"""Cotangents of numbers become numbers of the right type, and what is no number is refused."""

from fractions import Fraction

import numpy as np
import pytest

from chainrules_py.errors import ProjectionError
from chainrules_py.projection import ProjectTo
from chainrules_py.tangents import NO_TANGENT, ZERO

REAL = [
    2,
    2.0,
    True,
    np.float16(2),
    np.float32(2),
    np.float64(2),
    np.longdouble(2),
    np.int64(2),
    np.array(2.0),
    np.array([[2.0]]),
]
COMPLEX = [
    2 + 1j,
    np.complex64(2 + 1j),
    np.complex128(2 + 1j),
    np.clongdouble(2 + 1j),
    np.array(2 + 1j),
    np.array([2 + 1j]),
]


@pytest.mark.parametrize("t", REAL + COMPLEX, ids=repr)
def test_python_float(t):
    result = ProjectTo(1.0)(t)
    assert type(result) is float
    assert result == np.real(t)


@pytest.mark.parametrize("t", REAL + COMPLEX, ids=repr)
def test_python_complex(t):
    result = ProjectTo(1j)(t)
    assert type(result) is complex
    assert result == t


@pytest.mark.parametrize("t", REAL + COMPLEX, ids=repr)
@pytest.mark.parametrize(
    "of",
    [
        np.float16,
        np.float32,
        np.float64,
        np.longdouble,
        np.complex64,
        np.complex128,
        np.clongdouble,
    ],
)
def test_numpy_scalar(of, t):
    result = ProjectTo(of(1.0))(t)
    assert type(result) is of
    assert result == (t if issubclass(of, np.complexfloating) else np.real(t))


@pytest.mark.parametrize("x", [1.0, 1j, np.float32(1.0), np.complex128(1.0)])
@pytest.mark.parametrize("t", [np.ones(2), np.ones(0), [1.0], None, "1.0", np.array(None)])
def test_what_is_no_number_is_refused(x, t):
    with pytest.raises(ProjectionError) as caught:
        ProjectTo(x)(t)
    assert caught.value.value is t


@pytest.mark.parametrize(
    "x",
    [
        1,
        True,
        "abc",
        b"abc",
        None,
        np.int64(1),
        np.bool_(True),
        np.str_("a"),
        np.datetime64("2020"),
        int,
        len,
    ],
)
@pytest.mark.parametrize("t", [1.0, np.ones(3), ZERO, NO_TANGENT])
def test_no_tangent_space(x, t):
    assert ProjectTo(x)(t) is NO_TANGENT


def test_other_real_numbers_have_float_tangents():
    assert ProjectTo(Fraction(1, 3))(np.float64(2.0)) == 2.0


@pytest.mark.parametrize("recorded", [False, True], indirect=True)
@pytest.mark.parametrize(
    ("x", "t", "log", "dtype"),
    [
        (1.0, np.float32(2.0), [], "float32"),
        (1.0, np.array([2.0]), ["reshape"], "float64"),
        (1.0, np.complex64(2 + 1j), ["real"], "float32"),
        (1j, np.complex64(2 + 1j), [], "complex64"),
        (1j, np.float32(2.0), ["astype"], "complex64"),
        (1j, np.float64(2.0), ["astype"], "complex128"),
        (np.float32(1.0), np.array([2.0]), ["reshape", "astype"], "float32"),
        (np.float32(1.0), np.complex64(2 + 1j), ["real"], "float32"),
    ],
)
def test_a_device_or_traced_number_is_never_converted(recorded, x, t, log, dtype):
    t = recorded(t)
    result = ProjectTo(x)(t)
    assert (type(result), result.shape, result.dtype) == (type(t), (), np.dtype(dtype))
    assert t.log == log
