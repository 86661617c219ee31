"""``x.flat`` of traced arrays and of buffers: what is read and written is what NumPy reads and writes."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, vjp

X = np.arange(1.0, 7.0).reshape(2, 3)
WRITES = [
    lambda a, x: a.flat.__setitem__(4, x[0, 0] ** 2),
    lambda a, x: a.flat.__setitem__(-1, 7.0),
    lambda a, x: a.flat.__setitem__(slice(None, None, 2), x[0, :2]),  # three places for two values
    lambda a, x: a.flat.__setitem__([1, 5], x[1, 1:]),
    lambda a, x: a.flat.__setitem__(np.arange(6) > 2, x[0] * x[1]),
    lambda a, x: setattr(a, "flat", np.sin(x[0])),
    lambda a, x: a.T.flat.__setitem__(1, x[1, 2]),
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("make", [lambda x: x * 1.0, np.transpose, tnp.copy])
def test_writes(write, make):
    def f(x):
        a = make(x)
        write(a, x)
        return a * a.flat[2] + sum(a.flat) + np.sum(a.flat[1::2]) * len(a.flat)

    y, pullback = vjp(f, X)
    np.testing.assert_allclose(y, f(X.copy()))
    seed, h = np.cos(y), 1e-6
    steps = h * np.eye(6).reshape(6, 2, 3)
    slopes = [np.sum(seed * (f(X + step) - f(X - step))) / (2 * h) for step in steps]
    np.testing.assert_allclose(np.ravel(pullback(seed)[0]), slopes, rtol=1e-6, atol=1e-6)


def test_positions_beyond_the_end():
    with pytest.raises(IndexError):
        grad(lambda x: x.flat[6])(X)
