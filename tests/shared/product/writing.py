"""Functions that write into arrays, as people write them.

`programs` loads this module twice: with NumPy, and with the tape's NumPy in the place of `np`.
"""

import copy

import numpy as np

from chainrules_py import NO_TANGENT, Array, primitive, rrule
from chainrules_tape import checkpoint

X = np.array([0.45, -1.3, 0.8, 1.7, -0.4, 1.1])
V = np.array([0.5, -1.5, 2.0])
M = np.arange(9.0).reshape(3, 3) + np.eye(3)
WEIGHTS = np.arange(1.0, 7.0).reshape(2, 3)
REPEATED = np.array([0, 0, 2])


def givens(x):
    r, q = np.outer(np.sin(x), np.cos(2 * x)) + np.diag(x), np.array(np.eye(6))
    for j in range(6):
        for i in range(5, j, -1):
            length = np.hypot(r[i - 1, j], r[i, j])
            turn = np.zeros((2, 2))
            turn[0, 0] = turn[1, 1] = r[i - 1, j] / length
            turn[0, 1] = r[i, j] / length
            turn[1, 0] = -turn[0, 1]
            r[i - 1 : i + 1] = turn @ r[i - 1 : i + 1]
            q[:, i - 1 : i + 1] = q[:, i - 1 : i + 1] @ turn.T
    return q + r


def cloud_in_cell(x):
    charge, places = np.zeros(8), np.mod(2 * x + 3, 8)
    left = np.floor(np.mod(2 * X + 3, 8)).astype(int)
    np.add.at(charge, left, 1 - (places - left))
    np.add.at(charge, (left + 1) % 8, places - left)
    charge -= charge.mean()
    return charge**2


def error_diffusion(x):
    image = np.outer(np.tanh(x), x)
    for i in range(5):
        for j in range(1, 5):
            error = image[i, j] - np.tanh(image[i, j])
            image[i, j] -= error
            image[i, j + 1] += error * 7 / 16
            image[i + 1, j - 1 : j + 2] += error * np.array([3, 5, 1]) / 16
    return image


def forward_algorithm(x):
    scores, moves = (
        np.outer(x[:4], x[3:]),
        np.log([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]),
    )
    alpha = np.full((4, 3), -np.inf)
    alpha[0] = scores[0]
    for t in range(1, 4):
        for k in range(3):
            alpha[t, k] = scores[t, k] + np.logaddexp.reduce(alpha[t - 1] + moves[:, k])
    return alpha


def shortest_paths(x):
    d = np.abs(np.subtract.outer(x, np.sin(x))) ** 0.5 + 0.1
    np.fill_diagonal(d, 0)
    for k in range(6):
        np.minimum(d, d[:, k, None] + d[k, None, :], out=d)
    return d


def finite_elements(x):
    stiffness, load = np.zeros((7, 7)), np.zeros(7)
    for e, k in enumerate(np.exp(x)):
        stiffness[np.ix_([e, e + 1], [e, e + 1])] += k * np.array([[1.0, -1.0], [-1.0, 1.0]])
    np.add.at(load, [1, 3, 3, 5], np.sin(x[:4]))
    stiffness[0, :] = stiffness[:, 0] = 0
    stiffness[0, 0] = 1
    return np.linalg.solve(stiffness + 0.1 * np.eye(7), load)


def chained_out(x):
    t, s = np.empty_like(x), np.empty(x.shape)
    np.sin(x, out=t)
    np.multiply(t, x, out=s)
    np.add(s, t, t)
    np.exp(-t, out=t, where=X > 0)
    np.subtract(s, t, out=s)
    return s * t


def reductions_into_out(x):
    a, row, square = np.outer(x, np.cos(x)), np.empty(6), np.empty((6, 6))
    a.sum(axis=0, out=row)
    np.dot(a, a, out=square)
    np.cumsum(a, axis=1, out=a)
    np.matmul(a, row, out=row)
    return square + row + a


def views_of_views(x):
    a = np.outer(x, np.sin(x))
    np.atleast_2d(a[5, 5:].reshape(()))[...] = x[1]
    b = a[1:5]
    c = b[::2]
    d = c[:, ::-1].T
    d[1:3] *= 2
    b[0, :] = 7 * x
    c += 1
    a[1, 1] = x[0]
    return a + np.sum(d)


