"""Programs that write into arrays, as Taylor mode and nested forward mode see them."""

import math

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import Array, RuleTable, default_rules, primitive
from chainrules_tape import InPlaceError, grad, jvp, taylor

X, V = np.array([0.7, 1.2, -0.4, 2.0]), np.array([1.0, -0.5, 0.3, 2.0])
ORDER = 5


def along(f):
    return lambda x: jvp(f, (x,), (V,))[1]


def entries(x):
    y = x.copy()
    y[0] = 2 * x[1] * x[2]
    y[2:] = np.sin(y[:2])
    y[1] += y[0]
    return y * y


def loop(x):
    y = tnp.zeros(6)
    y[0] = x[0]
    for k in range(1, 6):
        y[k] = np.cos(y[k - 1]) * x[k % 4]
    return y


def views_from_before(x):
    y = np.exp(x)
    tail, back = y[1:], y[::-1]
    s = np.sum(tail**2)
    y[2] = x[0] * s
    tail[0] = 3.0
    back *= x
    return s + tail @ back[:3] + np.sum(y.reshape(2, 2).T @ np.array([1.0, 2.0]))


def values_from_before(x):
    y = x * x
    z = np.sin(y)  # its derivative needs y as it was
    y[...] = 100.0
    return z * np.sum(y * x)


def masks_and_places(x):
    y = np.cos(x)
    y[y > 0.5] = x[0]
    y[[0, 3]] = x[1:3] ** 2
    np.put(y, [1], x[3])
    np.copyto(y, x * y, where=np.array([True, False, True, False]))
    return y


def sums(x):
    y = tnp.zeros(3)
    np.add.at(y, [0, 0, 2, 1], np.sqrt(x + 1))
    np.subtract.at(y, [2], x[:1])
    return y**3


def outputs(x):
    y = tnp.zeros(4)
    np.multiply(x, np.sin(x), out=y)
    y /= 1 + x * x
    y.sort()
    y.fill(y[1])
    return y


def sub_arrays(x):
    y = tnp.zeros((2, 4))
    y[0] = x
    y[1, ::2] = y[0, 1::2] * x[0]
    y[:, 3] = y[:, 0]
    np.fill_diagonal(y, x[3] ** 2)
    return y.sum(axis=0) ** 2


PROGRAMS = [
    *(entries, loop, views_from_before, values_from_before, masks_and_places, sums, outputs),
    sub_arrays,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_nested_forward_mode(f):
    derivative = f
    for k, found in enumerate(taylor(f, X, ORDER, V)):
        expected = derivative(X) / math.factorial(k)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
        derivative = along(derivative)


@pytest.mark.parametrize("f", PROGRAMS)
def test_series_of_gradients(f):
    gradient = grad(lambda x: np.sum(np.sin(f(x))))
    found = taylor(gradient, X, 2, V)
    np.testing.assert_allclose(found[1], along(gradient)(X), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found[2], along(along(gradient))(X) / 2, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_of_coefficients(f):
    def coefficient(x):
        return np.sum(taylor(f, x, 2, V)[2])

    expected = grad(lambda x: np.sum(along(along(f))(x)) / 2)(X)
    np.testing.assert_allclose(grad(coefficient)(X), expected, rtol=1e-8, atol=1e-9)


def test_complex_arrays():
    def f(z):
        y = z.copy()
        y.real = np.imag(z) ** 2
        y[1] = np.conj(z[0]) * z[2]
        return y * z

    z, v = X + 1j * V, V - 0.5j
    first = jvp(f, (z,), (v,))[1]
    second = jvp(lambda z: jvp(f, (z,), (v,))[1], (z,), (v,))[1]
    np.testing.assert_allclose(taylor(f, z, 2, v), [f(z), first, second / 2])


def test_what_is_given_is_not_written_to():
    x = X.copy()
    taylor(entries, x, 3)
    np.testing.assert_array_equal(x, X)

    def own(z):
        z[0] = z[1] * 2
        return z**2

    np.testing.assert_allclose(taylor(own, x, 1)[0][0], (2 * X[1]) ** 2)
    np.testing.assert_array_equal(x, X)


def test_products_with_entries():
    def f(x):
        y = x * 1.0
        np.multiply.at(y, [0, 2], x[1:3])
        return y

    x = X
    np.testing.assert_allclose(
        taylor(f, x, 1), [[x[0] * x[1], x[1], x[2] ** 2, x[3]], [x[0] + x[1], 1, 2 * x[2], 1]]
    )


def test_functions_that_compute_with_what_they_overwrite_are_refused():
    rules = RuleTable(name="one more rule", parent=default_rules)

    @primitive
    def square(a, b):
        a[...] = a * a + b

    @rules.frule.register(square, overwrites="a")
    def square_frule(dots: tuple, a: Array, b: object):
        a_dot = dots[0]
        a_dot[...] = 2 * a * a_dot + dots[1]
        square(a, b)
        return a, a_dot

    def f(x):
        y = x * 1.0
        square(y, x)
        return y

    with pytest.raises(InPlaceError, match=r"x\[\.\.\.\] = y"):
        taylor(f, X, 2, rules=rules)


def sets_the_real_part(w):
    w.real[0] = 0.5


def doubles_the_imaginary_part(w):
    w.imag[:] *= 2.0


def sets_both(w):
    w.real[1:] = w.imag[1:] * 3.0
    w.imag[0] = 0.25


@pytest.mark.parametrize(
    "write", [sets_the_real_part, doubles_the_imaginary_part, sets_both], ids=lambda f: f.__name__
)
def test_parts_of_complex_numbers_that_are_written_first(write):
    x = np.array([0.35, 0.72])

    def total(s):
        w = (x[0] + s + 1j * (x + s * s)).copy()
        write(w)
        return np.sum(np.real(w) ** 2 + np.imag(w) ** 3)

    h = 1e-3
    around = [total(k * h) for k in (-1, 0, 1)]
    slope = (around[2] - around[0]) / (2 * h)
    half_curvature = (around[2] - 2 * around[1] + around[0]) / (2 * h * h)
    found = taylor(total, 0.0, 2)
    np.testing.assert_allclose(found, [around[1], slope, half_curvature], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("other", [np.ones((4, 1)), np.ones((2, 4)), np.ones(4), np.ones(())])
def test_a_write_that_a_broadcast_view_from_before_sees(other):
    """Of entries that a view shows several times, the series is that of one of them."""

    def f(x):
        y = np.sin(x)
        wide, rest = np.broadcast_arrays(y, other)
        y *= x
        return np.sum(wide * rest)

    one, two = along(f), along(along(f))
    found = taylor(f, X, 2, direction=V)
    assert found == pytest.approx([f(X), one(X), two(X) / 2], rel=1e-14)
    count = np.broadcast(X, other).size / 4
    assert found[1] == pytest.approx(count * np.sum(V * (np.sin(X) + X * np.cos(X))), rel=1e-14)
