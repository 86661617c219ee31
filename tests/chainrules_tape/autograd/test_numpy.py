"""NumPy for programs of autograd's: arrays of plain values are NumPy's own."""

import numpy
import pytest

import chainrules_tape.autograd.numpy as np
from chainrules_tape import InPlaceError
from chainrules_tape.autograd import grad

MADE = {
    "zeros": lambda x: np.zeros(2),
    "array": lambda x: np.array([[1.0, 2.0]]),
    "eye": lambda x: np.eye(2),
    "full": lambda x: np.full(2, 3.0),
    "zeros_like": lambda x: np.zeros_like(x),
    "ones_like": lambda x: np.ones_like(x),
    "full_like": lambda x: np.full_like(x, 2.0),
    "asarray": lambda x: np.asarray([1.0]),
}


@pytest.mark.parametrize("name", MADE)
def test_arrays_of_plain_values_are_numpys(name):
    classes = []

    def f(x):
        classes.append(type(MADE[name](x)))
        return np.sum(x)

    grad(f)(numpy.ones(2))
    assert classes == [numpy.ndarray]


def test_arrays_of_traced_values_are_differentiated():
    found = grad(lambda x: np.sum(np.array([x[0], 2.0 * x[1]]) * np.full(2, x[0])))
    assert found(numpy.array([3.0, 5.0])).tolist() == [16.0, 6.0]
    assert grad(lambda x: np.sum(np.full_like(np.zeros(3), x)))(1.0) == 3.0


def test_a_write_into_a_plain_array_is_refused():
    def f(x):
        y = np.zeros(2)
        y[0] = x
        return y[0]

    with pytest.raises((InPlaceError, TypeError)):
        grad(f)(1.0)


def test_all_other_names_are_those_of_our_numpy():
    assert np.linalg.norm(np.ones(4)) == 2.0
    assert {"sin", "zeros", "einsum"} <= set(dir(np))
    with pytest.raises(AttributeError):
        _ = np.no_such_name
