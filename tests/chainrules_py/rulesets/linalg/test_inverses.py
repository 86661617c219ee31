"""The rules of inverses and pseudoinverses hold, and options without a rule are refused by name."""

from functools import partial

import numpy as np
import pytest

from chainrules_tape import grad, jacobian, jvp
from chainrules_tape.scipy import linalg as scipy_linalg
from slopes import quotients

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
    expected = quotients(lambda t: slope(a + t * along), 0.0, step)
    scale = np.max(np.abs(expected))
    np.testing.assert_allclose(found / scale, expected / scale, atol=1e-5)


FUNCTIONS = {
    "pinv": lambda a, b: np.linalg.pinv(a),
    "pinv with a tolerance": lambda a, b: np.linalg.pinv(a, rtol=1e-14),
    "pinv of scipy": lambda a, b: scipy_linalg.pinv(a),
    "lstsq": lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0],
    "lstsq with a tolerance": lambda a, b: np.linalg.lstsq(a, b, rcond=1e-14)[0],
}


@pytest.mark.parametrize("condition", [1e8, 1e12])
@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_second_derivatives_of_ill_conditioned_matrices(f, is_wide, condition):
    """Of A = Q [D + t N; t c] V^T with orthogonal Q and V and G = D + t N, the pseudoinverse is
    V (G^T G + t^2 c^T c)^-1 [G^T, t c^T] Q^T.
    """
    rng = np.random.default_rng(0)
    q, v = (np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (4, 3))
    b, (n, c) = rng.normal(size=4), np.split(rng.normal(size=(4, 3)), [3])
    d = np.array([1.0, 0.5, 1 / condition])
    over_d, over_square = np.diag(1 / d), np.diag(1 / d**2)
    m = over_d @ n
    of_range = m @ m @ over_d - over_square @ c.T @ c @ over_d
    outside = -(over_square @ n.T @ over_d + m @ over_square) @ c.T
    expected = 2 * v @ np.hstack([of_range, outside]) @ q.T
    a, direction = (q[:, :3] * d) @ v.T, q @ np.vstack([n, c]) @ v.T
    if is_wide:
        a, direction, expected, b = a.T, direction.T, expected.T, b[:3]
    expected = expected if f(a, b).ndim == 2 else expected @ b

    def second(a):
        return moved(partial(moved, lambda a: f(a, b), direction), direction, a)

    scale = np.max(np.abs(expected))
    np.testing.assert_allclose(second(a) / scale, expected / scale, atol=1e-14 * condition)
    w = rng.normal(size=expected.shape)
    slope = grad(lambda a: np.sum(w * f(a, b)))
    found = np.sum(jvp(slope, (a,), (direction,))[1] * direction)
    np.testing.assert_allclose(found / scale, np.sum(w * expected) / scale, atol=1e-14 * condition)


@pytest.mark.parametrize("rtol", [1.0, 2.0])
def test_where_everything_is_cut_off_nothing_moves(rtol):
    a = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    f = partial(np.linalg.pinv, rtol=rtol)
    assert not np.any(jacobian(f)(a))
    assert not np.any(jacobian(jacobian(f))(a))


@pytest.mark.parametrize("exponent", [-330, 330, 500])
def test_second_derivatives_of_truncated_inverses_at_any_scale(exponent):
    a, scale = np.array([[1.0, 2.0], [3.0, 4.0]]), 2.0**exponent
    f = partial(np.linalg.pinv, rtol=1e-9)

    def second(a):
        return moved(partial(moved, f, a), a, a)  # of f(a + t a) = f(a) / (1 + t)

    np.testing.assert_allclose(second(scale * a) * scale, second(a), rtol=1e-10)
    np.testing.assert_allclose(second(a), 2 * np.linalg.inv(a), rtol=1e-10)
