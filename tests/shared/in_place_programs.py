"""Random programs that write into arrays, to be run by NumPy, by an engine, and as a functional rewriting.

A program draws its steps from a seed: reads, views, copies, buffers, arithmetic, and writes of all kinds, on a few small
arrays. What it does with arrays it asks of an interpreter. `InPlace` does it as NumPy code does. `Functional` writes
nothing: it keeps for each block of memory a value, and for each array the positions of its entries in that, which it finds
by having NumPy do the same to arrays of integers.
"""

import numpy as np

ELEMENTWISE = (np.sin, np.tanh, np.cos, lambda a: a * a * 0.5, lambda a: a / (1.0 + a * a), lambda a: np.exp(-(a**2)))
AUGMENTED = (
    lambda a, b: a + b,
    lambda a, b: a - 0.3 * b,
    lambda a, b: a * np.cos(b),
    lambda a, b: a / (2.0 + np.sin(b)),
)


class InPlace:
    """Runs a program as it is written."""

    def __init__(self, namespace):
        self.namespace, self.view, self.read = namespace, lambda a, f: f(a), lambda a: a

    def fresh(self, value):
        return self.namespace.copy(value)

    def buffer(self, shape):
        return self.namespace.zeros(shape)

    def write(self, a, assign, values):
        assign(a, values)

    def augment(self, a, which, values):
        if which == 0:
            a += values
        elif which == 1:
            a -= 0.3 * values
        elif which == 2:
            a *= np.cos(values)
        else:
            a /= 2.0 + np.sin(values)

    def into(self, a, f, values):
        f(values, out=a)

    def add_at(self, a, index, values):
        np.add.at(a, index, values)

    def swap(self, a, i, j):
        a[i], a[j] = a[j], a[i]

    def sort(self, a):
        a.sort()

    def shape(self, a):
        return a.shape


class Functional:
    """Runs a program without a write: an array is a block of memory and positions in it."""

    def __init__(self):
        self.memory = []

    def fresh(self, value):
        self.memory.append(np.ravel(value) + 0.0)
        shape = np.shape(value)
        return len(self.memory) - 1, np.arange(int(np.prod(shape))).reshape(shape)

    def buffer(self, shape):
        return self.fresh(np.zeros(shape))

    def view(self, a, f):
        memory, positions = a
        found = f(positions)
        return (memory, found) if np.shares_memory(found, positions) else self.fresh(self.memory[memory][found])

    def read(self, a):
        return self.memory[a[0]][a[1]]

    def write(self, a, assign, values):
        memory, positions = a
        source = np.full(positions.shape, -1)
        assign(source, np.arange(np.size(values)).reshape(np.shape(values)))
        chosen = np.full(self.memory[memory].shape, -1)
        chosen[positions[source >= 0]] = source[source >= 0]
        if np.size(values):
            values = np.ravel(values)[np.maximum(chosen, 0)]
            self.memory[memory] = np.where(chosen >= 0, values, self.memory[memory])

    def whole(self, a, values):
        def assign(target, values):
            target[...] = values

        self.write(a, assign, values)

    def augment(self, a, which, values):
        self.whole(a, AUGMENTED[which](self.read(a), values))

    def into(self, a, f, values):
        self.whole(a, f(values))

    def add_at(self, a, index, values):
        hits = np.zeros((self.shape(a)[0], len(index)))
        hits[index, np.arange(len(index))] = 1.0
        np.add.at(counted := np.zeros_like(hits), (index, np.arange(len(index))), 1.0)
        self.whole(a, self.read(a) + np.tensordot(counted, values, 1))

    def swap(self, a, i, j):
        first, second = self.view(a, lambda p: p[j : j + 1]), self.view(a, lambda p: p[i : i + 1])
        self.whole(self.view(a, lambda p: p[i : i + 1]), self.read(first))
        if len(self.shape(a)) > 1:  # rows are views: NumPy reads the second one after the first was written
            self.whole(self.view(a, lambda p: p[j : j + 1]), self.read(second))
        else:
            raise NotImplementedError

    def sort(self, a):
        self.whole(a, np.sort(self.read(a)))

    def shape(self, a):
        return a[1].shape