def masks_that_broadcast(x):
    a = np.outer(x, np.cos(x))
    a[X > 0] = x
    a[:, X > 0] *= 2
    a[X > 0, :2] = np.sin(x[:2])
    a[a < -0.5] = x[0]
    return a


def components(x):
    z = np.zeros(6, complex)
    z.real = x
    z.imag[1:] = np.sin(x[:-1])
    z.real[::2] *= 2
    z *= np.conj(z[::-1])
    z.imag -= z.real
    return np.abs(z) ** 2 + z.real


def diagonals(x):
    a = np.outer(x, x)
    a.flat[::7] += x
    a.flat[3] = a.flat[-1] ** 2
    np.einsum("ii->i", a)[...] *= x
    a.T.flat = np.stack(list(a.flat))
    return a


def rows_and_columns(x):
    a = np.outer(x, np.cos(x))
    for i, row in enumerate(a):
        row -= row[i]
        row[0] = x[i]
    for column in a.T:
        column *= 2
    return a


def parts(x):
    y = np.concatenate([x, x**2])
    a, b, c = np.split(y, 3)
    b *= a
    c[:] = b[::-1]
    a[0] = c[1]
    y[5] += 1
    return np.concatenate([a, b, c]) * y


def growing(x):
    count, room = 0, np.empty(2)
    for entry in x:
        if count == len(room):
            larger = np.empty(2 * count)
            larger[:count] = room
            room = larger
        room[count] = entry**2
        count += 1
    return room[:count] * x


def heat(u0):
    u = u0.copy()
    for _ in range(6):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u**2


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


def thomas(x):
    n = x.size
    lower, diagonal, upper, right = np.sin(x), 3.0 + x**2, np.cos(x), x * np.sin(3 * x)
    for k in range(1, n):
        factor = lower[k] / diagonal[k - 1]
        diagonal[k] -= factor * upper[k - 1]
        right[k] -= factor * right[k - 1]
    y = np.zeros(n)
    y[-1] = right[-1] / diagonal[-1]
    for k in range(n - 2, -1, -1):
        y[k] = (right[k] - upper[k] * y[k + 1]) / diagonal[k]
    return y


def ring_buffer(x):
    memory = np.zeros((3, 2))
    for step in range(7):
        memory[step % 3] = np.tanh(
            memory[(step - 1) % 3] * x[0] + memory[(step - 2) % 3] * x[1] + x[2:4] + step
        )
    return np.ravel(memory)


def kalman(x):
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
        p += q
        innovation = seen.copy()
        innovation -= mean
        s = weights @ innovation**2
        s += r
        gain = (weights * innovation) @ away / s
        state += gain * (z - mean)
        p -= np.outer(gain, gain) * s
    return np.concatenate([state, np.ravel(p)])


def entries(x):
    return np.sum(x[1:] * x[:-1]) + np.sum(x[REPEATED] ** 2) + x[0] * x[-1] ** 2


def of_an_argument(x):
    v = x[1:4]
    x[0] = x[1] ** 2
    v[:] = v * x[0]
    x[2] += v[0]
    return x * v[1]


def buffer(x):
    out = np.zeros(6)
    first = out[:2]
    out[1] = x[0]
    out[2:4] = x[1:3] ** 2
    out[4] = first[1] * 3
    return out * x


def recurrence(x):
    h = np.zeros(4)
    for i in range(3):
        h[i + 1] = 0.9 * h[i] + x[i] * x[i + 1]
    return h


def matrices(x):
    a = np.zeros((3, 3))
    a[0] = x[:3]
    a[:, 2] = x[3:]
    np.fill_diagonal(a, x[0])
    a += a.T
    return a @ x[:3]


def shared_and_copied(x):
    y = np.broadcast_to(x, (2, 6)).copy("F")
    y[1] *= x[0]
    d, c = np.diagonal(y), copy.copy(y)
    y[0, 0] = 3.0
    r = np.ravel(y, "F")
    r[3] = x[1]
    return y * d.sum() + c


def copied_and_joined(x):
    y = x.reshape(2, 3) * x[0]
    z, both = np.asfortranarray(y), np.concatenate([y, y])
    z[1], y[0] = x[:3] ** 2, 0.5
    return z * y * both[1:3]


