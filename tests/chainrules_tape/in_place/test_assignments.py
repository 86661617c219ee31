"""Augmented assignment to traced arrays: NumPy's result, or an error; never the value of before."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import (
    InPlaceError,
    RecomputationError,
    checkpoint,
    grad,
    jvp,
    stop_gradient,
    vjp,
)

X = np.array([0.5, -1.5, 2.0])
M = np.arange(9.0).reshape(3, 3) + np.eye(3)


def test_a_constant_is_what_the_array_held():
    def f(x):
        y = x * 2.0
        constant = stop_gradient(y)
        y += 1.0
        return x * constant

    y, pullback = vjp(f, X)
    np.testing.assert_array_equal(y, X * 2.0 * X)
    np.testing.assert_array_equal(pullback(np.ones(3))[0], 2.0 * X)


@pytest.mark.parametrize(
    ("dtype", "other"),
    [(np.float32, np.ones(3)), (np.complex64, np.ones(3)), (np.float64, np.ones(3, int))],
)
def test_the_dtype_stays(dtype, other):
    def f(x):
        y = x * x
        y += other
        assert y.dtype == dtype
        return y

    y, pullback = vjp(f, X.astype(dtype))
    assert y.dtype == dtype
    np.testing.assert_allclose(pullback(np.ones(3, dtype))[0], 2 * X)


def grows(x):
    x += np.ones((2, 3))


def becomes_complex(x):
    x += 1j


@pytest.mark.parametrize("f", [grows, becomes_complex])
def test_what_does_not_fit_into_the_array_raises(f):
    with pytest.raises(InPlaceError) as caught:
        vjp(f, X)
    assert caught.value.value.shape == (3,)


@pytest.mark.parametrize(
    ("shape", "error"),
    [((2, 2), ValueError), ((9,), AttributeError)],
    ids=["another number of entries", "no view of it"],
)
def test_a_shape_that_numpy_does_not_give_in_place(shape, error):
    for make in (lambda x: (x * M).T, lambda x: tnp.array(M).T):
        with pytest.raises(error):
            grad(lambda x, make=make: setattr(make(x), "shape", shape))(X)
    with pytest.raises(InPlaceError, match="reshape"):
        grad(lambda x: setattr(x[0], "shape", (1,)))(X)


def augments_its_argument(h):
    h += 1.0
    return h * h


def test_a_function_that_is_called_for_its_derivative_leaves_its_arguments_alone():
    """Forward, ``y`` outside kept its old value, where NumPy's has the new one."""

    def f(x):
        y = np.sin(x)
        return checkpoint(augments_its_argument)(y) + y

    with pytest.raises(InPlaceError):
        jvp(f, (X,), (X,))
    with pytest.raises((InPlaceError, RecomputationError)):
        vjp(f, X)[1](X)
