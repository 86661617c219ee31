"""Writes of a user's own functions, across levels, and into buffers that outlive a derivative."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import frule, rrule
from chainrules_tape import (
    InPlaceError,
    checkpoint,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    primitive,
    taylor,
    vjp,
    vmap,
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


def outer(x):
    u = tnp.copy(x)

    def inner(y):
        u[0] = y * y * x[1]
        return u[0] * u[1]

    return grad(inner)(x[2]) * u[0] + np.sum(u)


def outer_functional(x):
    written = x[2] ** 2 * x[1]
    return 2 * x[2] * x[1] ** 2 * written + written + x[1] + x[2]


def test_an_inner_derivative_writes_into_an_array_outside():
    np.testing.assert_allclose(outer(X), outer_functional(X))
    np.testing.assert_allclose(grad(outer)(X), grad(outer_functional)(X))
    np.testing.assert_allclose(jvp(outer, (X,), (X,)), jvp(outer_functional, (X,), (X,)))


def test_a_pullback_keeps_what_it_captured_from_a_later_write():
    def f(x):
        u = x * 2.0
        _, pullback = vjp(lambda z: z * u, x * 1.0)
        u[0] = 7.0
        return np.sum(pullback(np.ones(3))[0] ** 2)

    np.testing.assert_allclose(grad(f)(X), 8 * X)


def test_a_buffer_outlives_a_derivative_with_its_values():
    work = tnp.zeros(3)

    def f(x):
        work[:] = x
        work[0] *= 2
        return np.sum(work * work)

    for _ in range(2):
        np.testing.assert_allclose(grad(f)(X), [8 * X[0], 2 * X[1], 2 * X[2]])
    np.testing.assert_array_equal(work, [2 * X[0], X[1], X[2]])


WHERE = np.array([[True, False, True], [False, False, True]])
PLACES = np.array([[0, 2], [1, 1]])
WRITES = {
    "copyto": (WHERE, lambda y, i, x: np.copyto(y, x[::-1] ** 2, where=i)),
    "copyto of a number": (WHERE, lambda y, i, x: np.copyto(y, x[0] ** 2, where=i)),
    "putmask": (WHERE, lambda y, i, x: np.putmask(y, i, x[:2] ** 2)),
    "place": (WHERE, lambda y, i, x: np.place(y, i, x[:2] ** 2)),
    "place of constants": (WHERE, lambda y, i, x: np.place(y, i, [3.0, 4.0])),
    "put": (PLACES, lambda y, i, x: np.put(y, i, x[0] ** 2)),
    "put_along_axis": (PLACES, lambda y, i, x: np.put_along_axis(y, i, x[0] ** 2, 0)),
    "setitem": (PLACES, lambda y, i, x: y.__setitem__(i, x[0] ** 2)),
    "add.at": (PLACES, lambda y, i, x: np.add.at(y, i, x[0] ** 2)),
}
DERIVATIVES = {
    "reverse": lambda f, x: grad(f)(x),
    "forward": lambda f, x: jacobian(f, mode="forward")(x),
    "second": lambda f, x: hessian(f)(x),
    "series": lambda f, x: taylor(f, x, 2, direction=X)[2],
}


@pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=DERIVATIVES)
@pytest.mark.parametrize("name", WRITES)
def test_where_to_write_differs_from_lane_to_lane_and_x_does_not(name, derivative):
    where, write = WRITES[name]

    def of(i):
        def f(x):
            y = x * x
            write(y, i, x)
            return np.sum(y * x)

        return derivative(f, X)

    np.testing.assert_allclose(vmap(of)(where), [of(i) for i in where], rtol=1e-12)


@pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=DERIVATIVES)
@pytest.mark.parametrize("name", ["copyto", "putmask", "place"])
def test_masks_of_each_lanes_own_entries(name, derivative):
    points = np.array([[0.5, -1.5, 2.0], [-0.3, 0.7, -0.2]])

    def f(x):
        y = x * x
        WRITES[name][1](y, x > 0, x)
        return np.sum(y * x)

    found = vmap(lambda x: derivative(f, x))(points)
    np.testing.assert_allclose(found, [derivative(f, x) for x in points], rtol=1e-12)


@pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=DERIVATIVES)
def test_positions_of_each_lanes_own_entries(derivative):
    points = np.array([[0.5, -1.5, 2.0], [0.3, 0.7, -0.2]])

    def f(x):
        y = x * x
        y[np.nonzero(x > 0)] = x[2] ** 2
        y[np.argmin(x)] *= x[0]
        return np.sum(y * x)

    found = vmap(lambda x: derivative(f, x))(points)
    np.testing.assert_allclose(found, [derivative(f, x) for x in points], rtol=1e-12)


@pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=DERIVATIVES)
@pytest.mark.parametrize("values", [lambda x: [], lambda x: x[:0]], ids=["constant", "traced"])
def test_no_values_are_written(values, derivative):
    def f(x):
        y = x * x
        np.put(y, [0, 1], values(x))
        np.putmask(y, [True, False, True], values(x))
        return np.sum(y * x)

    np.testing.assert_allclose(derivative(f, X), derivative(lambda x: np.sum(x**3), X), rtol=1e-12)