def every_operator(x):
    y = x + 0.0
    y += 1.0
    y -= x * x
    y *= x
    y /= 3.0
    y **= 2
    y @= M
    return y


def itself_reversed(x):
    y = x * x
    y += y[::-1]
    return y


def an_argument(x):
    x += 1.0
    return x * x


def a_row_broadcast(x):
    y = np.outer(x, x)
    y += x
    return y


def another_shape(x):
    y = np.outer(x, x)
    row = y[0]
    y.shape = 9
    y[1:3] *= x[0]
    y.shape = (3, -1)
    return row * (y @ x)


def another_shape_of_a_part(x):
    y = np.outer(x, x)
    part = y[1:]
    part.shape = (3, 2)
    part[0] = x[:2]
    return y


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
    return np.sum(np.lib.stride_tricks.sliding_window_view(y, 2) ** 2) + np.sum(
        np.lib.stride_tricks.sliding_window_view(y, 2)[:, 1]
    )


def a_component_before_the_whole(x):
    z = x + 1j * np.sin(x)
    real, imag = z.real, z.imag
    real[0] = x[2]
    imag *= x
    z[1] = 3.0 * z[0] * z[2]
    z.imag = z.imag + z.real**2
    return np.sum(real * imag) + np.sum(np.abs(z) ** 2)


LARGER = [
    lambda x, out: np.sin(x, out=out),
    lambda x, out: np.add(x, x, out=(out,)),
    lambda x, out: np.add(x, x * x, out=out, where=np.array([True, False, True])),
    lambda x, out: x.clip(0.0, 0.6, out=out),
    lambda x, out: np.multiply.outer(x[:1], x, out=out),
    lambda x, out: np.modf(3.1 * x, out=(out, None)),
    lambda x, out: np.exp(x[:1], out=out[1]),
    lambda x, out: np.square(x[:1], out=out.T),
]
METHODS = [
    lambda v, a: v.cumsum(out=v),
    lambda v, a: v.cumprod(out=v),
    lambda v, a: v.take([1, 1, 0], out=v),
    lambda v, a: v.compress([False, True, False], out=v[:1]),
    lambda v, a: a.std(axis=0, out=v),
    lambda v, a: v.round(out=v),
    lambda v, a: np.multiply.at(v, [0, 2], v[1:] * 1.0),
]
FLAT = [
    lambda a, x: a.flat.__setitem__(4, x[0] ** 2),
    lambda a, x: a.flat.__setitem__(-1, 7.0),
    lambda a, x: a.flat.__setitem__(slice(None, None, 2), x[:2]),
    lambda a, x: a.flat.__setitem__([1, 5], x[1:]),
    lambda a, x: a.flat.__setitem__(np.arange(6) > 2, x * x[0]),
    lambda a, x: setattr(a, "flat", np.sin(x)),
    lambda a, x: a.T.flat.__setitem__(1, x[2]),
]


def into_larger_arrays(x, make=lambda x: np.zeros((3, 3))):
    total = 0.0
    for k, write in enumerate(LARGER, 1):
        out = make(x)
        write(x, out)
        total = total + np.sum(out**2 * (M + k)) + np.sum(out[0] * x)
    return total


def into_larger_traced_arrays(x):
    return into_larger_arrays(x, lambda x: x * np.ones((3, 3)))


def methods_into_out(x):
    found = []
    for write in METHODS:
        v, a = x * x, np.outer([1.0, 2.0], x)
        v[0] = 3.1 * x[1]
        a[0, 0] *= 3
        write(v, a)
        found.append(v)
    return np.stack(found)


def through_flat(x):
    found = []
    for write in FLAT:
        for make in (np.copy, np.transpose):
            a = make(np.outer(x[:2], x))
            write(a, x)
            found.append(np.cumsum(a.flat) * a.flat[2] + sum(a.flat) * np.negative(a.T.flat))
            found.append(np.concatenate([a.flat[1::2], a.flat.copy()[:3]]) * len(a.flat))
    return np.stack(found)


