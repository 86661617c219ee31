"""Random programs as people write them, given a namespace: single entries read, views written in
loops, masks, ``out=``. Values are NumPy's; derivatives agree between the modes and with differences.

Arrays come and go, so that memory is used again; what was read before a write is read after it.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, jvp, value_and_grad
from seeds_of_programs import check_each, groups

COUNT, PER_TEST, ORDINARILY, LONG = 3000, 50, 100, 1000
SIZE = 7

MAKERS = (
    lambda m, v: +v,
    lambda m, v: m.positive(v),
    lambda m, v: v * 0.7,
    lambda m, v: v.copy(),
    lambda m, v: m.sin(v),
    lambda m, v: m.exp(1j * v) * v,
    lambda m, v: m.where(v.real > 0.1, v, 0.3 * v),
    lambda m, v: v.real,
    lambda m, v: m.concatenate([v, v[:1]]),
    lambda m, v: m.outer(v, v[:2]),
)
VIEWS = (
    lambda m, v: v[1:],
    lambda m, v: v[::2],
    lambda m, v: v[::-1],
    lambda m, v: v.T,
    lambda m, v: v.reshape(-1),
    lambda m, v: m.ravel(v),
    lambda m, v: v[..., None],
    lambda m, v: m.asarray(v),
)


def is_real(v):
    return v.dtype.kind == "f"


def entry(draw, v, *, real):
    """One entry of an array, read as programs read it."""
    index = tuple(int(draw.integers(-n, n)) for n in v.shape)
    found = v[index if len(index) > 1 else index[0]]
    return found.real if real and not is_real(v) else found


def write(draw, m, v, w):
    """Write into an array, or into parts of it, what a number of entries of another one make."""
    scale = float(draw.uniform(-0.6, 0.6))
    number = entry(draw, w, real=is_real(v))
    kind = int(draw.integers(10))
    n = v.shape[0]
    if kind == 0:
        v[1:] += scale
    elif kind == 1:
        m.subtract(m.tanh(number), v, v)
    elif kind == 2:
        m.multiply(v, scale, out=v)
    elif kind == 3:
        v[draw.integers(0, 2, n).astype(bool).tolist()] -= number * scale
    elif kind == 4:
        v[draw.integers(0, n, 3)] = number * scale
    elif kind == 5:
        v[int(draw.integers(n))] = number * scale
    elif kind in (6, 7):
        for i in range(n - 1):
            v[i : i + 2] += v[i + 1] * 0.3
    elif kind == 8:
        v[:, ...] *= m.cos(number)
    else:
        v += number * scale


def chosen(draw, arrays):
    """One of the arrays, mostly a late one: what shares memory is made one after the other."""
    return arrays[max(int(draw.integers(len(arrays))) for _ in range(2))]


def program(seed, steps=12):
    """The program of a seed, a function of a namespace and an array, whose value is a number."""

    def run(m, x):
        draw = np.random.default_rng(seed)
        arrays, total = [x], 0.0
        for _ in range(steps):
            v, w = chosen(draw, arrays), chosen(draw, arrays)
            kind = draw.random()
            if kind < 0.2 and v.ndim == 1:
                v = MAKERS[int(draw.integers(len(MAKERS)))](m, v)
                arrays += [v, VIEWS[int(draw.integers(len(VIEWS)))](m, v)]
            elif kind < 0.4:
                arrays.append(VIEWS[int(draw.integers(len(VIEWS)))](m, v))
            elif kind < 0.8:
                write(draw, m, v, w)
            else:
                total = total + m.tanh(entry(draw, v, real=True) * entry(draw, w, real=True))
            del v, w
            while len(arrays) > 5:
                arrays.pop(int(draw.integers(len(arrays))))
            arrays = [v for v in arrays if v.shape[0] > 1]
            arrays = arrays or [m.ones(SIZE)]
        for v in arrays:
            total = total + m.sum(m.sin(v.real + 0.5 * v.imag))
        return total

    return run


def check(seed):
    run, draw = program(seed), np.random.default_rng(seed + 10**6)
    x, dot = draw.uniform(-1, 1, SIZE), draw.normal(size=SIZE)

    def plain(x):
        return run(np, x.copy())

    def traced(x):
        return run(tnp, x)

    value, gradient = value_and_grad(traced)(x)
    pushed_value, slope = jvp(traced, (x,), (dot,))
    np.testing.assert_allclose([value, pushed_value], plain(x), rtol=1e-12, atol=1e-13)
    size = max(1.0, np.max(np.abs(gradient)))
    np.testing.assert_allclose(gradient @ dot, slope, rtol=1e-10, atol=1e-11 * size)
    h = 1e-6
    differences = (plain(x + h * dot) - plain(x - h * dot)) / (2 * h)
    np.testing.assert_allclose(slope, differences, rtol=1e-5, atol=1e-6 * size)
    curved = jvp(grad(traced), (x,), (dot,))[1]
    twice = grad(lambda x: np.sum(grad(traced)(x) * dot))(x)
    size = max(1.0, np.max(np.abs(curved)))
    np.testing.assert_allclose(curved, twice, rtol=1e-9, atol=1e-10 * size)


@pytest.mark.parametrize("first", groups(COUNT, ORDINARILY, PER_TEST, LONG))
def test_random_programs(first):
    check_each(check, first, PER_TEST)


def stepwise(m, x):
    """A program in which what one array's entries are read by must not read another's, older."""
    v1 = +x
    x[1:] += 0.814
    m.subtract(m.tanh(m.sum(v1)), v1, v1)
    v3 = m.positive(x)
    v4 = v3.reshape(-1)
    for i in range(6):
        v4[i : i + 2] += v4[i + 1] * 0.3
    v1[[True, False, False, True, True, False, True]] -= v3[2] * -0.483
    return m.sum(m.sin(v1))


def test_an_entry_of_an_array_whose_view_was_written():
    x = np.random.default_rng(3).uniform(-1, 1, 7)
    value, _ = value_and_grad(lambda x: stepwise(tnp, x))(x.copy())
    assert value == pytest.approx(stepwise(np, x.copy()), rel=1e-14)
