"""Programs as people write them, with writes, against functional versions of them: values and
derivatives of both orders.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import debug_mode
from chainrules_tape import checkpoint, grad, hvp, jacobian, jvp, vjp

DRAW = np.random.default_rng(5)


def heat(u0):
    u = u0.copy()
    for _ in range(6):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u**2


def heat_functional(u):
    for _ in range(6):
        u = np.concatenate([u[:1], u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]), u[-1:]])
    return u**2


def fill(x):
    out = tnp.empty(2 * x.size)
    out[::2], out[1::2] = np.sin(x), np.cos(x)
    return out


def fill_functional(x):
    return np.stack([np.sin(x), np.cos(x)], axis=-1).reshape(-1)


def system(x):
    """A matrix that needs pivoting, and a right-hand side."""
    return np.outer(np.sin(x), np.cos(2 * x)) + np.diag(x)[::-1], x**2


def gaussian_elimination(x):
    a, b = system(x)
    n = b.size
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        a[[k, pivot]] = a[[pivot, k]]
        b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    for k in reversed(range(n)):
        b[k] = (b[k] - a[k, k + 1 :] @ b[k + 1 :]) / a[k, k]
    return b


def gaussian_elimination_functional(x):
    return np.linalg.solve(*system(x))


def thomas(x):
    n = x.size
    lower, diagonal, upper, right = np.sin(x), 3.0 + x**2, np.cos(x), x * np.sin(3 * x)
    for k in range(1, n):
        factor = lower[k] / diagonal[k - 1]
        diagonal[k] -= factor * upper[k - 1]
        right[k] -= factor * right[k - 1]
    y = tnp.zeros(n)
    y[-1] = right[-1] / diagonal[-1]
    for k in range(n - 2, -1, -1):
        y[k] = (right[k] - upper[k] * y[k + 1]) / diagonal[k]
    return y


def thomas_functional(x):
    a = np.diag(3.0 + x**2) + np.diag(np.sin(x)[1:], -1) + np.diag(np.cos(x)[:-1], 1)
    return np.linalg.solve(a, x * np.sin(3 * x))


def butterflies(x):
    n = 8
    z = np.concatenate([x, x[:2] ** 2]) + 0j
    for i in range(n):  # bits reversed
        j = int(f"{i:03b}"[::-1], 2)
        if i < j:
            z[i], z[j] = z[j], z[i]
    size = 2
    while size <= n:
        half = size // 2
        for start in range(0, n, size):
            for k in range(half):
                odd = np.exp(-2j * np.pi * k / size) * z[start + k + half]
                z[start + k + half] = z[start + k] - odd
                z[start + k] += odd
        size *= 2
    return z.real * z.imag


def butterflies_functional(x):
    z = np.fft.fft(np.concatenate([x, x[:2] ** 2]))
    return z.real * z.imag


def jacobi(x):
    u, new = tnp.zeros((5, 5)), tnp.zeros((5, 5))
    u[0, :], u[-1, 1:] = x[:5], x[1:5] ** 2
    new[...] = u
    for _ in range(4):
        new[1:-1, 1:-1] = 0.25 * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        ) + 0.1 * np.sin(u[1:-1, 1:-1])
        u, new = new, u
    return np.ravel(u)


def jacobi_functional(x):
    zeros = np.zeros((3, 5))
    u = np.concatenate([x[None, :5], zeros, np.concatenate([np.zeros(1), x[1:5] ** 2])[None]])
    for _ in range(4):
        inner = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) + 0.1 * np.sin(
            u[1:-1, 1:-1]
        )
        u = np.concatenate(
            [u[:1], np.concatenate([u[1:-1, :1], inner, u[1:-1, -1:]], axis=1), u[-1:]]
        )
    return np.ravel(u)


def ring_buffer(x):
    memory = tnp.zeros((3, 2))
    for step in range(7):
        memory[step % 3] = np.tanh(
            memory[(step - 1) % 3] * x[0] + memory[(step - 2) % 3] * x[1] + x[2:4] + step
        )
    return np.ravel(memory)


def ring_buffer_functional(x):
    states = [np.zeros(2)] * 3
    for step in range(7):
        states.append(np.tanh(states[-1] * x[0] + states[-2] * x[1] + x[2:4] + step))
    states = states[3:]
    return np.concatenate([states[6], states[4], states[5]])


def kalman(x, in_place=True):
    """An unscented filter of two states; the noise is added to the covariance in place."""
    state, p = x[:2] * 1.0, np.eye(2) * (1.0 + x[2] ** 2)
    q, r = np.diag(x[3:5] ** 2) + 0.1 * np.eye(2), 0.5 + x[5] ** 2
    weights = np.array([1 / 3, 1 / 6, 1 / 6, 1 / 6, 1 / 6])
    for z in (0.3, -0.2, 0.7):
        root = np.linalg.cholesky(3.0 * p)
        points = np.concatenate([state[None], state + root.T, state - root.T])
        points = np.stack(
            [points[:, 0] + 0.1 * points[:, 1], points[:, 1] - 0.1 * np.sin(points[:, 0])], axis=1
        )
        state = weights @ points
        away = points - state
        p = away.T @ (weights[:, None] * away)
        seen = np.sin(points[:, 0])
        mean = weights @ seen
        if in_place:
            p += q
            innovation = seen.copy()
            innovation -= mean
            s = weights @ innovation**2
            s += r
        else:
            p, innovation = p + q, seen - mean
            s = weights @ innovation**2 + r
        gain = (weights * innovation) @ away / s
        if in_place:
            state += gain * (z - mean)
            p -= np.outer(gain, gain) * s
        else:
            state, p = state + gain * (z - mean), p - np.outer(gain, gain) * s
    return np.concatenate([state, np.ravel(p)])


def kalman_functional(x):
    return kalman(x, in_place=False)


def quicksort(x):
    y = np.sin(3 * x)

    def sort(low, high):
        if low >= high:
            return
        pivot, i = y[high], low
        for j in range(low, high):
            if y[j] < pivot:
                y[i], y[j] = y[j], y[i]
                i += 1
        y[i], y[high] = y[high], y[i]
        sort(low, i - 1)
        sort(i + 1, high)

    sort(0, y.size - 1)
    return y * np.arange(1.0, y.size + 1)


def quicksort_functional(x):
    return np.sort(np.sin(3 * x)) * np.arange(1.0, x.size + 1)


PAIRS = [
    (heat, heat_functional),
    (fill, fill_functional),
    (gaussian_elimination, gaussian_elimination_functional),
    (thomas, thomas_functional),
    (butterflies, butterflies_functional),
    (jacobi, jacobi_functional),
    (ring_buffer, ring_buffer_functional),
    (kalman, kalman_functional),
    (quicksort, quicksort_functional),
]
X = DRAW.normal(size=6)
NAMES = [program.__name__ for program, _ in PAIRS]


@pytest.mark.parametrize(("program", "functional"), PAIRS, ids=NAMES)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_first_derivatives(program, functional, mode):
    x = X.copy()
    np.testing.assert_allclose(vjp(program, x)[0], functional(X), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(
        jacobian(program, mode=mode)(x), jacobian(functional)(X), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_array_equal(x, X)


ORDERS = {
    "forward over reverse": lambda f, v: hvp(f, X, v),
    "reverse over reverse": lambda f, v: grad(lambda x: np.sum(grad(f)(x) * v))(X),
    "forward over forward": lambda f, v: np.stack(
        [jvp(lambda x: jvp(f, (x,), (v,))[1], (X,), (e,))[1] for e in np.eye(X.size)]
    ),
    "reverse over forward": lambda f, v: grad(lambda x: jvp(f, (x,), (v,))[1])(X),
}


@pytest.mark.parametrize(("program", "functional"), PAIRS, ids=NAMES)
@pytest.mark.parametrize("order", list(ORDERS))
def test_second_derivatives(program, functional, order):
    direction = np.cos(np.arange(6.0))
    take = ORDERS[order]
    found = take(lambda x: np.sum(np.sin(program(x))), direction)
    expected = hvp(lambda x: np.sum(np.sin(functional(x))), X, direction)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(("program", "functional"), PAIRS, ids=NAMES)
def test_under_a_checkpoint(program, functional):
    found = grad(lambda x: np.sum(checkpoint(program)(np.sin(x)) ** 2))(X)
    expected = grad(lambda x: np.sum(functional(np.sin(x)) ** 2))(X)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("program", "functional"), PAIRS, ids=NAMES)
def test_in_debug_mode(program, functional):
    expected = grad(lambda x: np.sum(np.sin(functional(x))))(X)
    with debug_mode():
        found = grad(lambda x: np.sum(np.sin(program(x))))(X)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_an_assignment_to_the_real_part_of_no_entries():
    def f(x):
        y = x * 1.0
        y.real = 2 * y.imag
        return np.sum(y.real)

    assert grad(f)(np.ones(0)).shape == (0,)


@pytest.mark.parametrize("older", [lambda y: y[1:], lambda y: y.ravel()[1:], lambda y: y])
def test_a_view_that_is_older_than_writes_at_an_inner_level(older):
    """The array is constant for the gradient, which the derivative around it is not."""

    def f(x, y):
        v = older(y)
        y[1] = x[0] * x[1]
        return np.sum(np.sin(v)) * x[2] + y[0] * x[0]

    x, y, x_dot, y_dot = DRAW.normal(size=(4, 3))
    found = jvp(grad(f), (x, y), (x_dot, y_dot))[1]
    expected = jvp(grad(f, (0, 1)), (x, y), (x_dot, y_dot))[1][0]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    h = 1e-6
    ahead, behind = (grad(f, (0, 1))(x + s * x_dot, y + s * y_dot)[0] for s in (h, -h))
    np.testing.assert_allclose(found, (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-8)