def iterators(x):
    """Which go on where they were, and of which copies are arrays."""
    y = np.outer(x, x)
    flat = y.T.flat
    total = next(flat) * 10 + sum(k * v**2 for k, v in enumerate(flat, 1))
    copied = y.flat.copy()
    copied[0] = 5.0
    y.flat[1] = 7.0
    number = x[0].flat[0] * next(x[1].flat) + np.sum(x[2].flat)
    return total * number + np.sum(y.flat) * np.sum(copied)


def constants_into_traced_memory(x):
    y, z = x * x, x * x
    np.log(V**2, out=y, where=V > 0)
    np.concatenate([z[:2], z[:1].copy()], out=z)
    z.flat = z
    return y * z


def nan_replaced(x):
    w = np.where(V > 1, np.nan, x)
    part = w[:]
    y = np.nan_to_num(w, copy=False, nan=2.0)
    part[1] *= 3
    return w**3 + y * part[2]


def at_own_places(x):
    y, z = x * x, x * 2.0
    np.copyto(y, x[::-1] ** 2, where=x > 0)
    np.put(y, [0, 1], x[:0])
    np.putmask(y, [True, False, True], x[:0])
    y[np.argmin(x)] *= x[0]
    np.putmask(z, x > 0, x[:2] ** 2)
    z[np.nonzero(x < 1)] *= x[2]
    np.place(z, x > 1, x[:2] ** 2)
    return y * z


def at_places(x):
    """Positions that wrap, are clipped, or come twice, and values that are repeated or left over."""
    y = np.outer(x[:3], x[:4]) * (1 + 0.5j)
    mask = np.arange(12).reshape(3, 4) % 3 == 1
    np.put(y, [13, -14], x[:2], mode="wrap")
    np.put(y, [13, -14, 2], x[1:4] * 1j, mode="clip")
    np.put(y, [[2, 7], [2, 2]], np.reshape(x[:4], (2, 2)))
    np.put(y, [1, 5, 3, 8, 0], y[0, :2])
    np.copyto(y, x[:3, None], where=mask)
    np.copyto(y, y[:, ::-1] * x[4], where=mask[1])
    np.put_along_axis(y, np.array([[0, 3], [1, 1], [-1, 2]]), x[0], -1)
    np.put_along_axis(y, np.array([5, 0, 11]), x[:3] * y[0, 0], None)
    np.place(y, mask, x)
    np.subtract.at(y, (np.array([2, 0, 2]), 1), x[3])
    return y


def filled_diagonals(x):
    tall, square, cube = np.ones((8, 3)), np.ones((5, 5)), np.ones((3, 3, 3))
    np.fill_diagonal(tall, x[:4], wrap=True)
    np.fill_diagonal(square, x[:2])
    np.fill_diagonal(cube, x[:3] * tall[0, 0])
    np.fill_diagonal(tall[1:], x[5])
    return np.concatenate([tall.ravel(), square.ravel(), cube.ravel()]) ** 2


def an_entry_whose_view_was_written(x):
    """What the entries of one array are read by must not read another one, which is older."""
    v1 = +x
    x[1:] += 0.814
    np.subtract(np.tanh(np.sum(v1)), v1, v1)
    v3 = np.positive(x)
    v4 = v3.reshape(-1)
    for i in range(5):
        v4[i : i + 2] += v4[i + 1] * 0.3
    v1[[True, False, False, True, True, False]] -= v3[2] * -0.483
    return np.sum(np.sin(v1))


PROGRAMS = [
    *(at_places, filled_diagonals, givens, error_diffusion, forward_algorithm),
    *(buffer, cloud_in_cell, recurrence),
    *(finite_elements, chained_out, reductions_into_out, views_of_views, components),
    *(diagonals, rows_and_columns, parts, growing, heat, thomas, ring_buffer, matrices),
    *(shared_and_copied, shortest_paths, masks_that_broadcast, copied_and_joined),
]


# Plain arrays that a program fills before a derivative meets them, or writes into afterwards.
W = np.array([1.0, 2.0, 4.0])


def filled_in_part(x):
    t = np.stack([W, W])
    for k in range(2):
        t[k, 1] += k
        t[k][2:] = np.cos(t[k, 0])
    return np.sum(np.exp(x * t[0]) + x**2 * t[1])


def filled_beside_one_that_is_kept(x):
    kept, t = W * 2.0, W + 1.0
    y = np.sum(x * kept)
    t[1] = 5.0
    return y * np.sum(x * t)


