"""Random programs that write into arrays.

A program draws its steps from a seed: reads, views, copies, buffers, arithmetic, and writes of all
kinds, on a few small arrays, which it makes with a namespace that it is given.
"""

import numpy as np

ELEMENTWISE = (
    np.sin,
    np.tanh,
    np.cos,
    lambda a: a * a * 0.5,
    lambda a: a / (1.0 + a * a),
    lambda a: np.exp(-(a**2)),
)
OF_COMPLEX = (
    np.conj,
    lambda a: a / (1.0 + a.real**2 + a.imag**2),
    lambda a: a * np.cos(a.real),
    lambda a: a * 0.6j,
)


def augment(a, which, values):
    if which == 0:
        a += values
    elif which == 1:
        a -= 0.3 * values
    elif which == 2:
        a *= np.cos(values)
    else:
        a /= 2.0 + np.sin(values)


def swap(a, i, j):
    a[i], a[j] = a[j], a[i]


def view_of(draw, shape):
    """A random function that NumPy answers with a view, for an array of this shape, or with a copy,
    here and there.
    """
    n = shape[0] if shape else 0
    start = int(draw.integers(0, max(n, 1)))
    step = int(draw.choice([-2, -1, 1, 1, 2]))
    choices = [
        lambda a: a[start:],
        lambda a: a[::step],
        lambda a: a[...],
        lambda a: a[None],
        lambda a: a.T,
    ]
    choices += [lambda a: a.ravel(), lambda a: a.reshape(-1), lambda a: a[: start + 1]]
    if len(shape) == 2:
        m = int(draw.integers(0, shape[1]))
        choices += [
            lambda a: a[start],
            lambda a: a[:, m],
            lambda a: a.reshape(shape[::-1]),
            lambda a: a[:, ::-1],
        ]
        choices += [
            lambda a: np.swapaxes(a, 0, 1),
            lambda a: np.flip(a, 1),
            lambda a: a[start:, m:],
        ]
        choices += [lambda a: a.diagonal(), lambda a: np.diagonal(a, 1)]
        choices += [
            lambda a: np.expand_dims(a, 1)[:, 0],
            lambda a: np.split(a, [m], axis=1)[-1] if m < shape[1] else a,
        ]
    return choices[int(draw.integers(len(choices)))]


def index_of(draw, shape):
    """A random index of an array of this shape."""
    n = shape[0]
    kind = int(draw.integers(7))
    if kind == 0:
        return int(draw.integers(-n, n))
    if kind == 1:
        return slice(int(draw.integers(n)), None, int(draw.choice([1, 2])))
    if kind == 2:
        return draw.random(shape) < 0.4
    if kind == 3:
        return draw.integers(-n, n, size=int(draw.integers(0, 5)))
    if kind == 4:
        return ...
    if kind == 5:
        return draw.random(n) < 0.5
    return (..., int(draw.integers(shape[-1])))


def setting(index):
    def assign(target, values):
        target[index] = values

    return assign


def writing(draw, shape):
    """A random function of a target and a value that writes one into the other, and the shape of
    the value.
    """
    index = index_of(draw, shape)
    region = np.zeros(shape)[index].shape
    size = int(np.prod(shape))
    count = int(draw.integers(1, 4))
    positions = draw.integers(-size, size, size=int(draw.integers(1, 6)))
    mask = draw.random(shape) < 0.5
    along = draw.integers(0, shape[-1], size=(*shape[:-1], count))
    choices = [
        *[
            (setting(index), region),
            (setting(index), ()),
            (setting(index), region[1:]),
            (setting(index), (1, *region) if region and type(index) in (int, slice) else ()),
        ],
        (lambda t, v: np.copyto(t, v, where=mask), shape),
        (lambda t, v: np.copyto(t, v, casting="unsafe"), shape[1:]),
        (lambda t, v: np.put(t, positions, v), (count,)),
        (lambda t, v: np.putmask(t, mask, v), (count,)),
        (lambda t, v: np.place(t, mask, v), (count,)),
        (lambda t, v: np.put_along_axis(t, along, v, -1), along.shape),
        (lambda t, v: t.fill(v), ()),
    ]
    if len(shape) == 2 and min(shape) > 1:
        choices.append((lambda t, v: np.fill_diagonal(t, v), (min(shape),)))
    return choices[int(draw.integers(len(choices)))]


