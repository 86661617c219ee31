"""Random programs of indices, orders, views and writes in lanes, against a loop over the examples.

What two arrays share, in which order an array lies, and whether something without axes is an array
or a number are those of one example; so are values and gradients of what is written then. Before
the views come what leaves lanes between entries: arrays in an index, ufuncs, `solve`.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py.errors import OptionError
from chainrules_tape import compiled, grad, jvp, vmap
from chainrules_tape.refusals.handles import TracedArray
from memory_programs import is_writeable, memory_of, strides_of
from seeds_of_programs import check_each, groups

COUNT, PER_TEST, ORDINARILY, LONG = 4000, 50, 50, 1000
LANES = 3

MASK, MATRIX = (
    np.array([True, False, True]),
    np.array([[2.0, 0.3, 0.0], [0.1, 1.5, 0.2], [0, 0.4, 1]]),
)

MAKERS = (
    lambda m, a: a[[0, -1]],
    lambda m, a: a[np.array([[0, 1], [1, 0]])],
    lambda m, a: a[:, [0, -1]] if a.ndim > 1 else a[[1, 0, 1]],
    lambda m, a: a[[0, 1], 1:] if a.ndim > 1 else a[np.arange(2)[::-1]],
    lambda m, a: a[[1, 0], [0, 1]] if a.ndim > 1 else a[[0]],
    lambda m, a: a[0, ..., [0, 1]] if a.ndim > 2 else a[..., [1, 0]],
    lambda m, a: a[MASK[: a.shape[0]]] if a.shape[0] < 4 else a[:3][MASK],
    lambda m, a: m.take(a, [1, 0], axis=-1),
    lambda m, a: m.compress([True, True], a, axis=0),
    lambda m, a: m.sin(a),
    lambda m, a: a * a[:1] + 0.5,
    lambda m, a: a * np.arange(a.shape[-1]),
    lambda m, a: np.asfortranarray(np.ones((2, *a.shape))) * a if a.ndim < 3 else +a,
    lambda m, a: m.linalg.solve(MATRIX, a[:3]) if a.shape[0] > 2 and a.ndim < 3 else a.copy("K"),
    lambda m, a: m.linalg.solve(m.outer(a.ravel()[:2], [0.1, 0.2]) + 2 * np.eye(2), a.ravel()[:2]),
    lambda m, a: MATRIX @ a[:3] if a.shape[0] > 2 and a.ndim < 3 else a - 0.25,
    lambda m, a: m.sum(a, axis=0, keepdims=True),
    lambda m, a: m.cumsum(a, axis=0),
    lambda m, a: m.concatenate([a, a[:1]]),
    lambda m, a: m.stack([a, a], axis=-1),
    lambda m, a: m.where(a > 0, a, 0.1 * a),
    lambda m, a: m.flip(a, 0) * 1.0,
    lambda m, a: m.einsum("...i->i...", a) * 0.5,
    lambda m, a: m.copy(a),
    lambda m, a: a.copy(),
    lambda m, a: a.copy("F"),
    lambda m, a: a.copy("A"),
    lambda m, a: a.astype(float, order="A"),
    lambda m, a: m.array(a, order="K"),
    lambda m, a: m.atleast_1d(a.ravel()[1]),
    lambda m, a: m.broadcast_to(a.ravel()[0], (2, 2)) * 1.0,
)
VIEWS = (
    lambda m, a: m.ravel(a),
    lambda m, a: a.ravel("F"),
    lambda m, a: a.ravel("K"),
    lambda m, a: a.ravel("A"),
    lambda m, a: a.flatten("K"),
    lambda m, a: a.reshape(-1),
    lambda m, a: m.reshape(a, -1, order="A"),
    lambda m, a: m.reshape(a, a.shape[::-1], order="F"),
    lambda m, a: m.ascontiguousarray(a),
    lambda m, a: m.asfortranarray(a),
    lambda m, a: m.asarray(a, order="F"),
    lambda m, a: a.T,
    lambda m, a: a[1:],
    lambda m, a: a[::-1],
    lambda m, a: a[..., 0],
    lambda m, a: a[0],
    lambda m, a: m.squeeze(a[:1]),
    lambda m, a: a[(0,) * a.ndim + (...,)],
    lambda m, a: a.ravel()[1:2].reshape(()),
    lambda m, a: m.moveaxis(a, 0, -1),
    lambda m, a: a.real,
    lambda m, a: a[None],
)


def write(draw, m, a, number):
    """Write into an array, which may have no axes."""
    kind = int(draw.integers(6))
    if kind == 0:
        a *= 0.5
    elif kind == 1:
        a += number
    elif kind == 2:
        a[...] = number * draw.normal(size=a.shape)
    elif kind == 3:
        m.multiply(a, number, out=a)
    elif kind == 4 and a.ndim:
        a[0] = number
    elif kind == 5 and a.ndim:
        a[[-1, 0]] = number + a[:1]
    else:
        a.fill(number)


def program(seed, steps=8):
    """The program of a seed, of a namespace and two arrays; it hands its arrays to `observe`."""

    def run(m, x, y, observe=lambda arrays: None):
        draw = np.random.default_rng(seed)
        arrays, total = [x, y], 0.0
        for _ in range(steps):
            a = arrays[max(int(draw.integers(len(arrays))) for _ in range(2))]
            kind = draw.random()
            if kind < 0.35 and a.ndim and a.size > 2 and a.shape[0] > 1 and a.shape[-1] > 1:
                if a.size < 30:
                    arrays.append(MAKERS[int(draw.integers(len(MAKERS)))](m, a))
            elif kind < 0.65 and a.ndim and a.size > 2:
                arrays.append(VIEWS[int(draw.integers(len(VIEWS)))](m, a))
            elif kind < 0.9 and is_array(a) and a.size and is_writeable(a):
                source = arrays[int(draw.integers(len(arrays)))]
                write(draw, m, a, 0.3 * m.sum(source) / max(source.size, 1))
            else:
                total = total + m.sum(m.sin(a) * draw.normal(size=a.shape))
            arrays = [a for a in arrays if 0 not in a.shape]
        for a in arrays:
            total = total + m.sum(m.sin(a) * draw.normal(size=a.shape))
        observe(arrays)
        return total

    return run


def is_array(a):
    return not a.is_number if issubclass(type(a), TracedArray) else isinstance(a, np.ndarray)


def in_one_lane(a):
    """The plain array of one example, in the memory that it has by now; numbers as they are."""
    found = memory_of(a)
    is_stored = issubclass(type(a), TracedArray) and a.is_stored
    return found[0] if is_in_lanes(a) and not is_stored else found


def is_in_lanes(a):
    return issubclass(type(a), TracedArray) and a.in_lanes


def facts(arrays):
    """What one example has of NumPy: arrays or numbers, strides, and who shares memory."""
    kinds = list(map(is_array, arrays))
    lanes = [memory_of(a) for a in arrays]
    own = [in_one_lane(a) for a in arrays]
    pairs = [(a, kind) for a, kind in zip(lanes, kinds, strict=True) if kind]
    return {
        "arrays": kinds,
        "strides": [strides_of(a) for a, kind in zip(own, kinds, strict=True) if kind],
        "shares": [[bool(np.shares_memory(a, b)) for b, _ in pairs] for a, _ in pairs],
    }


def arguments(seed):
    draw = np.random.default_rng(seed + 10**6)
    return draw.normal(size=(LANES, 3, 2)), draw.normal(size=(LANES, 4))


def traced(seed):
    run = program(seed)
    return lambda x, y: run(tnp, x, y)


def loop(function, given):
    """What a function of one example gives for each of many; containers part by part."""
    found = [function(*[a[k].copy() for a in given]) for k in range(LANES)]
    if isinstance(found[0], tuple):
        return tuple(np.stack(parts) for parts in zip(*found, strict=True))
    return np.stack(found)


def agree(found, expected, rtol=1e-9):
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            agree(one, other, rtol)
        return
    size = max(1.0, np.max(np.abs(expected)))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=0.1 * rtol * size)


def check(seed):
    run, given = program(seed), arguments(seed)
    seen = {}

    def noting(m, name):
        return lambda x, y: run(m, x, y, lambda arrays: seen.setdefault(name, facts(arrays)))

    agree(vmap(noting(tnp, "lanes"))(*given), loop(noting(np, "one example"), given))
    assert seen["lanes"] == seen["one example"]
    f = traced(seed)
    try:
        bars = loop(grad(f, (0, 1)), given)
    except OptionError:  # orders "K" and "A", which tangents do not share
        return
    agree(vmap(grad(f, (0, 1)))(*given), bars)
    agree(grad(lambda x, y: np.sum(vmap(f)(x, y)), (0, 1))(*given), bars)


def check_other_levels(seed):
    """Lanes in lanes, forward mode and second derivatives in lanes, and compiled programs."""
    run, f, given = program(seed), traced(seed), arguments(seed)
    values = loop(lambda x, y: run(np, x, y), given)
    of_both = [np.stack([a, a[::-1]], axis=1) for a in given]
    agree(vmap(vmap(f), in_axes=1)(*of_both), np.stack([values, values[::-1]]))
    programs = {"value": (f, values)}
    try:
        programs["gradient"] = grad(f, (0, 1)), loop(grad(f, (0, 1)), given)
    except OptionError:
        pass
    else:

        def slope(x, y):
            return jvp(f, (x, y), (x, y))[1]

        def curvature(x, y):
            return sum(np.sum(bar) for bar in jvp(grad(f, (0, 1)), (x, y), (x, y))[1])

        agree(vmap(slope)(*given), loop(slope, given))
        agree(vmap(curvature)(*given), loop(curvature, given), 1e-8)
    for function, expected in programs.values():
        again = compiled(vmap(function))
        for _ in range(3):
            agree(again(*given), expected)


@pytest.mark.parametrize("first", groups(COUNT, ORDINARILY, PER_TEST, LONG))
def test_random_programs(first):
    check_each(check, first, PER_TEST)


@pytest.mark.parametrize("first", groups(COUNT // 4, 10, 10, LONG // 4))
def test_random_programs_at_other_levels(first):
    check_each(check_other_levels, first, 10)
