"""Random programs that write, by ways that are drawn for each: derivatives are NumPy's along a line, and
who shares memory with whom in lanes is who does for one example.

    writes    the kinds of writes that NumPy has, on reals and complex numbers
    memory    copies, orders and views, of which it decides who shares memory
    entries   single entries that are read, views written in loops, masks
    views     what leaves lanes between entries: arrays in an index, ufuncs, `solve`
"""

import random
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py.errors import BatchingError, OptionError
from chainrules_tape import vmap
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError
from chainrules_tape.refusals.handles import TracedArray
from in_place_programs import program as writing_program
from memory_programs import IN_ENGINE, IN_NUMPY, is_writeable, memory_of, memory_program, strides_of
from product.judge import Case
from product.programs import Program
from product.ways import CHAINS, ON_ARRAYS, SINGLE
from seeds_of_programs import check_each, groups

COUNT, PER_TEST, ORDINARILY, LONG = 2000, 10, 10, 400
WAYS_OF_EACH = 5
LANES, SIZE = 3, 7


# --- Entries and loops ---

MADE = (
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
SHOWN = (
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


def write_entries(draw, m, v, w):
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


def entries_program(seed, steps=12):
    """The program of a seed, a function of a namespace and an array, whose value is a number."""

    def run(m, x):
        draw = np.random.default_rng(seed)
        arrays, total = [x], 0.0
        for _ in range(steps):
            v, w = chosen(draw, arrays), chosen(draw, arrays)
            kind = draw.random()
            if kind < 0.2 and v.ndim == 1:
                v = MADE[int(draw.integers(len(MADE)))](m, v)
                arrays += [v, SHOWN[int(draw.integers(len(SHOWN)))](m, v)]
            elif kind < 0.4:
                arrays.append(SHOWN[int(draw.integers(len(SHOWN)))](m, v))
            elif kind < 0.8:
                write_entries(draw, m, v, w)
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


# --- Views in lanes ---

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
    lambda m, a: m.quantile(a.ravel(), [0.2, 0.5]),
    lambda m, a: m.correlate(a.ravel()[:2], a.ravel(), "full"),
    lambda m, a: m.pad(a, 1) if a.ndim < 3 else +a,
    lambda m, a: m.delete(a, 1, axis=0).copy(),
    lambda m, a: m.insert(a, 1, 2.0, axis=0).copy(),
    lambda m, a: m.meshgrid(a.ravel(), a.ravel()[:2], indexing="ij")[0],
    lambda m, a: m.gradient(a, axis=-1).copy(),
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
    lambda m, a: m.reshape(a.ravel()[1:2], ()),
    lambda m, a: (a * 1j)[-1, ...].imag,
    lambda m, a: a.ravel()[1, ...].T,
    lambda m, a: m.asarray(a.ravel()[1, ...]),
    lambda m, a: a.ravel()[1, ...].ravel(),
    lambda m, a: a.ravel()[1],
    lambda m, a: a.ravel()[1][None],
    lambda m, a: m.atleast_1d(a.ravel()[1]),
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


def views_program(seed, steps=8):
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


# --- Rows by seed ---


def of_writes(seed):
    run = writing_program(seed)
    return lambda m: lambda x, y: run(m, x, y)


def of_memory(seed):
    run = memory_program(seed)
    return lambda m: lambda x, y: run(IN_NUMPY if m is np else IN_ENGINE, x, y)


def of_entries(seed):
    return lambda m: partial(entries_program(seed), m)


def of_views(seed):
    return lambda m: partial(views_program(seed), m)


KINDS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "writes": (of_writes, ((3, 3), (2, 3))),
    "memory": (of_memory, ((2, 3), (3,))),
    "entries": (of_entries, ((SIZE,),)),
    "views": (of_views, ((3, 2), (4,))),
}


def row_of(kind: str, seed: int) -> Program:
    """The program of a seed; the first argument is in either order."""
    make, shapes = KINDS[kind]
    run, draw = make(seed), np.random.default_rng(seed + 10**6)
    args = tuple(draw.normal(size=shape).copy("CF"[seed % 2]) for shape in shapes)
    return Program(f"{kind} {seed}", run(tnp), run(np), args, frozenset({"writes"}))


# Where a program decides something by its values, has an order that tangents do not share, or writes
# into its argument, or into lanes of another library.
REFUSALS = (BatchingError, OptionError, InPlaceError, LostGradientError)
OF_NUMPY = [*SINGLE, *CHAINS]
ROUGH = ("views 32",)  # of which differences say nothing


def copying(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of copies, in the order of the arguments, which a checkpoint has read-only."""
    return lambda *args: function(*[x.copy("K") for x in args])


def check_ways(kind: str, refused: list[str], seed: int) -> None:
    """Ways that are drawn are right, or refused."""
    row = row_of(kind, seed)
    copied = Program(
        row.name, copying(row.function), copying(row.plain), row.arguments, row.marks, row.table
    )
    cases = {False: Case(row), True: Case(copied)}
    # as the order of Fortran is, and an array of no entries that is written to
    is_of_numpy = kind in ("views", "writes") or seed % 2 == 1
    ways = OF_NUMPY if is_of_numpy else [*OF_NUMPY, *(way for _, way in ON_ARRAYS)]
    drawn = random.Random(row.name).sample(ways, 0 if row.name in ROUGH else WAYS_OF_EACH)
    for way in filter(attrgetter("is_there"), drawn):
        try:
            way.check(cases[way.name == "pullback of a checkpoint"])
        except REFUSALS:
            refused.append(way.name)
        except Exception as error:
            error.add_note(way.name)
            raise


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", groups(COUNT, ORDINARILY, PER_TEST, LONG))
def test_derivatives(first, kind):
    refused: list[str] = []
    check_each(partial(check_ways, kind, refused), first, PER_TEST)
    assert len(refused) < PER_TEST * WAYS_OF_EACH / 2


def check_facts(seed: int) -> None:
    """Memory in lanes, of which a program of views depends, is that of one example."""
    run, draw = views_program(seed), np.random.default_rng(seed)
    lanes = [draw.normal(size=(LANES, *shape)) for shape in KINDS["views"][1]]
    seen: dict[Any, Any] = {}

    def noting(m):
        return lambda x, y: run(m, x, y, lambda arrays: seen.setdefault(m, facts(arrays)))

    expected = [noting(np)(*args) for args in zip(*map(np.copy, lanes), strict=True)]
    np.testing.assert_allclose(vmap(noting(tnp))(*lanes), expected, rtol=1e-9, atol=1e-10)
    assert seen[np] == seen[tnp]


@pytest.mark.parametrize("first", groups(4000, 50, 50, 1000))
def test_memory_in_lanes(first):
    check_each(check_facts, first, 50)


def check_plain_call(seed: int) -> None:
    """Without a derivative, a program has NumPy's value and writes what NumPy writes."""
    run, args = memory_program(seed), row_of("memory", seed).args()
    theirs, ours = ([a.copy("K") for a in args] for _ in range(2))
    np.testing.assert_allclose(
        run(IN_ENGINE, *ours), run(IN_NUMPY, *theirs), rtol=1e-12, atol=1e-13
    )
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("first", groups(3000, 50, 50))
def test_plain_calls(first):
    check_each(check_plain_call, first, 50)
