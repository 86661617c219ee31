"""Rules of functions that change axes."""

import numpy as np
import pytest

from chainrules_py import ZERO, rrule


@pytest.mark.parametrize(
    "axes", [np.argsort([2, 0, 1]), range(2, -1, -1), [1, 0, 2], np.array([-1, 0, -2])], ids=repr
)
def test_transpose_takes_every_sequence_of_axes(axes):
    x, y_bar = np.arange(24.0).reshape(2, 3, 4), np.arange(24.0)
    y, pullback = rrule(np.transpose, x, axes)
    x_bar, _ = pullback(y_bar.reshape(y.shape))
    # a permutation's adjoint is its inverse
    np.testing.assert_array_equal(np.transpose(x_bar, axes), y_bar.reshape(y.shape))
    assert x_bar.shape == x.shape


@pytest.mark.parametrize("order", ["K", "A"])
def test_orders_in_memory_of_one_axis(order):
    from chainrules_tape import grad, hessian, jvp, vmap

    def f(x):
        flat = np.ravel(x[::-2], order=order), x.ravel(order), x.flatten(order)
        return np.sum(np.concatenate(flat) ** 2 * np.arange(8.0)) + np.sum(x.reshape(3, order="A"))

    def g(x):
        flat = np.concatenate([x[::-2], x, x])
        return np.sum(flat**2 * np.arange(8.0)) + np.sum(x)

    x = np.array([0.3, 0.5, 0.7])
    for transform in (grad, hessian, lambda f: lambda x: jvp(f, (x,), (x,))[1]):
        np.testing.assert_allclose(transform(f)(x), transform(g)(x))
    np.testing.assert_allclose(vmap(grad(f))(x[None])[0], grad(g)(x))


def test_outputs_that_nobody_used_cost_nothing():
    y, pullback = rrule(np.broadcast_arrays, np.ones((2, 1)), np.ones(3))
    a_bar, b_bar = pullback((np.ones((2, 3)), ZERO))
    assert b_bar is ZERO
    np.testing.assert_array_equal(a_bar, [[3.0], [3.0]])
