"""Random programs that write into arrays, and what can be said of the memory of these.

A program draws its steps from a seed: it makes arrays of others, copies, orders and views them, reads
entries, and writes in all ways that NumPy has, on a few small arrays, which it makes by a namespace
that it is given. What two arrays share, and in which order an array lies, decides about its value.
"""

import operator
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from chainrules_tape.in_place.known_layouts import memory_of as in_numpys_memory
from chainrules_tape.refusals.handles import TracedArray

Array = Any
Made = Callable[[Any, Array], Any]
LARGEST, MOST = 30, 6  # entries of an array, and arrays that a program has

# --- Memory ---


def memory_of(x):
    """The plain array that a value stands for, in the memory that it has by now."""
    if not issubclass(type(x), TracedArray):
        return in_numpys_memory(x)
    is_older_than_writes = not x.is_stored and x.level is not None and x.level.written is not None
    if is_older_than_writes:
        x.level.written.follow(x)
    return in_numpys_memory(x)


def strides_of(a: np.ndarray) -> tuple[int, ...]:
    """How far apart entries are, along the axes that have several."""
    return (
        tuple(stride for stride, n in zip(a.strides, a.shape, strict=True) if n > 1)
        if a.size
        else ()
    )


def is_array(a) -> bool:
    """Whether a value is an array, and not a number."""
    return not a.is_number if issubclass(type(a), TracedArray) else isinstance(a, np.ndarray)


def is_writeable(a) -> bool:
    """Whether an array may be written to; NumPy warns of those that have an entry several times,
    and others refuse.
    """
    a = in_numpys_memory(a)
    return 0 not in strides_of(a) and bool(a.flags.writeable)


def in_one_lane(a):
    """The plain array of one example, in the memory that it has by now."""
    found = memory_of(a)
    in_lanes = issubclass(type(a), TracedArray) and a.in_lanes and not a.is_stored
    return found[0] if in_lanes else found


def memory_facts(values: list[Any]) -> dict[str, Any]:
    """All that can be said of the memory of one example: which values are arrays, their strides, who
    may be written to, and who shares with whom.
    """
    arrays = list(filter(is_array, values))
    memories = list(map(memory_of, arrays))
    return {
        "arrays": list(map(is_array, values)),
        "strides": [strides_of(in_one_lane(a)) for a in arrays],
        "writeable": list(map(is_writeable, arrays)),
        "shares": [[bool(np.shares_memory(a, b)) for b in memories] for a in memories],
    }


# --- What a step may do, where NumPy takes the shape and the dtype ---

