"""What a function makes of arrays that are written to: copies that share nothing, views where NumPy
gives views.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, hessian, jvp

X = np.array([0.3, 0.7])
A = np.array([[0.3, 0.7], [0.1, 0.2]])


def by_numpy(f, x):
    """The gradient by differences, of the function as NumPy runs it."""
    h = 1e-6
    steps = h * np.eye(x.size).reshape(-1, *x.shape)
    return np.reshape([(f(np, x + step) - f(np, x - step)) / (2 * h) for step in steps], x.shape)


def added(n, x):
    y = n.zeros(2)
    y += (x[0], 3.0)
    y *= [x[1], x[0]]
    return n.sum(y**2)


LISTS = {
    "in place": added,
    "sum": lambda n, x: n.sum((n.ones(2) + [x[0], 2.0]) ** 2),
    "reflected": lambda n, x: n.sum(((x[0], 2.0) / n.full(2, 3.0)) ** 2),
    "of plain numbers": lambda n, x: n.sum((n.ones(2) * [1.0, 2.0]) * x),
    "nested": lambda n, x: n.sum(n.ones((2, 2)) @ [[x[0], 1.0], [x[1], x[0] * x[1]]]),
    "compared": lambda n, x: n.sum(n.where(n.zeros(2) < [x[0], -x[1]], x, 2.0 * x)),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_buffer_and_a_list(name):
    """Lists of traced values are operands of new arrays as they are of traced ones."""
    f = LISTS[name]
    assert np.allclose(grad(lambda x: f(tnp, x))(X), by_numpy(f, X), rtol=1e-8)


def test_a_plain_array_of_booleans_takes_results():
    def f(n, x):
        chosen = np.full_like(X, False, dtype=bool)
        y = np.greater(n.abs(x), 0.5, where=~n.isnan(x), out=chosen)
        assert y is chosen
        return n.sum(n.where(chosen, x**2, x))

    assert np.array_equal(grad(lambda x: f(tnp, x))(X), [1.0, 1.4])
    assert jvp(lambda x: f(tnp, x), (X,), (np.ones(2),))[1] == pytest.approx(2.4)
    assert np.allclose(hessian(lambda x: f(tnp, x))(X), np.diag([0.0, 2.0]))


COPIES = {
    "array": lambda n, x: n.array(x),
    "array(copy=True)": lambda n, x: n.array(x, copy=True),
    "array(ndmin=3)": lambda n, x: n.array(x, ndmin=3),
    "array(order='F')": lambda n, x: n.array(x, order="F"),
    "ascontiguousarray of the transpose": lambda n, x: n.ascontiguousarray(x.T),
    "asfortranarray": lambda n, x: n.asfortranarray(x),
    "flatten": lambda n, x: x.flatten(),
    "copy": lambda n, x: x.copy(),
    "full": lambda n, x: n.full(x.shape, x),
}


@pytest.mark.parametrize("x", [X, A], ids=["vector", "matrix"])
@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("augments", [False, True])
def test_a_copy_that_is_written_to_leaves_the_array_alone(name, x, augments):
    def f(n, x):
        y = COPIES[name](n, x)
        if augments:
            y *= 2.0
        else:
            y[0] = 5.0
        return np.sum(x**3)

    first, second = grad(lambda x: f(tnp, x))(x), hessian(lambda x: f(tnp, x))(x)
    np.testing.assert_allclose(first, by_numpy(f, x.copy()), rtol=1e-8)
    shares = not np.allclose(f(np, x.copy()), np.sum(x**3))
    if not shares:
        np.testing.assert_allclose(
            np.diag(second.reshape(x.size, x.size)), 6.0 * x.ravel(), rtol=1e-13
        )


def test_a_transpose_is_copied_in_the_order_of_c():
    def f(n, x):
        y = x.T.copy()
        r = y.reshape(-1)
        r *= 2.0
        return np.sum(y**3)

    np.testing.assert_allclose(grad(lambda x: f(tnp, x))(A), 24.0 * A**2, rtol=1e-13)


@pytest.mark.parametrize(
    "make",
    [
        lambda n, x: n.zeros((2, 2), order="F"),
        lambda n, x: n.zeros_like(x.T),
        lambda n, x: n.empty((2, 2), order="F"),
        lambda n, x: n.ones_like(x, order="F"),
        lambda n, x: n.full((2, 2), 1.0, order="F"),
    ],
)
def test_what_lies_in_the_order_of_fortran_is_copied_by_ravel(make):
    def f(n, x):
        y = make(n, x)
        y[...] = x
        flat = y.ravel()
        flat *= 2.0
        return np.sum(y**2) + np.sum(flat * x.ravel())

    np.testing.assert_allclose(grad(lambda x: f(tnp, x))(A), by_numpy(f, A), rtol=1e-8)


def test_what_is_in_the_order_already_is_the_array_itself():
    def f(x):
        x[0] = x[0] * x[1]
        y = tnp.asfortranarray(x)
        y[1] = 3.0
        return np.sum(x**2) if tnp.ascontiguousarray(x) is x and y is x else np.nan

    np.testing.assert_allclose(grad(f)(X), 2 * X[0] * X[1] * X[::-1], rtol=1e-13)


def test_the_conjugate_of_real_numbers_is_the_array_itself():
    def f(x):
        y = x.conj()
        y[0] = 2.0
        y.conjugate()[1] *= 3.0
        return np.sum(x**2)

    np.testing.assert_allclose(grad(f)(X), [0.0, 18.0 * X[1]], rtol=1e-13)
    np.testing.assert_allclose(jvp(f, (X,), (np.ones(2),))[1], 18.0 * X[1], rtol=1e-13)


def test_views_that_no_list_knows():
    def f(x):
        x[0] = x[0] ** 2
        same, power = (
            np.diff(x, n=0),
            np.linalg.matrix_power(x.reshape(1, 2).T @ x.reshape(1, 2), 1),
        )
        same[1] = 2.0
        row, _ = np.ix_(x, np.ones(2))
        row *= 3.0
        return np.sum(x**2) + power[0, 0]

    np.testing.assert_allclose(grad(f)(X), [36 * X[0] ** 3 + 4 * X[0] ** 3, 0.0], rtol=1e-13)


def test_an_operand_that_is_no_first_one_is_found_to_be_a_view():
    def f(x):
        y = x * 1.0
        part = y[:1]
        y[0] = 2.0 * y[1]
        _, row = np.atleast_2d(X, part)
        row *= 3.0
        return np.sum(y**2)

    np.testing.assert_allclose(grad(f)(X), [0.0, 2 * 36 * X[1] + 2 * X[1]], rtol=1e-13)
