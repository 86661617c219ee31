"""Arithmetic on a buffer gives a buffer while a package is seen through, and a plain array elsewhere."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, seen_through
from chainrules_tape.core.errors import InPlaceError

MADE = {
    "times": lambda: tnp.ones(3) * np.nan,
    "times from the left": lambda: 2.0 * tnp.ones(3),
    "negative": lambda: -tnp.zeros(3),
    "by a ufunc": lambda: np.multiply(tnp.ones(3), -1.0),
}


def filled(made):
    """A function that fills an array that was made so."""

    def f(x):
        y = made()
        y[:] = 1.0
        y[1] = x * x
        return np.sum(y)

    return f


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_it_is_filled_with_traced_values(made):
    with seen_through("strangers"):
        assert grad(filled(made))(3.0) == 6.0
    with pytest.raises(InPlaceError):
        grad(filled(made))(3.0)


def test_comparisons_are_plain():
    with seen_through("strangers"):
        assert grad(lambda x: x * type(tnp.ones(2) > 0).__name__.count("ndarray"))(3.0) == 1.0
