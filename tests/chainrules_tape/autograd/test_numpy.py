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


def test_matrices_with_infinite_diagonals():
    d = numpy.array([[numpy.inf, 2.0]], numpy.float32)
    made = np.make_diagonal(d, axis1=-1, axis2=-2)
    numpy.testing.assert_array_equal(made, [[[numpy.inf, 0.0], [0.0, 2.0]]])
    assert made.dtype == numpy.float32
    slopes = grad(lambda d: np.sum(np.make_diagonal(d) * np.arange(1.0, 5.0).reshape(2, 2)))(d[0])
    numpy.testing.assert_array_equal(slopes, [1.0, 4.0])


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


WHERE = [
    (True, 1, 2),
    (True, 3.0, 4.0),
    (False, 1, 2.0),
    (True, [1, 2], [3, 4]),
    ([True, False], 1.0, 2.0),
    (numpy.bool(True), 1, 2),
    (True, numpy.float32(1), 2.0),
    ([True, False], [numpy.float64(1.0), 2.0], [3.0, 4.0]),
    (True, numpy.ones(2), [3.0, 4.0]),
]


@pytest.mark.parametrize(("condition", "x", "y"), WHERE)
def test_where_gives_what_it_gives_there(condition, x, y):
    theirs = pytest.importorskip("autograd.numpy", reason="autograd is not installed")
    expected = theirs.where(condition, x, y)
    for found in (np.where(condition, x, y), np.where(condition=condition, x=x, y=y)):
        assert type(found) is type(expected)
        assert numpy.array_equal(found, expected)
        assert numpy.asarray(found).dtype == numpy.asarray(expected).dtype


def test_where_is_differentiated_and_finds_positions():
    x = numpy.array([-1.0, 2.0])
    assert grad(lambda x: np.sum(np.where(x > 0, x, y=3 * x)))(x).tolist() == [3.0, 1.0]
    assert grad(lambda x: np.sum(np.where([True, False], [x, x], 0.0)))(1.0) == 1.0
    assert np.where([False, True])[0].tolist() == [1]
    with pytest.raises(ValueError, match="pass both or neither"):
        np.where(x > 0, x)


def test_integers_of_traced_values_are_constants():
    def f(w):
        positions = np.int64(w[:, -1])
        assert type(positions) is numpy.ndarray
        assert positions.dtype == np.int64
        return np.sum(w[:, 0][positions])

    w = numpy.array([[1.0, 1.0], [2.0, 1.0]])
    assert grad(f)(w).tolist() == [[0.0, 0.0], [2.0, 0.0]]
    assert grad(lambda x: x * np.int32(x))(2.5) == 2.0
    assert type(np.int16(3.0)) is numpy.int16
    assert np.zeros(2, dtype=np.int8).dtype == numpy.int8


def test_the_boxes_are_found_by_attributes_too():
    assert grad(lambda x: x if isinstance(x, np.numpy_boxes.ArrayBox) else 0 * x)(2.0) == 1.0