def real_of(value):
    """Real numbers in which all of a complex value is."""
    return value.real - 0.5 * value.imag if np.iscomplexobj(value) else value


def shaped(draw, value, shape, dtype):
    """A value of another shape and dtype, made of all entries of a value, differently each."""
    size = int(np.prod(shape))
    picked = draw.integers(0, max(np.size(value), 1), size=size)
    if not np.size(value):
        return np.zeros(shape)
    value = np.ravel(real_of(value))[picked]
    y = np.tanh(value * draw.normal(size=size))
    if dtype is complex:
        y = y + 1j * np.cos(value * draw.normal(size=size))
    return y[0] if shape == () else np.reshape(y, shape)


def is_read_only(view, shape):
    """Whether NumPy lets nobody write into the view that a function gives: a diagonal."""
    return not view(np.zeros(shape)).flags.writeable


def program(seed, steps=8):
    """The program of a seed: a function of a namespace and of two arrays, whose value is a number."""

    def run(namespace, x, y):
        draw = np.random.default_rng(seed)
        arrays = [
            (namespace.copy(x), float, True),
            (namespace.copy(y), float, True),
        ]  # with dtype, and whether it may be written to
        total = 0.0
        for _ in range(steps):
            kind = int(draw.integers(14))
            a, dtype, writable = arrays[int(draw.integers(len(arrays)))]
            b, other, _ = arrays[int(draw.integers(len(arrays)))]
            shape = a.shape
            if kind <= 1 and len(shape) <= 2 and shape[0]:
                view = view_of(draw, shape)
                arrays.append((view(a), dtype, writable and not is_read_only(view, shape)))
            elif kind == 2:
                functions = ELEMENTWISE if dtype is float else OF_COMPLEX
                arrays.append(
                    (
                        namespace.copy(functions[int(draw.integers(len(functions)))](a)),
                        dtype,
                        True,
                    )
                )
            elif kind == 3:
                dtype = (float, complex)[int(draw.integers(2))]
                arrays.append((namespace.zeros((int(draw.integers(1, 4)), 3), dtype), dtype, True))
            elif kind == 4:
                total = total + np.sum(real_of(a) ** 2) * np.sum(np.sin(real_of(b)))
            elif kind == 12:
                if dtype is complex:
                    arrays.append(
                        (
                            getattr(a, ("real", "imag")[int(draw.integers(2))]),
                            float,
                            writable,
                        )
                    )
                else:
                    value = a
                    arrays.append((namespace.copy(value + 1j * np.cos(value)), complex, True))
            elif not writable or not np.prod(shape):
                continue
            elif kind == 13 and dtype is complex:
                setattr(
                    a,
                    ("real", "imag")[int(draw.integers(2))],
                    shaped(draw, b, shape, float),
                )
            elif kind == 5:
                augment(a, int(draw.integers(4)), shaped(draw, b, shape[1:], dtype))
            elif kind == 6:
                np.sin(shaped(draw, b, shape, dtype), out=a)
            elif kind == 7 and len(shape) == 1:
                index = draw.integers(0, shape[0], size=4)
                np.add.at(a, index, shaped(draw, b, (4,), dtype))
            elif kind == 8 and len(shape) == 2:
                swap(a, *map(int, draw.integers(0, shape[0], size=2)))
            elif kind == 9 and draw.random() < 0.3 and len(shape) == 1 and dtype is float:
                a.sort()
            else:
                assign, wanted = writing(draw, shape)
                assign(a, shaped(draw, b, wanted, dtype))
            if len(arrays) > 6:
                arrays.pop(int(draw.integers(len(arrays))))
        for a, _, _ in arrays:
            total = total + np.sum(np.tanh(real_of(a)) * draw.normal(size=a.shape))
        return total

    return run
