"""``x.resize(shape)`` of traced arrays and of buffers gives what NumPy gives, and is
differentiated.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, hessian, jvp, vjp

X = np.arange(1.0, 7.0).reshape(2, 3)
MAKERS = {
    "value": lambda x: x * 1.0,
    "written to": lambda x: written(x),
    "buffer": lambda x: buffer(x),
    "in the order of Fortran": lambda x: (x * x).copy("F"),
    "written to in the order of Fortran": lambda x: written(x).copy("F"),
}
SHAPES = {
    "larger": (8,),
    "of two axes": ((4, 2),),
    "numbers": (3, 3),
    "smaller": (4,),
    "same": ((3, 2),),
    "empty": (0,),
    "none": (),
}


def written(x):
    y = x * 2.0
    y[0, 1] = x[1, 1] ** 2
    return y


def buffer(x):
    y = tnp.zeros((2, 3)) if type(x) is not np.ndarray else np.zeros((2, 3))
    y[:, :2] = x[:, 1:]
    return y


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_entries_and_zeros(make, shape):
    def f(x):
        y = make(x)
        y.resize(*shape, refcheck=False)
        if y.size > 1:
            y[-1] = y[-1] + x[0, 0]
        return y**2 if y.ndim == 1 else (y**2).T

    y, pullback = vjp(f, X)
    np.testing.assert_array_equal(y, f(X))
    seed, h = np.cos(y), 1e-6
    slopes = [
        np.sum(seed * (f(X + step) - f(X - step))) / (2 * h)
        for step in h * np.eye(6).reshape(6, 2, 3)
    ]
    np.testing.assert_allclose(np.ravel(pullback(seed)[0]), slopes, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        jvp(f, (X,), (X,))[1], (f(X + h * X) - f(X - h * X)) / (2 * h), rtol=1e-6, atol=1e-6
    )


def test_second_order():
    def f(x):
        y = x * x
        y.resize(3)
        y[2] = x[0] * x[1]
        return np.sum(y * x[0])

    np.testing.assert_allclose(
        hessian(f)(np.array([2.0, 3.0])), [[6 * 2.0 + 2 * 3.0, 2 * 3.0 + 2 * 2.0], [10.0, 4.0]]
    )


def test_what_numpy_refuses():
    for make in (lambda x: x, lambda x: x * 1.0):
        with pytest.raises(ValueError, match="negative"):
            grad(lambda x, make=make: make(x).resize(-1))(X)

    def of_a_view(x):
        y = x * 1.0
        y[0, 0] = 0.0
        y[0].resize(5)

    with pytest.raises(ValueError, match="own its data"):
        grad(of_a_view)(X)