def overwritten_by_a_view(x):
    t = W * 2.0
    part = t[1:]
    y = np.sum(np.sin(x[1:] * part))
    t += 1.0
    return y * np.sum(x * t)


def filled_positions_that_were_read(x):
    order = np.argsort(x * W)
    y = np.sum(x[order] ** 2 * W)
    order[:] = 0
    return y + np.sum(x[order])


CONSTANTS = [
    *(filled_in_part, filled_beside_one_that_is_kept, overwritten_by_a_view),
    filled_positions_that_were_read,
]


# Plain arrays that are used, written, and used again.
EYE, PLACES = np.eye(2), np.arange(3.0)


@primitive
def scaled(x, by):
    """A function of a user's, whose rule keeps what it is given, in a container."""
    return x * by["factor"]


@rrule.register(scaled)
def scaled_rrule(x: Array, by: object):
    return scaled(x, by), lambda y_bar: (y_bar * by["factor"], NO_TANGENT)


USES = {
    "the second factor": (lambda x, c: x * c, np.array([2.0, 3.0, 4.0])),
    "the divisor": (lambda x, c: x / (1 + c), np.array([2.0, 3.0, 4.0])),
    "the exponent": (lambda x, c: x**c, np.array([2.0, 3.0, 4.0])),
    "a matrix product": (lambda x, c: x @ c, np.arange(6.0).reshape(3, 2)),
    "einsum": (lambda x, c: np.einsum("ij,jk->ik", x, c), np.arange(6.0).reshape(3, 2)),
    "a solve": (lambda x, c: np.linalg.solve(c + EYE, x), np.array([[2.0, 0.0], [1.0, 3.0]])),
    "multi_dot": (lambda x, c: np.linalg.multi_dot([x, c, x]), np.arange(6.0).reshape(3, 2)),
    "rows by an array": (lambda x, c: x[c], np.array([1, 1, 0])),
    "entries by a tuple": (lambda x, c: x[c, np.array([1, 2])], np.array([1, 0])),
    "a mask": (lambda x, c: np.where(c, x, x**2), np.array([True, False, True])),
    "take": (lambda x, c: np.take(x, c), np.array([1, 5, 3])),
    "take by a keyword": (lambda x, c: np.take(x, indices=c, axis=1), np.array([1, 2, 2])),
    "along an axis": (lambda x, c: np.take_along_axis(x, c, 1), np.array([[1, 2], [2, 0]])),
    "where of a sum": (lambda x, c: np.sum(x**2, axis=1, where=c), np.array([True, False, True])),
    "bounds": (lambda x, c: np.clip(x, c, None), np.array([0.4, 0.4, 0.4])),
    "weights": (lambda x, c: np.average(x, axis=1, weights=c + 1), np.array([2.0, 3.0, 4.0])),
    "a user's container": (lambda x, c: scaled(x, {"factor": c}), np.array([2.0, 3.0, 4.0])),
    "a checkpoint": (
        lambda x, c: checkpoint(lambda x, c: np.sin(x * c))(x, c),
        np.array([2.0, 3.0, 4.0]),
    ),
    "interp": (lambda x, c: np.interp(x, PLACES, c), np.array([2.0, 3.0, 5.0])),
    "polyval": (lambda x, c: np.polyval(c, x), np.array([2.0, 3.0, 5.0])),
}


def used_and_overwritten(x):
    """The sum of squares of what each function makes of an array, before and after it is written."""
    found = []
    for use, array in USES.values():
        written = array.copy()
        y = np.sum(use(x, written) ** 2)
        written[...] = 0
        found.append(y + np.sum(use(x, written) ** 2))
    return np.stack(found)


def real_part_of_no_entries(x, y):
    w = x * 1.0
    w.real = 2 * w.imag
    return np.sum(w.real) + y


def made_of_entries(x):
    """By functions of `chainrules_tape.numpy` alone."""
    return np.concatenate(
        [
            np.ravel(np.array([[x[0], 1.0], [0.0, x[1]]])),
            np.ravel(np.array([x, x * x]) + np.asarray([x[0], x[0], 1.0])),
            np.ravel(np.full((2, 2), x[1])) * np.full_like(np.zeros(1), x[2]),
            np.polyval([x[0], 1.0, x[1]], V) + np.histogram_bin_edges(V, 2, (x[0], x[2])),
            np.ascontiguousarray(x) * np.polynomial.polynomial.polyval(x, V),
        ]
    )