def view_of(draw, shape):
    """A random function that NumPy answers with a view, for an array of this shape, or with a copy, here and there."""
    n = shape[0] if shape else 0
    start = int(draw.integers(0, max(n, 1)))
    step = int(draw.choice([-2, -1, 1, 1, 2]))
    choices = [lambda a: a[start:], lambda a: a[::step], lambda a: a[...], lambda a: a[None], lambda a: a.T]
    choices += [lambda a: a.ravel(), lambda a: a.reshape(-1), lambda a: a[: start + 1]]
    if len(shape) == 2:
        m = int(draw.integers(0, shape[1]))
        choices += [lambda a: a[start], lambda a: a[:, m], lambda a: a.reshape(shape[::-1]), lambda a: a[:, ::-1]]
        choices += [lambda a: np.swapaxes(a, 0, 1), lambda a: np.flip(a, 1), lambda a: a[start:, m:]]
        choices += [lambda a: np.expand_dims(a, 1)[:, 0], lambda a: np.split(a, [m], axis=1)[-1] if m < shape[1] else a]
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
    """A random function of a target and a value that writes one into the other, and the shape of the value."""
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


def shaped(draw, value, shape):
    """A value of another shape, made of all entries of a value, differently each."""
    size = int(np.prod(shape))
    picked = draw.integers(0, max(np.size(value), 1), size=size)
    if not np.size(value):
        return np.zeros(shape)
    y = np.tanh(np.ravel(value)[picked] * draw.normal(size=size))
    return y[0] if shape == () else np.reshape(y, shape)


def program(seed, steps=12):
    """The program of a seed: a function of an interpreter and of two arrays, whose value is a number."""

    def run(machine, x, y):
        draw = np.random.default_rng(seed)
        arrays = [machine.fresh(x), machine.fresh(y)]
        total = 0.0
        for _ in range(steps):
            kind = int(draw.integers(12))
            a = arrays[int(draw.integers(len(arrays)))]
            b = arrays[int(draw.integers(len(arrays)))]
            shape = machine.shape(a)
            if kind <= 1 and len(shape) <= 2 and shape[0]:
                arrays.append(machine.view(a, view_of(draw, shape)))
            elif kind == 2:
                f = ELEMENTWISE[int(draw.integers(len(ELEMENTWISE)))]
                arrays.append(machine.fresh(f(machine.read(a))))
            elif kind == 3:
                arrays.append(machine.buffer((int(draw.integers(1, 4)), 3)))
            elif kind == 4:
                total = total + np.sum(machine.read(a) ** 2) * np.sum(np.sin(machine.read(b)))
            elif kind == 5 and np.prod(shape):
                machine.augment(a, int(draw.integers(4)), shaped(draw, machine.read(b), shape[1:]))
            elif kind == 6:
                machine.into(a, np.sin, shaped(draw, machine.read(b), shape))
            elif kind == 7 and len(shape) == 1 and shape[0]:
                index = draw.integers(0, shape[0], size=4)
                machine.add_at(a, index, shaped(draw, machine.read(b), (4,)))
            elif kind == 8 and len(shape) == 2 and shape[0]:
                machine.swap(a, *map(int, draw.integers(0, shape[0], size=2)))
            elif kind == 9 and draw.random() < 0.3 and len(shape) == 1:
                machine.sort(a)
            elif np.prod(shape):
                assign, wanted = writing(draw, shape)
                machine.write(a, assign, shaped(draw, machine.read(b), wanted))
            if len(arrays) > 6:
                arrays.pop(int(draw.integers(len(arrays))))
        for a in arrays:
            total = total + np.sum(np.tanh(machine.read(a)) * draw.normal(size=machine.shape(a)))
        return total

    return run
