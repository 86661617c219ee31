"""`numpy.r_` and `numpy.c_` join traced entries, which come out with their derivatives."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import jacobian, vjp

X = np.array([0.5, -1.5, 2.0])
A = np.arange(6.0).reshape(2, 3)

JOINED = {
    "one": lambda np, x: np.r_[x],
    "entries and numbers": lambda np, x: np.r_[x[0], 1.0, x[2] * x[1], 2],
    "arrays": lambda np, x: np.r_[x, A[0], x * x],
    "ranges": lambda np, x: np.r_[0:3, x, 1:2:3j],
    "a list": lambda np, x: np.r_[[x[0], 1.0], x],
    "along an axis": lambda np, x: np.r_["-1", A, A * x],
    "with more axes": lambda np, x: np.r_["0,2", x, A],
    "the new axis behind": lambda np, x: np.r_["1,2,0", x, x * x],
    "the new axis behind, a range": lambda np, x: np.r_["1,2,0", 0:3, x],
    "columns": lambda np, x: np.c_[x, A[0]],
    "columns of matrices": lambda np, x: np.c_[A * x, A],
    "nothing traced": lambda np, x: np.r_[1:3, 4] * x[0],
}


@pytest.mark.parametrize("f", JOINED.values(), ids=list(JOINED))
def test_joined_as_numpy_joins(f):
    h = 1e-6
    expected = np.stack(
        [(f(np, X + h * e) - f(np, X - h * e)) / (2 * h) for e in np.eye(3)], axis=-1
    )
    for mode in ("forward", "reverse"):
        np.testing.assert_allclose(jacobian(lambda x: f(tnp, x), mode=mode)(X), expected, atol=1e-8)
    np.testing.assert_array_equal(f(tnp, X), f(np, X))


NUMBERS = {
    "an integer": lambda np, x: np.r_[x, 1],
    "a float": lambda np, x: np.c_[x[0], 0.5],
    "a complex number": lambda np, x: np.r_[x, 1j],
    "an integer of NumPy's": lambda np, x: np.r_[x, np.array([1, 2])],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_dtypes_are_numpys(name):
    x = X.astype(np.float32)
    found = vjp(lambda x: NUMBERS[name](tnp, x), x)[0]
    assert found.dtype == NUMBERS[name](np, x).dtype


def test_names():
    assert "RClass" in repr(tnp.r_)
    assert "CClass" in repr(tnp.c_)
