"""Views of what was written to, or will be, those that have entries several times among them."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import chainrules_tape.numpy as tnp
from chainrules_foreign_code.lanes import without_derivative
from chainrules_tape import InPlaceError, LostGradientError, grad, hvp, jvp, stop_gradient

X = np.array([0.5, -1.5, 2.0])
WEIGHTS = np.arange(1.0, 7.0).reshape(2, 3)


def broadcast_afterwards(x):
    y = x * x
    y[0] = 2.0 * x[1]
    return np.sum(WEIGHTS * np.broadcast_to(y, (2, 3)) ** 2)


def broadcast_before(x):
    y = x * x
    rows = np.broadcast_to(y, (2, 3))
    y[0] = 2.0 * x[1]
    return np.sum(WEIGHTS * rows**2) + np.sum(rows[1:])


def components_broadcast(x):
    z = x + 1j * x**2
    imag = np.broadcast_to(z.imag, (2, 3))
    z[0] *= 2.0
    return np.sum(WEIGHTS * imag**2) + np.sum(np.broadcast_to(z.real, (2, 3)) * WEIGHTS)


def windows(x):
    y = x * x
    y[1] *= x[0]
    return np.sum(sliding_window_view(y, 2) ** 2) + np.sum(sliding_window_view(y, 2)[:, 1])


def a_component_before_the_whole(x):
    z = x + 1j * np.sin(x)
    real, imag = z.real, z.imag
    real[0] = x[2]
    imag *= x
    z[1] = 3.0 * z[0] * z[2]
    z.imag = z.imag + z.real**2
    return np.sum(real * imag) + np.sum(np.abs(z) ** 2)


PROGRAMS = [
    broadcast_afterwards,
    broadcast_before,
    components_broadcast,
    windows,
    a_component_before_the_whole,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs_against_finite_differences(f):
    h = 1e-6
    expected = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(grad(f)(X), expected, rtol=1e-6)
    np.testing.assert_allclose([jvp(f, (X,), (e,))[1] for e in np.eye(3)], expected, rtol=1e-6)
    slopes = [(grad(f)(X + h * e) - grad(f)(X - h * e)) / (2 * h) for e in np.eye(3)]
    second = grad(lambda x: np.sum(grad(f)(x) * X))
    np.testing.assert_allclose(hvp(f, X, X), X @ slopes, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(second(X), X @ slopes, rtol=1e-5, atol=1e-6)


def into_windows(x):
    y = tnp.copy(x)
    as_strided(y, (2, 2), (8, 8))[...] = x[0]


def windows_before(x):
    y = x * x
    view = sliding_window_view(y, 2)
    y[0] = 1.0
    return np.sum(view)


def into_a_diagonal(x):
    np.diagonal(np.outer(x, x))[0] = 1.0


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (into_windows, LostGradientError),
        (windows_before, InPlaceError),
        (into_a_diagonal, ValueError),
    ],
)
def test_what_is_refused(f, error):
    with pytest.raises(error):
        grad(f)(X)


def test_no_real_array_has_an_imaginary_part_to_set():
    def f(x):
        y = tnp.copy(x)
        y.imag = x

    with pytest.raises(TypeError):
        grad(f)(X)


SHOWN = {
    "str": str,
    "repr": repr,
    "format": lambda y: f"{y:}",
    "the plain value": lambda y: str(stop_gradient(y)),
    "of foreign code": lambda y: str(without_derivative(y)),
}


@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN)
@pytest.mark.parametrize("order", [1, 2])
def test_what_is_shown_has_what_was_written_through_a_view(show, order):
    shown = []

    def f(x):
        y = x * x
        view = y[1:]
        view[0] = 5.0
        shown.append(show(y))
        return np.sum(y)

    derivative = grad(f) if order == 1 else grad(lambda x: np.sum(grad(f)(x)))
    derivative(X)
    assert "5." in shown[0]
    assert "2.25" not in shown[0]