MASK = np.array([True, False, True])
MATRIX = np.array([[2.0, 0.3, 0.0], [0.1, 1.5, 0.2], [0, 0.4, 1]])
MAKERS: tuple[Made, ...] = (
    lambda m, a: m.array(a),
    lambda m, a: m.array(a, copy=True),
    lambda m, a: m.array(a, copy=None),
    lambda m, a: m.array(a, a.dtype, copy=None, order="F"),
    lambda m, a: m.array(a, order="C"),
    lambda m, a: m.array(a, order="F"),
    lambda m, a: m.array(a, order="K"),
    lambda m, a: m.array(a, ndmin=3),
    lambda m, a: m.array(a, copy=None, ndmin=3),
    lambda m, a: m.array([a, a]),
    lambda m, a: m.copy(a),
    lambda m, a: m.copy(a, order="F"),
    lambda m, a: m.copy(a, "C"),
    lambda m, a: m.asarray(a, a.dtype, copy=True),
    lambda m, a: m.asanyarray(a, order="F"),
    lambda m, a: m.asarray_chkfinite(a, order="F"),
    lambda m, a: m.require(a, requirements=["F"]),
    lambda m, a: m.require(a, a.dtype, ["C", "W"]),
    lambda m, a: a.copy(),
    lambda m, a: a.copy("F"),
    lambda m, a: a.copy(order="K"),
    lambda m, a: a.copy("A"),
    lambda m, a: a.flatten(),
    lambda m, a: a.flatten("F"),
    lambda m, a: m.reshape(a, -1, copy=True),
    lambda m, a: a.astype(a.dtype),
    lambda m, a: a.astype(a.dtype, copy=False),
    lambda m, a: a.astype(a.dtype, order="F"),
    lambda m, a: m.astype(a, a.dtype, copy=False),
    lambda m, a: a.conj(),
    lambda m, a: m.real(a),
    lambda m, a: m.real_if_close(a),
    lambda m, a: +a,
    lambda m, a: m.positive(a),
    lambda m, a: a * 0.5,
    lambda m, a: a * a[:1] + 0.5,
    lambda m, a: a * np.arange(a.shape[-1]),
    lambda m, a: m.square(a) - a,
    lambda m, a: a / (1.0 + m.square(a.real)),
    lambda m, a: m.sin(a),
    lambda m, a: m.exp(1j * a.real) * a,
    lambda m, a: m.where(a.real > 0.1, a, 0.3 * a),
    lambda m, a: m.zeros_like(a),
    lambda m, a: m.ones_like(a, order="F"),
    lambda m, a: m.full_like(a, 0.5),
    lambda m, a: m.full_like(a, a.ravel()[0]),
    lambda m, a: m.full(a.shape, a),
    lambda m, a: m.full((2, 3), a.ravel()[-1], order="F"),
    lambda m, a: m.zeros((2, 3), a.dtype, order="F"),
    lambda m, a: m.ones((3, 2), float),
    lambda m, a: m.eye(3, 2, dtype=float, order="F"),
    lambda m, a: m.diff(a, 0),
    lambda m, a: m.einsum("...->...", a),
    lambda m, a: m.einsum("...i->i...", a) * 0.5,
    lambda m, a: m.concatenate([a, a[:1]]),
    lambda m, a: m.stack([a, a], axis=-1),
    lambda m, a: m.roll(a, 1, axis=0),
    lambda m, a: m.tile(a, 1),
    lambda m, a: m.repeat(a, 1, axis=0),
    lambda m, a: m.take(a, [1, 0], axis=-1),
    lambda m, a: m.compress([True, True], a, axis=0),
    lambda m, a: m.cumsum(a, axis=0),
    lambda m, a: m.sum(a, axis=0, keepdims=True),
    lambda m, a: m.outer(a, a[:2]),
    lambda m, a: a @ a.T,
    lambda m, a: m.dot(a.T, a),
    lambda m, a: MATRIX @ a[:3],
    lambda m, a: m.linalg.solve(MATRIX, a[:3]),
    lambda m, a: m.linalg.solve(m.outer(a.ravel()[:2], [0.1, 0.2]) + 2 * np.eye(2), a.ravel()[:2]),
    lambda m, a: m.correlate(a.ravel()[:2], a.ravel(), "full"),
    lambda m, a: m.delete(a, 1, axis=0).copy(),
    lambda m, a: m.insert(a, 1, 2.0, axis=0).copy(),
    lambda m, a: m.gradient(a, axis=-1).copy(),
    lambda m, a: m.meshgrid(a.ravel(), a.ravel()[:2], indexing="ij")[0],
    lambda m, a: a[[0, -1]],
    lambda m, a: a[np.array([[0, 1], [1, 0]])],
    lambda m, a: a[:, [0, -1]],
    lambda m, a: a[[0, 1], 1:],
    lambda m, a: a[[1, 0], [0, 1]],
    lambda m, a: a[0, ..., [0, 1]],
    lambda m, a: a[:3][MASK],
)
VIEWS: tuple[Made, ...] = (
    lambda m, a: m.asarray(a),
    lambda m, a: m.asarray(a, order="F"),
    lambda m, a: m.asarray(a, order="C"),
    lambda m, a: m.ascontiguousarray(a),
    lambda m, a: m.asfortranarray(a),
    lambda m, a: m.ravel(a),
    lambda m, a: a.ravel("F"),
    lambda m, a: a.reshape(-1),
    lambda m, a: a.reshape(-1, order="F"),
    lambda m, a: m.reshape(a, a.shape[::-1], order="F"),
    lambda m, a: a.T,
    lambda m, a: m.swapaxes(a, 0, 1),
    lambda m, a: m.moveaxis(a, 0, -1),
    lambda m, a: m.flip(a, 1),
    lambda m, a: m.rot90(a, 0),
    lambda m, a: a[...],
    lambda m, a: a[None],
    lambda m, a: a[..., None],
    lambda m, a: a[1:],
    lambda m, a: a[:2],
    lambda m, a: a[::2],
    lambda m, a: a[::-1],
    lambda m, a: a[:, ::-1],
    lambda m, a: a[1:, 1:],
    lambda m, a: a[0],
    lambda m, a: a[..., 0],
    lambda m, a: a.ravel()[1],
    lambda m, a: m.atleast_3d(a),
    lambda m, a: m.squeeze(a[:1]),
    lambda m, a: m.expand_dims(a, 1)[:, 0],
    lambda m, a: m.split(a, [1], axis=-1)[1],
    lambda m, a: m.ix_(a.ravel()[:3], a.ravel()[:2])[1],
    lambda m, a: m.broadcast_to(a, (2, *a.shape)),
    lambda m, a: a.diagonal(),
    lambda m, a: m.diagonal(a, 1),
    lambda m, a: a.real,
    lambda m, a: (a * 1j).imag,
)
# Arrays without axes, new ones of an entry that may be plain, what PyTorch does not have, and whose order
# is that of the argument, which tangents do not share.
OF_NUMPY_ALONE: tuple[Made, ...] = (
    lambda m, a: m.broadcast_to(a.ravel()[0], (2, 2)) * 1.0,
    lambda m, a: a.ravel()[1][None],
    lambda m, a: m.atleast_1d(a.ravel()[1]),
    lambda m, a: np.asfortranarray(np.ones((2, *a.shape))) * a,
    lambda m, a: m.quantile(a.ravel(), [0.2, 0.5]),
    lambda m, a: a[(0,) * a.ndim + (...,)],
    lambda m, a: a.ravel()[1, ...].T,
    lambda m, a: a.ravel()[1, ...].ravel(),
    lambda m, a: a.ravel()[1:2].reshape(()),
    lambda m, a: m.asarray(a.ravel()[1, ...]),
    lambda m, a: (a * 1j)[-1, ...].imag,
    lambda m, a: a.flatten("K"),
    lambda m, a: m.pad(a, 1),
    lambda m, a: a.astype(a.dtype, order="A"),
    lambda m, a: a.ravel("K"),
    lambda m, a: a.ravel("A"),
    lambda m, a: m.reshape(a, -1, order="A"),
)


