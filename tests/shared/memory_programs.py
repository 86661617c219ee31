"""Random programs of copies, orders, views and writes, to be run by NumPy and by an engine.

What two arrays share, and in which order an array lies, decides about the values of such a program.
It has no branches and computes polynomials alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import chainrules_tape.numpy as tnp
from chainrules_tape.in_place.known_layouts import memory_of as in_numpys_memory
from chainrules_tape.refusals.handles import TracedArray
from in_place_programs import index_of, setting, view_of

Array = Any
Made = Callable[["Machine", Array], Any]


@dataclass(frozen=True)
class Machine:
    """The namespace by which a program makes arrays."""

    np: Any


IN_NUMPY, IN_ENGINE = Machine(np), Machine(tnp)


def memory_of(x: Any) -> Any:
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


def is_writeable(a: Any) -> bool:
    """Whether an array may be written to; NumPy warns of those that have an entry several times,
    and others refuse.
    """
    a = in_numpys_memory(a)
    return 0 not in strides_of(a) and bool(a.flags.writeable)


def memory_facts(arrays: list[Any]) -> dict[str, Any]:
    """All that can be said of the memory of arrays: strides, who may be written to, and who shares
    with whom.
    """
    plain_arrays = [memory_of(x) for x in arrays]
    return {
        "strides": [strides_of(a) for a in plain_arrays],
        "writeable": [is_writeable(a) for a in plain_arrays],
        "shares": [[bool(np.shares_memory(a, b)) for b in plain_arrays] for a in plain_arrays],
    }


# --- What a step may do ---

MAKERS: tuple[Made, ...] = (
    lambda m, a: m.np.array(a),
    lambda m, a: m.np.array(a, copy=True),
    lambda m, a: m.np.array(a, copy=None),
    lambda m, a: m.np.array(a, float, copy=None, order="F"),
    lambda m, a: m.np.array(a, order="C"),
    lambda m, a: m.np.array(a, order="F"),
    lambda m, a: m.np.array(a, ndmin=3),
    lambda m, a: m.np.array(a, copy=None, ndmin=3),
    lambda m, a: m.np.array([a, a]),
    lambda m, a: m.np.copy(a),
    lambda m, a: m.np.copy(a, order="F"),
    lambda m, a: m.np.copy(a, "C"),
    lambda m, a: m.np.asarray(a),
    lambda m, a: m.np.asarray(a, order="F"),
    lambda m, a: m.np.asarray(a, order="C"),
    lambda m, a: m.np.asarray(a, float, copy=True),
    lambda m, a: m.np.asanyarray(a, order="F"),
    lambda m, a: m.np.ascontiguousarray(a),
    lambda m, a: m.np.asfortranarray(a),
    lambda m, a: m.np.asarray_chkfinite(a, order="F"),
    lambda m, a: m.np.require(a, requirements=["F"]),
    lambda m, a: m.np.require(a, float, ["C", "W"]),
    lambda m, a: a.copy(),
    lambda m, a: a.copy("F"),
    lambda m, a: a.copy(order="K"),
    lambda m, a: a.copy("A"),
    lambda m, a: a.flatten(),
    lambda m, a: a.flatten("F"),
    lambda m, a: a.ravel("F"),
    lambda m, a: m.np.ravel(a),
    lambda m, a: a.reshape(-1),
    lambda m, a: a.reshape(-1, order="F"),
    lambda m, a: m.np.reshape(a, -1, copy=True),
    lambda m, a: a.astype(float),
    lambda m, a: a.astype(float, copy=False),
    lambda m, a: a.astype(float, order="F"),
    lambda m, a: m.np.astype(a, float, copy=False),
    lambda m, a: a.conj(),
    lambda m, a: a.real,
    lambda m, a: m.np.real(a),
    lambda m, a: m.np.real_if_close(a),
    lambda m, a: m.np.positive(a),
    lambda m, a: a * 0.5,
    lambda m, a: a * a,
    lambda m, a: m.np.square(a) - a,
    lambda m, a: m.np.zeros_like(a),
    lambda m, a: m.np.ones_like(a, order="F"),
    lambda m, a: m.np.full_like(a, 0.5),
    lambda m, a: m.np.full_like(a, a.ravel()[0]),
    lambda m, a: m.np.full(a.shape, a),
    lambda m, a: m.np.full((2, 3), a.ravel()[-1], order="F"),
    lambda m, a: m.np.zeros((2, 3), float, order="F"),
    lambda m, a: m.np.ones((3, 2), float),
    lambda m, a: m.np.eye(3, 2, dtype=float, order="F"),
    lambda m, a: a.T,
    lambda m, a: a[...],
    lambda m, a: a[None],
    lambda m, a: m.np.atleast_3d(a),
    lambda m, a: m.np.squeeze(a),
    lambda m, a: m.np.broadcast_to(a, (2, *a.shape)),
    lambda m, a: m.np.diff(a, 0),
    lambda m, a: m.np.einsum("...->...", a),
    lambda m, a: m.np.rot90(a, 0) if a.ndim > 1 else a,
    lambda m, a: m.np.concatenate([a, a]),
    lambda m, a: m.np.stack([a, a], axis=-1),
    lambda m, a: m.np.roll(a, 1, axis=0),
    lambda m, a: m.np.tile(a, 1),
    lambda m, a: m.np.repeat(a, 1, axis=0),
    lambda m, a: m.np.take(a, [0], axis=0),
    lambda m, a: m.np.cumsum(a, axis=0),
    lambda m, a: m.np.sum(a, axis=0, keepdims=True),
    lambda m, a: m.np.ix_(a.ravel()[:3], a.ravel()[:2])[1],
    lambda m, a: m.np.split(a, 1)[0],
    lambda m, a: a @ a.T if a.ndim < 3 else m.np.moveaxis(a, 0, -1),
    lambda m, a: m.np.dot(a.T, a) if a.ndim < 3 else m.np.swapaxes(a, 0, 1),
    lambda m, a: a[:, ::-1] if a.ndim > 1 else a[::-1],
    lambda m, a: a[:, [0]] if a.ndim > 1 else a[[0]],
)


def values_for(draw: Any, source: Array, shape: tuple[int, ...]) -> Any:
    """A value of this shape, in which each entry is a polynomial of one of a source."""
    size = int(np.prod(shape))
    picked = draw.integers(0, source.size, size=size)
    linear, square = draw.normal(size=(2, size)) * 0.3
    entries = source.reshape(-1)[picked]
    y = linear * entries + square * entries * entries
    return y[0] if shape == () else y.reshape(shape)


def write(draw: Any, m: Machine, a: Array, source: Array) -> None:
    """Write polynomials of the entries of one array into another, or into a part of it."""
    kind = int(draw.integers(8))
    if kind == 0:
        a *= 0.5
    elif kind == 1:
        a += values_for(draw, source, a.shape)
    elif kind == 2:
        np.add(a, values_for(draw, source, a.shape[1:]), out=a)
    elif kind == 3:
        a.reshape(-1)[:1] *= -0.5  # of a view, or of a copy
    elif kind == 4:
        np.copyto(a, values_for(draw, source, a.shape), where=draw.random(a.shape) < 0.5)
    elif kind == 5:
        a.fill(values_for(draw, source, ()))
    else:
        index = index_of(draw, a.shape)
        setting(index)(a, values_for(draw, source, np.zeros(a.shape)[index].shape))


def memory_program(seed: int, steps: int = 9) -> Callable[..., Any]:
    """The program of a seed: a function of a machine and of two arrays, whose value is a number.

    What it hands to `observe` at its end are all the arrays that it made.
    """

    def run(
        m: Machine,
        x: Array,
        y: Array,
        observe: Callable[[list[Array]], object] = lambda arrays: None,
    ) -> Any:
        draw = np.random.default_rng(seed)
        arrays = [x, y]
        total = 0.0
        for _ in range(steps):
            a = arrays[int(draw.integers(len(arrays)))]
            source = arrays[int(draw.integers(len(arrays)))]
            kind = draw.random()
            if kind < 0.4 and 0 < a.size < 40 and a.ndim < 4:
                made = MAKERS[int(draw.integers(len(MAKERS)))](m, a)
                arrays += [made] if made.ndim else []
            elif kind < 0.55 and 0 < a.ndim < 3 and a.size:
                made = view_of(draw, a.shape)(a)
                arrays += [made] if made.ndim else []
            elif kind < 0.9 and a.size and source.size and is_writeable(a):
                write(draw, m, a, source)
            elif a.size:
                total = total + np.sum(a * a * a * draw.normal(size=a.shape)) * 0.3
        for a in arrays:
            total = total + np.sum(values_for(draw, a, (3,))) if a.size else total
            total = total + np.sum(a * draw.normal(size=a.shape))
        observe(arrays)
        return total

    return run
