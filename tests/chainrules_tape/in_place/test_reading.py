"""Views of what was written to, or will be, those that have entries several times among them."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import chainrules_tape.numpy as tnp
from chainrules_foreign_code.lanes import without_derivative
from chainrules_tape import InPlaceError, LostGradientError, grad, stop_gradient

X = np.array([0.5, -1.5, 2.0])


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
