"""Joining arrays: each receives its own stretch of the cotangent, as a view.

Every function here but `stack` is a concatenation of the arrays in another shape along one axis. So
an adjoint says which shape each array has inside the result, and along which axis.
"""

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from chainrules_py import ZERO, Array, ProjectTo, Scalar, Space, is_zero, unthunk
from chainrules_py.makers import Linearised, LinearMap, linear_rule, linearised_rule
from chainrules_py.makers.joint import Sequences, Spaces, dense_dot, densified
from chainrules_py.tangents import entries, with_entries
from chainrules_py.values.arrays import library_of_types, shape_of
from chainrules_py.values.structure import fields

Shape = tuple[int, ...]


def stretches(
    y_bar: Any, arrays: Sequence[Space], shapes: Sequence[Shape], axis: int, xp: Any
) -> Iterator[Any]:
    """The stretch of each array, which has one of `shapes` inside the result, in the array's own
    shape.
    """
    axis = operator.index(axis) % y_bar.ndim
    stop = 0
    for array, shape in zip(arrays, shapes, strict=True):
        start, stop = stop, stop + shape[axis]
        stretch = y_bar[(*(slice(None),) * axis, slice(start, stop))]
        yield stretch if shape == array.shape else xp.reshape(stretch, array.shape)


@linear_rule(np.concatenate)
def concatenate_adjoint(
    y_bar: Any,
    arrays: Spaces,
    *,
    axis: int | None = 0,
    dtype: Any = None,
    casting: str = "same_kind",
    xp: Any,
) -> list[Any]:
    """Cuts the cotangent into the arrays' stretches of an axis, or of the flat result where there
    is no axis.
    """
    shapes = [(a.size,) for a in arrays] if axis is None else [a.shape for a in arrays]
    return list(stretches(y_bar, arrays, shapes, 0 if axis is None else axis, xp))


@linear_rule(np.stack)
def stack_adjoint(
    y_bar: Any,
    arrays: Spaces,
    *,
    axis: int = 0,
    dtype: Any = None,
    casting: str = "same_kind",
    xp: Any,
) -> list[Any]:
    """Cuts the cotangent into slices of the new axis."""
    before = (slice(None),) * (operator.index(axis) % y_bar.ndim)
    return [y_bar[(*before, k)] for k in range(len(arrays))]


@linear_rule(np.vstack)
def vstack_adjoint(
    y_bar: Any, arrays: Spaces, *, dtype: Any = None, casting: str = "same_kind", xp: Any
) -> list[Any]:
    """Cuts the cotangent into the arrays' rows; a vector was one row."""
    return list(
        stretches(
            y_bar,
            arrays,
            [(1, *(a.shape or (1,))) if a.ndim < 2 else a.shape for a in arrays],
            0,
            xp,
        )
    )


@linear_rule(np.hstack)
def hstack_adjoint(
    y_bar: Any, arrays: Spaces, *, dtype: Any = None, casting: str = "same_kind", xp: Any
) -> list[Any]:
    """Cuts the cotangent along the second axis; of vectors along their only one."""
    return list(
        stretches(y_bar, arrays, [a.shape or (1,) for a in arrays], 0 if y_bar.ndim == 1 else 1, xp)
    )


@linear_rule(np.dstack)
def dstack_adjoint(y_bar: Any, arrays: Spaces, *, xp: Any) -> list[Any]:
    """Cuts the cotangent along the third axis; vectors were (1, n, 1) there, matrices (m, n, 1)."""
    return list(stretches(y_bar, arrays, [_depth_shape(a.shape) for a in arrays], 2, xp))


def _depth_shape(shape: Shape) -> Shape:
    if len(shape) < 2:
        return (1, *(shape or (1,)), 1)
    return (*shape, 1) if len(shape) == 2 else shape


@linear_rule(np.column_stack)
def column_stack_adjoint(y_bar: Any, arrays: Spaces, *, xp: Any) -> list[Any]:
    """Cuts the cotangent into the arrays' columns; a vector was one column."""
    return list(
        stretches(
            y_bar,
            arrays,
            [(*(a.shape or (1,)), 1) if a.ndim < 2 else a.shape for a in arrays],
            1,
            xp,
        )
    )


@linearised_rule(np.append)
def append_linearised(
    arr: Array | Scalar, values: Array | Scalar, *, axis: int | None = None, xp: Any
) -> Linearised:
    """A concatenation of two."""
    y = xp.append(arr, values, axis=axis)
    spaces = ProjectTo(arr), ProjectTo(values)
    shapes = [(space.size,) if axis is None else space.shape for space in spaces]
    along = 0 if axis is None else axis

    def of_part(k: int) -> LinearMap:
        def append_pushforward(dot: Any) -> Any:
            return xp.append(*densified({k: dot}, (arr, values), y.dtype), axis=axis)

        def append_pullback(y_bar: Any) -> Any:
            return list(stretches(y_bar, spaces, shapes, along, xp))[k]

        return LinearMap(append_pushforward, append_pullback)

    return y, of_part(0), of_part(1)


# --- Nested lists: joined from the inside out ---


@linearised_rule(np.block)
def block_linearised(arrays: Sequences | Array | Scalar) -> Linearised:
    """The innermost lists are joined along the last axis, the next ones along the one before it,
    and so on.
    """
    xp, shapes = library_of_types(_leaf_types(arrays)).namespace, _shapes(arrays)
    y = xp.block(arrays)
    return y, LinearMap(
        lambda dot: xp.block(_dense_nest(dot, arrays, y.dtype, xp)),
        lambda y_bar: _cut(y_bar, shapes, _depth(shapes), xp),
    )


def _shapes(arrays: Any) -> Any:
    return [_shapes(array) for array in arrays] if isinstance(arrays, list) else shape_of(arrays)


def _depth(shapes: Any) -> int:
    return 1 + _depth(shapes[0]) if isinstance(shapes, list) else 0


def _cut(y_bar: Any, shapes: Any, depth: int, xp: Any) -> Any:
    """The cotangents of nested arrays of these shapes, each cut out of that of the whole."""
    if not isinstance(shapes, list):
        return xp.reshape(y_bar, shapes)
    bars, stop = {}, 0
    for k, part in enumerate(shapes):
        start, stop = stop, stop + _length(part, depth)
        bars[k] = _cut(
            y_bar[(..., slice(start, stop), *(slice(None),) * (depth - 1))], part, depth - 1, xp
        )
    return with_entries(list, bars)


def _length(shapes: Any, depth: int) -> int:
    """The length of a block along the axis -depth, that of each array in it."""
    while isinstance(shapes, list):
        shapes = shapes[0]
    return shapes[-depth] if depth <= len(shapes) else 1


def _leaf_types(arrays: Any) -> Iterator[type]:
    if isinstance(arrays, list):
        for array in arrays:
            yield from _leaf_types(array)
    else:
        yield type(arrays)


def _dense_nest(dot: Any, arrays: Any, dtype: Any, xp: Any) -> Any:
    if not isinstance(arrays, list):
        return dense_dot(unthunk(dot), arrays, dtype, xp)
    dots = {} if is_zero(dot) else entries(dot)
    return [_dense_nest(dots.get(k, ZERO), array, dtype, xp) for k, array in fields(arrays).items()]
