"""Writes of a user's own functions, across levels, and into buffers that outlive a derivative."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import frule, rrule
from chainrules_tape import (
    InPlaceError,
    checkpoint,
    grad,
    hvp,
    jvp,
    primitive,
)

X = np.array([0.5, -1.5, 2.0])


@primitive
def scale(a, y):
    """Multiply an array by a number, in place."""
    y *= a


@rrule.register(scale, overwrites="y")
def scale_rrule(a, y):
    before = y.copy()
    y *= a
    return y, lambda y_bar: (np.sum(y_bar * before), a * y_bar)


@frule.register(scale, overwrites="y")
def scale_frule(dots, a, y):
    dots[1][...] = a * dots[1] + dots[0] * y
    y *= a
    return y, dots[1]


def scaled(x):
    y = np.sin(x)
    scale(x[0], y)
    z = tnp.zeros(4)
    z[1:] = y
    scale(x[1], z[:3])
    return np.sum(z**2)


def scaled_functional(x):
    z = np.concatenate([np.zeros(1), x[0] * np.sin(x)]) * np.stack(
        [x[1], x[1], x[1], 1.0 + 0 * x[1]]
    )
    return np.sum(z**2)


def test_a_rule_of_a_function_that_writes():
    np.testing.assert_allclose(grad(scaled)(X), grad(scaled_functional)(X))
    np.testing.assert_allclose(jvp(scaled, (X,), (X,)), jvp(scaled_functional, (X,), (X,)))
    np.testing.assert_allclose(hvp(scaled, X, X), hvp(scaled_functional, X, X))
    plain = tnp.ones(3)
    scale(2.0, plain)
    np.testing.assert_array_equal(plain, np.full(3, 2.0))


def test_a_plain_array_and_an_argument_of_a_checkpoint_are_not_written_to():
    with pytest.raises(InPlaceError):
        grad(lambda x: scale(x[0], np.ones(3)))(X)
    with pytest.raises(InPlaceError):
        grad(lambda x: np.sum(checkpoint(lambda h: (h.fill(1.0), h)[1])(np.sin(x))))(X)


def test_a_buffer_outlives_a_derivative_with_its_values():
    work = tnp.zeros(3)

    def f(x):
        work[:] = x
        work[0] *= 2
        return np.sum(work * work)

    for _ in range(2):
        np.testing.assert_allclose(grad(f)(X), [8 * X[0], 2 * X[1], 2 * X[2]])
    np.testing.assert_array_equal(work, [2 * X[0], X[1], X[2]])
