"""The rules of inverses and pseudoinverses hold, and options without a rule are refused by name."""

from functools import partial

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_py.errors import OptionError
from chainrules_tape import grad, jvp


def test_pinv_refuses_options_by_name():
    with pytest.raises(OptionError) as caught:
        rrule(np.linalg.pinv, np.eye(2), tol=1e-3)
    assert caught.value.option == "tol"


SINGULAR_VALUES = {
    "repeated": [1.0, 1.0, 0.5],
    "repeated, beside one that is cut off": [1.0, 1.0, 1e-3],
    "lost, without others": [2.0, 1.0, 0.0],
    "repeated, among those that are cut off": [1.0, 1e-3, 1e-3],
    "close to those that are cut off": [1.0, 0.0101, 0.0099],
}


@pytest.mark.parametrize("values", SINGULAR_VALUES.values(), ids=SINGULAR_VALUES)
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (3, 3)], ids=str)
@pytest.mark.parametrize("dtype", [float, complex])
def test_three_orders_where_singular_values_are_cut_off(shape, values, dtype):
    """Each derivative is that of the one before, by differences."""
    rng = np.random.default_rng(1)

    def drawn(*shape):
        return rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype is complex else 0.0)

    u, v = (np.linalg.qr(drawn(n, 3))[0] for n in shape)
    a = (u * values) @ v.conj().T
    last, step = partial(np.linalg.pinv, rtol=1e-2), 1e-8 if 0.0101 in values else 1e-6
    for _ in range(3):
        direction = drawn(*shape)
        following = partial(moved, last, direction)
        expected = (last(a + step * direction) - last(a - step * direction)) / (2 * step)
        scale = np.max(np.abs(expected))
        np.testing.assert_allclose(following(a) / scale, expected / scale, atol=1e-5)
        last = following


def moved(function, direction, a):
    return jvp(function, (a,), (direction,))[1]


def pseudoinverse(a, b):
    return np.linalg.pinv(a, rtol=1e-2)


def solution(a, b):
    return np.linalg.lstsq(a, b, rcond=1e-2)[0]


@pytest.mark.parametrize("values", SINGULAR_VALUES.values(), ids=SINGULAR_VALUES)
@pytest.mark.parametrize("function", [pseudoinverse, solution])
def test_gradients_of_gradients_where_singular_values_are_cut_off(function, values):
    rng = np.random.default_rng(2)
    u, v = (np.linalg.qr(rng.normal(size=(n, 3)))[0] for n in (5, 3))
    a, along, b = (u * values) @ v.T, *rng.normal(size=(2, 5, 3))

    def slope(a):
        return grad(lambda a: np.sum(function(a, b) ** 3))(a)

    found, step = grad(lambda a: np.sum(slope(a) * along))(a), 1e-8 if 0.0101 in values else 1e-6
    expected = (slope(a + step * along) - slope(a - step * along)) / (2 * step)
    scale = np.max(np.abs(expected))
    np.testing.assert_allclose(found / scale, expected / scale, atol=1e-5)
