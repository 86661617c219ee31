"""Traced values as an array library: rules run on them, and may fill the buffers they make."""

import numpy as np
import pytest

from chainrules_py import Array, default_rules, primitive
from chainrules_py.values.arrays import library_of
from chainrules_tape import grad, jvp
from chainrules_tape.arrays.handles import DualArray, TapeArray
from chainrules_tape.xp.namespace import TracedBuffer, namespace, opened

X = np.array([1.0, 2.0, 3.0])
W = np.arange(1.0, 7.0).reshape(2, 3)


def test_traced_classes_are_one_library():
    assert {library_of(cls).name for cls in (TapeArray, DualArray, TracedBuffer)} == {"tape"}
    assert getattr(namespace.sin, "__wrapped__", namespace.sin) is np.sin


def set_slice(x):
    buffer = namespace.zeros((2, 3))
    buffer[0] = x
    buffer[1, 1:] = x[0] * 2
    return buffer


def set_repeated(x):
    buffer = namespace.ones((2, 3))
    buffer[1, [0, 2, 0]] = x  # the last write to entry 0 counts
    return buffer


def set_mask(x):
    buffer = namespace.zeros((2, 3))
    buffer[W > 4] = x[:2]
    return buffer


def add_repeated(x):
    buffer = namespace.zeros(3)
    np.add.at(buffer, np.array([1, 1, 0]), x)
    return np.stack([buffer, buffer * 2])


def augment(x):
    buffer = namespace.full((2, 3), 5.0)
    buffer[:, 1] += x[1]
    buffer[0] = buffer[1]
    return buffer


def out(x):
    buffer = namespace.empty((2, 3))
    np.multiply(W, x, out=buffer)
    return buffer


FILLS = [set_slice, set_repeated, set_mask, add_repeated, augment, out]


@pytest.mark.parametrize("fill", FILLS)
def test_buffers_are_filled_as_numpy_fills_them(fill):
    def f(x):
        return np.sum(np.sin(fill(x)) * W)

    step = 1e-6
    expected = np.array([(f(X + step * e) - f(X - step * e)) / (2 * step) for e in np.eye(3)])
    np.testing.assert_allclose(grad(f)(X), expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(jvp(f, (X,), (X,))[1], expected @ X, rtol=1e-7)


@pytest.mark.parametrize("fill", FILLS)
def test_a_buffer_of_constants_is_numpys_own(fill):
    np.testing.assert_array_equal(opened(fill(X)), by_numpy(fill))


@pytest.mark.parametrize(
    "made", [namespace.zeros(2), namespace.full(2, 1.0), namespace.ones_like(X)]
)
def test_what_makes_arrays_makes_buffers(made):
    assert type(made) is TracedBuffer
    assert type(opened(made)) is np.ndarray


def by_numpy(fill):
    """What a function computes with NumPy in the place of the namespace."""
    return type(fill)(fill.__code__, {**fill.__globals__, "namespace": np})(X)


def test_a_rule_that_fills_a_buffer_has_a_second_derivative():
    @primitive
    def reverse_cumulative(x):
        return np.cumsum(x[::-1])[::-1]

    @default_rules.rrule.register(reverse_cumulative)
    def reverse_cumulative_rrule(x: Array, *, xp):
        squares = x * x

        def reverse_cumulative_pullback(y_bar):
            x_bar = xp.zeros(x.shape, x.dtype)
            for i in range(x.shape[0]):
                x_bar[i] = np.sum(y_bar[: i + 1]) * squares[i] / squares[i]
            return (x_bar,)

        return np.cumsum(x[::-1])[::-1], reverse_cumulative_pullback

    def f(x):
        return np.sum(reverse_cumulative(x) ** 3)

    first = grad(f)
    y = np.cumsum(X[::-1])[::-1]
    np.testing.assert_allclose(first(X), np.cumsum(3 * y**2))
    step = 1e-6
    expected = (first(X + step) - first(X - step)) / (2 * step)
    np.testing.assert_allclose(jvp(first, (X,), (np.ones(3),))[1], expected, rtol=1e-7)
    np.testing.assert_allclose(grad(lambda x: np.sum(first(x)))(X), expected, rtol=1e-7)


def test_converters_keep_what_is_traced():
    def f(x):
        assert namespace.asarray(x) is x
        assert namespace.asarray([x, x]).shape == (2, 3)
        assert namespace.asarray(x, "float32").dtype == np.float32
        assert type(namespace.asarray([1.0])) is np.ndarray
        return np.sum(namespace.asarray([x, x]))

    np.testing.assert_array_equal(grad(f)(X), [2.0, 2.0, 2.0])
