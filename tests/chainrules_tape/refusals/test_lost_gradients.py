"""Errors in lanes: there is no plain value there that would be a constant."""

import numpy as np
import pytest

from chainrules_tape import LostGradientError, grad, stop_gradient, vmap

X = np.ones((3, 4))
ASKED = {
    "an array": lambda x: np.array([x[0], 1.0]),
    "bytes": lambda x: x.tobytes(),
    "memory": lambda x: x.data,
    "a view": lambda x: x.view(np.int64),
    "a dictionary": lambda x: hash(x),
    "a number of a derivative": grad(lambda x: np.sum(x) * float(x[0])),
    "an array of a derivative": grad(lambda x: np.sum(x * np.array([x[0], 1.0, 2.0, 3.0]))),
}


@pytest.mark.parametrize("name", ASKED)
def test_errors_name_where(name):
    with pytest.raises((LostGradientError, TypeError)) as caught:
        vmap(ASKED[name])(X)
    said = f"{caught.value} {getattr(caught.value, '__notes__', '')}"
    assert "stop_gradient" not in said
    assert "numpy.where(condition, a, b)" in said


def test_a_constant_of_each_lane():
    """`stop_gradient` itself works: what it returns has lanes still."""
    found = vmap(grad(lambda x: np.sum(x * stop_gradient(x))))(X)
    np.testing.assert_array_equal(found, X)