def index_of(draw, shape: tuple[int, ...]):
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
        return (draw.random(n) < 0.5).tolist()
    return (..., int(draw.integers(shape[-1])))


def at_an_index(a: Array, v, draw) -> None:
    """One value for all entries, for those of a row, or for each, with an axis more here and there."""
    index = index_of(draw, a.shape)
    region = np.zeros(a.shape)[index].shape
    shapes = ((), region, region[1:], (1, *region))
    a[index] = v(shapes[int(draw.integers(4 if region and type(index) in (int, slice) else 3))])


def swap(a: Array, i: int, j: int) -> None:
    a[i], a[j] = a[j], a[i]


def accumulate(a: Array) -> None:
    """Write into views in a loop."""
    for i in range(a.shape[0] - 1):
        a[i : i + 2] += a[i + 1] * 0.3


WRITES: tuple[Callable[..., Any], ...] = (
    lambda a, v, draw: operator.imul(a, 0.5),
    lambda a, v, draw: operator.iadd(a, v(a.shape)),
    lambda a, v, draw: operator.isub(a, 0.3 * v(a.shape[1:])),
    lambda a, v, draw: operator.imul(a, np.cos(v(()))),
    lambda a, v, draw: operator.itruediv(a, 2.0 + np.sin(v(a.shape))),
    lambda a, v, draw: operator.imul(a.reshape(-1)[:1], -0.5),  # of a view, or of a copy
    lambda a, v, draw: np.add(a, v(a.shape[1:]), out=a),
    lambda a, v, draw: np.multiply(a, v(()), out=a),
    lambda a, v, draw: np.subtract(v(()), a, a),
    lambda a, v, draw: np.sin(v(a.shape), out=a),
)
OF_AXES = (
    lambda a, v, draw: a.fill(v(())),
    lambda a, v, draw: np.copyto(a, v(a.shape), where=draw.random(a.shape) < 0.5),
    lambda a, v, draw: np.copyto(a, v(a.shape[1:]), casting="unsafe"),
    lambda a, v, draw: np.put(a, draw.integers(-a.size, a.size, size=4), v((3,))),
    lambda a, v, draw: np.putmask(a, draw.random(a.shape) < 0.5, v((2,))),
    lambda a, v, draw: np.place(a, draw.random(a.shape) < 0.5, v((2,))),
    lambda a, v, draw: np.put_along_axis(
        a, draw.integers(0, a.shape[-1], size=(*a.shape[:-1], 2)), v((*a.shape[:-1], 2)), -1
    ),
    lambda a, v, draw: np.fill_diagonal(a, v((min(a.shape),))),
    lambda a, v, draw: np.add.at(a, draw.integers(0, a.shape[0], size=4), v((4, *a.shape[1:]))),
    lambda a, v, draw: a.real.sort(),
    lambda a, v, draw: swap(a, *map(int, draw.integers(0, a.shape[0], size=2))),
    lambda a, v, draw: accumulate(a),
    *4 * (at_an_index,),
)
OF_COMPLEX = (
    lambda a, v, draw: setattr(a, "real", v(a.shape).real),
    lambda a, v, draw: setattr(a, "imag", v(a.shape).real),
)


