"""The fast way of forward mode says what the general way says, and steps aside where it must."""

import operator

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent, default_rules
from chainrules_tape import EscapedValueError, grad, hvp, jvp
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.duals import DualArray, Pushforward
from chainrules_tape.core.levels import GeneralWayOnly

X = np.array([[0.5, 1.5, -2.2], [1.1, -0.3, 0.7]])
DOT = np.cos(np.arange(6.0)).reshape(2, 3)
V = np.array([0.5, -1.0, 2.0])

CALLS = {
    "a ufunc": np.sin,
    "an operator": lambda x: -x,
    "a number": lambda x: 2.0 * x + 1 - x / 4,
    "both": lambda x: x * x - x,
    "an array on the left": lambda x: V - x,
    "an array on the right": lambda x: x * V,
    "a ufunc of two": lambda x: np.arctan2(V, x) + np.arctan2(x, V),
    "a product": lambda x: x @ V,
    "a reflected product": lambda x: X.T @ x,
    "a power": lambda x: abs(x) ** 1.5,
    "an entry": lambda x: x[0, 1],
    "a row": lambda x: x[1] + x[0],
    "a mask": lambda x: x[X > 0],
    "a list for an operand": lambda x: x + [1.0, 2.0, 3.0],
    "several results": lambda x: operator.itemgetter(0)(np.modf(x)),
    "no derivative": lambda x: x * np.sign(x) + (x > 0.6) * x,
    "complex": lambda x: np.exp(1j * x),
    "a method": lambda x: x.reshape(3, 2).sum(axis=-1),
    "an option at its default": lambda x: np.sum(x, axis=None),
    "options by position": lambda x: np.swapaxes(np.max(x, 1, None, True), 0, 1),
    "an array as an option": lambda x: np.sum(x, where=X > 0),
    "a method with its arguments exchanged": lambda x: x.compress(np.array([True, False, True]), axis=1),
    "a sequence": lambda x: np.concatenate([x, X, x[:1]]),
    "a sequence that ends with a constant": lambda x: np.stack((x, X)),
    "a constant first": lambda x: np.where(X > 0, x, 0.0),
    "several outputs": lambda x: np.split(x, [1], axis=1)[1],
    "no derivative of a function": lambda x: x + np.argsort(x, axis=0) + x.argmax(),
    "a function": lambda x: np.sum(x, axis=0) * np.mean(x),
}


def pushed(f, general):
    """The value and the tangent, by operators with or without their fast way."""
    level = Pushforward(engine_of(default_rules))
    if general:
        level.stages = GeneralWayOnly()
    y = f(level.dual(X, DOT))
    return y.value, y.tangent


@pytest.mark.parametrize("f", CALLS.values(), ids=CALLS)
def test_both_ways_agree(f):
    for fast, slow in zip(pushed(f, False), pushed(f, True), strict=True):
        assert type(fast) is type(slow)
        np.testing.assert_array_equal(fast, slow)
    y, y_dot = pushed(f, False)
    np.testing.assert_array_equal(y, f(X))
    h = 1e-6
    np.testing.assert_allclose(y_dot, (f(X + h * DOT) - f(X - h * DOT)) / (2 * h), atol=1e-8)


def test_the_fast_way_is_taken():
    level = Pushforward(engine_of(default_rules))
    level.stages = runs = {}
    x = level.dual(X, DOT)
    for _ in range(2):
        assert type(np.sin(x) * x + 1) is DualArray
    assert set(runs) == {(np.sin, np.ndarray), (np.multiply, np.ndarray, np.ndarray, 3), (np.add, np.ndarray, int, 1)}


def test_values_of_a_derivative_that_is_over():
    escaped = []
    jvp(lambda x: escaped.append(x) or x, (X,), (DOT,))
    for use in (np.sin, operator.neg, lambda x: x * 2, lambda x: 2 * x, lambda x: x[0], lambda x: x @ V):
        with pytest.raises(EscapedValueError):
            use(escaped[0])


def test_special_tangents_have_the_say():
    level = Pushforward(engine_of(default_rules))
    x = level.dual(X, DOT)
    assert (x + ZERO) is x
    assert (ZERO + x) is x
    assert (x * ZERO) is ZERO
    with pytest.raises(TypeError):
        x + Tangent[tuple](1.0)


def test_values_of_other_levels():
    def f(x):
        return np.sum(np.sin(x) * x**2)

    def expected(x):  # f is a sum over entries
        return 2 * np.sin(x) + 4 * x * np.cos(x) - x**2 * np.sin(x)

    np.testing.assert_allclose(hvp(f, X, DOT), expected(X) * DOT)
    _, second = jvp(lambda x: jvp(f, (x,), (DOT,))[1], (X,), (DOT,))
    np.testing.assert_allclose(second, np.sum(expected(X) * DOT**2))
    mixed = grad(lambda x: jvp(f, (x,), (DOT,))[1])(X)
    np.testing.assert_allclose(mixed, expected(X) * DOT)


def test_single_precision_stays():
    y, y_dot = jvp(lambda x: np.sin(x) * 2.0 + x, (X.astype("float32"),), (DOT.astype("float32"),))
    assert y.dtype == y_dot.dtype == np.float32
