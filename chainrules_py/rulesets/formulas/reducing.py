"""The parts that all reductions have in common.

They are the axes that are reduced, how these come back, and weighted sums over them.
"""

import operator
from collections.abc import Callable
from functools import lru_cache
from math import prod
from types import NoneType
from typing import Any

import numpy as np

from chainrules_py import LinearMap, OptionError, Space
from chainrules_py.makers.products import selected_product

_HASHABLE = (int, NoneType, tuple)
# whose memory one may look at in another shape
_CONTIGUOUS = frozenset({np.ndarray, np.float64, np.float32})
# the length of rows, and their number, from which NumPy's arithmetic is slow with repeated ones
_SHORT, _MANY = 16, 100
# bytes that stay in a cache; written to memory, repeated rows are slower than a view
_FITTING = 2**20
# entries that are written in less time than broadcast_to takes
_FEW = 1024


def given(**options) -> dict[str, Any]:
    """The options that were given: a primal's own defaults differ from library to library."""
    return {name: value for name, value in options.items() if value is not None}


def reduced_axes(axis, ndim: int) -> tuple[int, ...]:
    """The axes that a reduction runs over, counted from the front.

    A number has none, though NumPy takes 0 and -1 for it.
    """
    if axis is None or not ndim:
        return tuple(range(ndim))
    return tuple(
        operator.index(a) % ndim for a in (axis if isinstance(axis, tuple | list) else (axis,))
    )


def hashable(axis) -> Any:
    """An axis, or several, for functions that remember what they found.

    An array of one axis is that axis.
    """
    return tuple(axis) if isinstance(axis, list) else operator.index(axis)


def restore_axes(y_bar, x: Space, axis, keepdims: bool, xp) -> Any:
    """A value of a reduction's output with the reduced axes back, at length one."""
    if keepdims or not x.shape:
        return y_bar
    y_bar = y_bar if hasattr(y_bar, "reshape") else xp.asarray(y_bar)  # a Python number
    return y_bar.reshape(_shape_over(x.shape, axis if type(axis) in _HASHABLE else hashable(axis)))


@lru_cache(maxsize=512)
def _shape_over(shape: tuple[int, ...], axis) -> tuple[int, ...]:
    """The shape of a reduction's output with the reduced axes at length one."""
    reduced = reduced_axes(axis, len(shape))
    return tuple(1 if a in reduced else length for a, length in enumerate(shape))


def spread_over(y_bar, x: Space, axis, keepdims: bool, xp) -> Any:
    """A value of a reduction's output, broadcast over what was reduced.

    It is nearly always a view, which is not to be written.
    """
    if type(y_bar) in _CONTIGUOUS and (not y_bar.ndim or y_bar.flags.c_contiguous):
        axis = axis if type(axis) in _HASHABLE else hashable(axis)
        y_shape, strides, repeats = _strides_over(x.shape, axis, keepdims, y_bar.itemsize)
        if y_bar.shape == y_shape:
            # (5000, 10): written out and multiplied with an array in 12.5 us, where a view takes 19
            if repeats:
                return y_bar.repeat(repeats).reshape(x.shape)
            # 0.25 us, where broadcast_to takes 1.8
            view = np.ndarray(x.shape, y_bar.dtype, y_bar, 0, strides)
            view.setflags(write=False)
            return view
    restored = restore_axes(y_bar, x, axis, keepdims, xp)
    if type(restored) is np.ndarray and prod(x.shape) <= _FEW:
        written = np.empty(x.shape, restored.dtype)
        written[...] = restored
        return written
    return xp.broadcast_to(restored, x.shape)


@lru_cache(maxsize=512)
def _strides_over(
    shape: tuple[int, ...], axis, keepdims: bool, itemsize: int
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """The shape of a reduction's output, strides that repeat it, being contiguous, over the shape
    of the input, and a count.

    That is how often each entry is repeated on the spot, where it is better written out: many short
    rows were reduced.
    """
    reduced = reduced_axes(axis, len(shape))
    strides, step = [], itemsize
    for a in reversed(range(len(shape))):
        strides.append(0 if a in reduced else step)
        step *= 1 if a in reduced else shape[a]
    kept = tuple(
        1 if a in reduced else n for a, n in enumerate(shape) if keepdims or a not in reduced
    )
    rows = reduced == (len(shape) - 1,) and 1 < shape[-1] < _SHORT and prod(kept) >= _MANY
    return kept, tuple(reversed(strides)), shape[-1] if rows and step * shape[-1] <= _FITTING else 0


def count_of(x: Space, axis, where, xp) -> Any:
    """How many entries are reduced into one: a number, or with a mask an array with the reduced
    axes at length one.
    """
    if where is not None:
        return xp.sum(xp.broadcast_to(where, x.shape), axis=axis, keepdims=True)
    return _count_over(x.shape, axis if type(axis) in _HASHABLE else hashable(axis))


@lru_cache(maxsize=512)
def _count_over(shape: tuple[int, ...], axis) -> int:
    """How many entries are reduced into one."""
    return prod(shape[a] for a in reduced_axes(axis, len(shape))) if shape else 1


def mask_of(where, xp) -> Any:
    """The mask of a reduction as an array of booleans.

    It is None for True, with which nothing is left out.

    NumPy's functions do not agree about what else None, numbers and strings mean.
    """
    if where is True:
        return None
    mask = where if hasattr(where, "dtype") or where is None else xp.asarray(where)
    if mask is None or mask.dtype.kind != "b":
        instead = "pass an array of booleans, or leave it out to reduce all entries"
        raise OptionError(
            "the where= of a reduction",
            f"got {where!r}",
            instead,
            primal=None,
            option="where",
            value=where,
        )
    return mask


def masked(value, where, xp) -> Any:
    """The value where the mask says so, zero elsewhere."""
    return value if where is None else xp.where(where, value, 0)


def weighted_sum(weights: Callable[[], Any], x: Space, axis, keepdims: bool, xp) -> LinearMap:
    """y_dot = sum(weights * x_dot), x_bar = conj(weights) * y_bar.

    The weights are computed when they are wanted.

    An entry of which the weight is zero does not count, whatever its tangent is.
    """

    def reduction_pushforward(x_dot):
        return xp.sum(selected_product(x_dot, weights()), axis=axis, keepdims=keepdims)

    def reduction_pullback(y_bar):
        found = weights()
        conjugated = xp.conj(found) if found.dtype.kind == "c" else found
        return selected_product(restore_axes(y_bar, x, axis, keepdims, xp), conjugated)

    return LinearMap(reduction_pushforward, reduction_pullback)