def is_taken(function: Callable[..., Any], *args) -> bool:
    """Whether NumPy takes such arguments, without a warning."""
    with warnings.catch_warnings(action="error"), np.errstate(all="ignore"):
        try:
            function(*args)
        except Exception:
            return False
    return True


@cache
def takers(makers: tuple[Made, ...], shape, dtype) -> list[Made]:
    """Those of some functions that take an array of a shape and a dtype."""
    return [make for make in makers if is_taken(make, np, np.ones(shape, dtype))]


@cache
def writes_into(shape, dtype) -> list[Any]:
    """The writes that an array of a shape and a dtype takes."""
    ones, every = np.ones(shape, dtype), [*WRITES]
    every += OF_AXES if shape else ()
    every += OF_COMPLEX if dtype.kind == "c" else ()
    given = ones, lambda shape: np.ones(shape, dtype)[()], np.random.default_rng(0)
    return [write for write in every if is_taken(write, *given)]


def one_of(draw, choices):
    return choices[int(draw.integers(len(choices)))]


def real_of(value):
    """Real numbers in which all of a complex value is."""
    return value.real - 0.5 * value.imag if value.dtype.kind == "c" else value


def entry(draw, source: Array):
    """A real number of one entry of an array, read as programs read it."""
    index = tuple(int(draw.integers(-n, n)) for n in source.shape)
    return real_of(source[index if len(index) > 1 else index[0]] if index else source)


def values_for(draw, source: Array, shape: tuple[int, ...], dtype):
    """Values of a shape and a dtype, each of one entry of a source."""
    if shape == ():
        entries, size = entry(draw, source), None
    else:
        size = int(np.prod(shape))
        entries = np.ravel(real_of(source))[draw.integers(0, source.size, size=size)]
    y = np.tanh(entries * draw.normal(size=size))
    if dtype.kind == "c":
        y = y + 1j * np.cos(entries * draw.normal(size=size))
    return y if shape == () else np.reshape(y, shape)


def program(seed: int, *, on_numpy: bool, steps: int = 12) -> Callable[..., Any]:
    """The program of a seed: a function of a namespace and of arrays, whose value is a number.

    On other libraries than NumPy its arrays have axes. What it hands to `observe` at its end are all
    the arrays that it has.
    """
    views, least_axes = ((*VIEWS, *OF_NUMPY_ALONE), 0) if on_numpy else (VIEWS, 1)

    def run(m, *args: Array, observe: Callable[[list[Array]], object] = lambda arrays: None):
        draw = np.random.default_rng(seed)
        arrays, total = list(args), 0.0
        for _ in range(steps):
            # mostly a late one: what shares memory is made one after the other
            a = arrays[max(int(draw.integers(len(arrays))) for _ in range(2))]
            source = one_of(draw, arrays)
            kind = draw.random()
            if kind < 0.5 and a.ndim:  # of what has no axes, NumPy makes now arrays, now numbers
                make = one_of(draw, takers(MAKERS if kind < 0.25 else views, a.shape, a.dtype))
                arrays.append(make(m, a))
            elif kind < 0.9 and is_array(a) and is_writeable(a):

                def values(shape, dtype=a.dtype, source: Array = source):
                    return values_for(draw, source, shape, dtype)

                one_of(draw, writes_into(a.shape, a.dtype))(a, values, draw)
            else:
                total = total + np.tanh(entry(draw, a) * entry(draw, source))
            arrays = [a for a in arrays if 0 < a.size <= LARGEST and least_axes <= a.ndim < 4]
            if len(arrays) > MOST:
                arrays.pop(int(draw.integers(len(arrays))))
        for a in arrays:
            total = total + np.sum(np.sin(real_of(a)) * draw.normal(size=a.shape))
        observe(arrays)
        return total

    return run