def buffers_and_lists(x):
    y = np.zeros(2)
    y += (x[0], 3.0)
    y *= [x[1], x[0]]
    square = np.ones((2, 2)) @ [[x[0], 1.0], [x[1], x[0] * x[1]]]
    chosen = np.where(np.zeros(2) < [x[0], -x[1]], x[:2], 2.0 * x[:2])
    return square * y + (np.ones(2) + [x[0], 2.0]) ** 2 + (x[0], 2.0) / np.full(2, 3.0) * chosen


def buffers_beside_traced_arrays(x):
    y = np.copy(M)
    y[0, 1:] = x[2]
    return (
        (y - x) * np.arctan2(x, y + 9.0) + np.outer(y @ x, x @ y) + np.matmul(y * x, (y + 1) ** 2)
    )


def methods_that_write(x):
    y = np.copy(x)
    y.sort()
    z = y * 1.0
    z.partition(1)
    z.put([0, -1], x[:2])
    w = np.sin(z)
    w[1:].fill(x[0])
    return y * z * w


def older_views_in_each_operation(x):
    """Views of memory that a product keeps, made before its first write, show what is written."""
    y = np.outer(x, x)
    flat, row, turned, last = y.ravel(), y[0], y.T, y[-1:]
    held = row * y[1]
    y[0, 0], y[1] = x[1], y[1] * 0.5
    total = np.sin(flat).sum() + (row * 2.0) @ (1.5 - row) + flat[0] * 3.0 + float(len(last))
    joined = np.concatenate([row, held]) + np.stack([last[0], row]).ravel()
    return total + joined.sum(axis=0) + np.sum(turned @ row + np.where(X[:3] > 0, row, held))


def sums_into_views(x):
    """What is added may be a view of the same memory, of fewer axes, or of another precision."""
    y, z = np.outer(x, x), np.outer(x, x + 1j)
    y += x
    y[1:] += y[:-1]
    y[:, 0] -= y[1] * x[0]
    y[0] += x[2]
    y[0, :2] -= 2.0
    y -= y.T
    z += y
    z[1] -= 1j * z[0]
    y[2] += np.float32(0.5) * np.arange(3, dtype=np.float32)
    return np.sin(y) + z.real * z.imag


def written_where_a_mask_holds(x):
    w = x * 1.0
    np.multiply(w, x, out=w, where=w > 0)
    np.log(w, out=w, where=w > 0.1)
    return w * w


OF_THREE = [
    *(made_of_entries, buffers_and_lists, buffers_beside_traced_arrays, methods_that_write),
    *(written_where_a_mask_holds, every_operator, itself_reversed, another_shape),
    *(another_shape_of_a_part, a_row_broadcast, broadcast_afterwards, broadcast_before),
    *(components_broadcast, windows, a_component_before_the_whole, into_larger_arrays),
    *(into_larger_traced_arrays, methods_into_out, through_flat, at_own_places, nan_replaced),
    *(iterators, constants_into_traced_memory, *CONSTANTS),
    *(older_views_in_each_operation, sums_into_views),
]
HELD = (buffer, recurrence, heat, thomas, ring_buffer, matrices, chained_out)
ROWS = {
    **{f.__name__: (f, (V,), "writes") for f in OF_THREE},
    "an argument": (an_argument, (V,), "writes argument"),
    "of an argument": (of_an_argument, (X,), "writes argument"),
    "a view that was written": (an_entry_whose_view_was_written, (X,), "writes argument"),
    **{f.__name__: (f, (X,), "writes held" if f in HELD else "writes") for f in PROGRAMS},
    "gaussian elimination": (gaussian_elimination, (X,), "writes decides"),
    "kalman": (kalman, (X,), "writes guarded"),
    "used and overwritten": (
        used_and_overwritten,
        (np.array([[0.3, 0.7, 0.2], [0.5, 0.1, 0.9]]),),
        "writes",
    ),
    "real part of no entries": (real_part_of_no_entries, (np.ones(0), X), "writes"),
}
