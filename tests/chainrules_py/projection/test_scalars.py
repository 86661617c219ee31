"""Cotangents of numbers become numbers of the right type, and what is no number is refused."""

from fractions import Fraction

import numpy as np
import pytest

from chainrules_py.projection import ProjectTo

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
@pytest.mark.parametrize(
    "of", [float, complex, np.float16, np.float32, np.longdouble, np.complex64, np.clongdouble]
)
def test_a_number_has_cotangents_of_its_class(of, t):
    result = ProjectTo(of(1.0))(t)
    assert type(result) is of
    assert result == (t if np.iscomplexobj(of(1.0)) else np.real(t))


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
