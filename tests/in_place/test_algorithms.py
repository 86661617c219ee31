"""Algorithms that people write with assignments: values are NumPy's, derivatives of both orders
those of differences.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, hvp, jvp, vjp

X = np.array([0.45, -1.3, 0.8, 1.7, -0.4, 1.1])


def cholesky(x, xp):
    a, lower = np.outer(np.sin(x), np.cos(x)), xp.zeros((6, 6))
    a = a @ a.T + 3.0 * np.eye(6)
    for i in range(6):
        for j in range(i + 1):
            s = a[i, j] - np.dot(lower[i, :j], lower[j, :j])
            lower[i, j] = np.sqrt(s) if i == j else s / lower[j, j]
    return lower


def givens(x, xp):
    r, q = np.outer(np.sin(x), np.cos(2 * x)) + np.diag(x), xp.array(np.eye(6))
    for j in range(6):
        for i in range(5, j, -1):
            length = np.hypot(r[i - 1, j], r[i, j])
            turn = xp.zeros((2, 2))
            turn[0, 0] = turn[1, 1] = r[i - 1, j] / length
            turn[0, 1] = r[i, j] / length
            turn[1, 0] = -turn[0, 1]
            r[i - 1 : i + 1] = turn @ r[i - 1 : i + 1]
            q[:, i - 1 : i + 1] = q[:, i - 1 : i + 1] @ turn.T
    return q + r


def sieve(x, xp):
    y, mask = np.tile(np.sin(x), 5), np.ones(30, bool)
    mask[:2] = False
    for p in range(2, 6):
        mask[2 * p :: p] &= not mask[p]
    y[mask] *= 2.0
    y[~mask] = y[~mask] ** 2
    return y


def ghost_cells(x, xp):
    u = xp.zeros(8)
    u[1:-1] = x
    for _ in range(4):
        u[0], u[-1] = u[-2], u[1]
        u[1:-1] -= 0.2 * u[1:-1] * (u[1:-1] - u[:-2])
    return u


def cloud_in_cell(x, xp):
    charge, places = xp.zeros(8), np.mod(2 * x + 3, 8)
    left = np.floor(np.mod(2 * X + 3, 8)).astype(int)
    np.add.at(charge, left, 1 - (places - left))
    np.add.at(charge, (left + 1) % 8, places - left)
    charge -= charge.mean()
    return charge**2


def sorting_network(x, xp):
    y = x.copy()
    for i, j in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2), (4, 5), (0, 4), (1, 5)]:
        y[i], y[j] = np.minimum(y[i], y[j]), np.maximum(y[i], y[j])
    return y**2


def error_diffusion(x, xp):
    image = np.outer(np.tanh(x), x)
    for i in range(5):
        for j in range(1, 5):
            error = image[i, j] - np.tanh(image[i, j])
            image[i, j] -= error
            image[i, j + 1] += error * 7 / 16
            image[i + 1, j - 1 : j + 2] += error * np.array([3, 5, 1]) / 16
    return image


def forward_algorithm(x, xp):
    scores, moves = (
        np.outer(x[:4], x[3:]),
        np.log([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]),
    )
    alpha = xp.full((4, 3), -np.inf)
    alpha[0] = scores[0]
    for t in range(1, 4):
        for k in range(3):
            alpha[t, k] = scores[t, k] + np.logaddexp.reduce(alpha[t - 1] + moves[:, k])
    return alpha


def shortest_paths(x, xp):
    d = np.abs(np.subtract.outer(x, np.sin(x))) ** 0.5 + 0.1
    np.fill_diagonal(d, 0)
    for k in range(6):
        np.minimum(d, d[:, k, None] + d[k, None, :], out=d)
    return d


def runge_kutta(x, xp):
    y, k = x.copy(), xp.empty((4, 6))
    for _ in range(3):
        k[0] = np.sin(y)
        for stage, step in ((1, 0.05), (2, 0.05), (3, 0.1)):
            np.copyto(k[stage], np.sin(y + step * k[stage - 1]))
        y += 0.1 / 6 * (np.array([1, 2, 2, 1]) @ k)
    return y


def bodies(x, xp):
    p, v = x.reshape(3, 2).copy(), xp.zeros((3, 2))
    for _ in range(2):
        force = xp.zeros_like(p)
        for i in range(3):
            for j in range(i):
                pull = (p[i] - p[j]) * ((p[i] - p[j]) @ (p[i] - p[j]) + 0.5) ** -1.5
                force[i] -= pull
                force[j] += pull
        v += 0.1 * force
        p += 0.1 * v
    return p


def finite_elements(x, xp):
    stiffness, load = xp.zeros((7, 7)), xp.zeros(7)
    for e, k in enumerate(np.exp(x)):
        stiffness[np.ix_([e, e + 1], [e, e + 1])] += k * np.array([[1.0, -1.0], [-1.0, 1.0]])
    np.add.at(load, [1, 3, 3, 5], np.sin(x[:4]))
    stiffness[0, :] = stiffness[:, 0] = 0
    stiffness[0, 0] = 1
    return np.linalg.solve(stiffness + 0.1 * np.eye(7), load)


def chained_out(x, xp):
    t, s = xp.empty_like(x), xp.empty(x.shape)
    np.sin(x, out=t)
    np.multiply(t, x, out=s)
    np.add(s, t, t)
    np.exp(-t, out=t, where=X > 0)
    np.subtract(s, t, out=s)
    return s * t


def reductions_into_out(x, xp):
    a, row, square = np.outer(x, np.cos(x)), xp.empty(6), xp.empty((6, 6))
    a.sum(axis=0, out=row)
    np.dot(a, a, out=square)
    np.cumsum(a, axis=1, out=a)
    np.matmul(a, row, out=row)
    return square + row + a


def views_of_views(x, xp):
    a = np.outer(x, np.sin(x))
    b = a[1:5]
    c = b[::2]
    d = c[:, ::-1].T
    d[1:3] *= 2
    b[0, :] = 7 * x
    c += 1
    a[1, 1] = x[0]
    return a + np.sum(d)


def masks_that_broadcast(x, xp):
    a = np.outer(x, np.cos(x))
    a[X > 0] = x
    a[:, X > 0] *= 2
    a[X > 0, :2] = np.sin(x[:2])
    a[a < -0.5] = x[0]
    return a


def components(x, xp):
    z = xp.zeros(6, complex)
    z.real = x
    z.imag[1:] = np.sin(x[:-1])
    z.real[::2] *= 2
    z *= np.conj(z[::-1])
    z.imag -= z.real
    return np.abs(z) ** 2 + z.real


def attributes(x, xp):
    class Simulation:
        def __init__(self):
            self.x, self.v, self.energy = xp.zeros((3, 2)), x.reshape(3, 2) * 1.0, 0.0

        def step(self):
            for i in range(3):
                self.x[i] += 0.1 * self.v[i]
            self.v[:, 0] -= np.sin(self.x[:, 1])
            self.energy += np.sum(self.v**2)

    simulation = Simulation()
    for _ in range(3):
        simulation.step()
    return simulation.x * simulation.energy


def diagonals(x, xp):
    a = np.outer(x, x)
    a.flat[::7] += x
    a.flat[3] = a.flat[-1] ** 2
    np.einsum("ii->i", a)[...] *= x
    a.T.flat = np.stack(list(a.flat))
    return a


def rows_and_columns(x, xp):
    a = np.outer(x, np.cos(x))
    for i, row in enumerate(a):
        row -= row[i]
        row[0] = x[i]
    for column in a.T:
        column *= 2
    return a


def parts(x, xp):
    y = np.concatenate([x, x**2])
    a, b, c = np.split(y, 3)
    b *= a
    c[:] = b[::-1]
    a[0] = c[1]
    y[5] += 1
    return np.concatenate([a, b, c]) * y


def growing(x, xp):
    count, room = 0, xp.empty(2)
    for entry in x:
        if count == len(room):
            larger = xp.empty(2 * count)
            larger[:count] = room
            room = larger
        room[count] = entry**2
        count += 1
    return room[:count] * x


PROGRAMS = [
    *(cholesky, givens, sieve, ghost_cells, cloud_in_cell),
    *(sorting_network, error_diffusion, forward_algorithm),
    *(shortest_paths, runge_kutta, bodies, finite_elements),
    *(chained_out, reductions_into_out, views_of_views),
    *(masks_that_broadcast, components, attributes, diagonals, rows_and_columns, parts, growing),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_against_differences(f):
    expected = f(X.copy(), np)
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape)
    v, h = np.cos(np.arange(6.0)), 1e-6

    def loss(x, xp=tnp):
        return np.sum(f(x, xp) * weights)

    x = X.copy()
    y, pullback = vjp(lambda x: f(x, tnp), x)
    np.testing.assert_allclose(y, expected, rtol=1e-13, atol=1e-14)
    np.testing.assert_array_equal(x, X)
    (bar,) = pullback(weights)
    np.testing.assert_array_equal(pullback(weights)[0], bar)
    slopes = [(loss(X + h * e, np) - loss(X - h * e, np)) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(bar, slopes, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(jvp(loss, (X,), (v,))[1], bar @ v, rtol=1e-10)
    curvature = (grad(loss)(X + h * v) - grad(loss)(X - h * v)) / (2 * h)
    np.testing.assert_allclose(hvp(loss, X, v), curvature, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        grad(lambda x: grad(loss)(x) @ v)(X), hvp(loss, X, v), rtol=1e-9, atol=1e-9
    )


def written_at_two_levels(x):
    """The first entry is of the inner derivative alone, the second of both."""

    def inner(z):
        y = tnp.zeros(2)
        y[0] = z
        y[1] = z * x
        return y[0] * y[1]

    return grad(inner)(2.0)


def test_a_write_of_a_value_of_two_levels():
    assert grad(written_at_two_levels)(3.0) == 4.0
    assert jvp(written_at_two_levels, (3.0,), (1.0,))[1] == 4.0
