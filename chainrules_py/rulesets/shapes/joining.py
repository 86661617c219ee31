"""Joining arrays: each receives its own stretch of the cotangent, as a view.

Every function here but `stack` is a concatenation of the arrays in another shape along one axis. So
an adjoint says which shape each array has inside the result, and along which axis; functions that
are called less often say it by a body.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from chainrules_py import Space, composed
from chainrules_py.makers import linear_rule
from chainrules_py.makers.joint import Spaces
from chainrules_py.makers.lists import ArrayLike, array_of_list, arrays_in, placing
from chainrules_py.values.arrays import common_namespace, shape_of
from chainrules_py.values.structure import is_container

Shape = tuple[int, ...]


def stretches(y_bar, arrays: Sequence[Space], shapes: Sequence[Shape], axis: int, xp) -> list[Any]:
    """The stretch of each array, which has one of `shapes` inside the result, in the array's own
    shape.
    """
    axis = operator.index(axis) % y_bar.ndim
    before = (slice(None),) * axis
    found = []
    stop = 0
    for array, shape in zip(arrays, shapes, strict=True):
        start, stop = stop, stop + shape[axis]
        stretch = y_bar[(*before, slice(start, stop))] if axis else y_bar[start:stop]
        found.append(stretch if shape == array.shape else xp.reshape(stretch, array.shape))
    return found


@linear_rule(np.concatenate)
def concatenate_adjoint(
    y_bar,
    arrays: Spaces,
    *,
    axis: int | None = 0,
    dtype: Any = None,
    casting: str = "same_kind",
    xp,
) -> list[Any]:
    """Cuts the cotangent into the arrays' stretches of an axis, or of the flat result where there
    is no axis.
    """
    shapes = [(a.size,) for a in arrays] if axis is None else [a.shape for a in arrays]
    return stretches(y_bar, arrays, shapes, 0 if axis is None else axis, xp)


@linear_rule(np.stack)
def stack_adjoint(
    y_bar,
    arrays: Spaces,
    *,
    axis: int = 0,
    dtype: Any = None,
    casting: str = "same_kind",
    xp,
) -> list[Any]:
    """Cuts the cotangent into slices of the new axis."""
    axis = operator.index(axis) % y_bar.ndim
    if not axis:
        return [y_bar[k] for k in range(len(arrays))]
    before = (slice(None),) * axis
    return [y_bar[(*before, k)] for k in range(len(arrays))]


# --- Concatenations of arrays of other shapes ---


def arrays_of(sequence) -> tuple[list[Any], Any]:
    """The arrays of a sequence, with numbers and lists of them where the others are; and their
    namespace. The sequence may be an array, whose rows they are.
    """
    parts = list(sequence)
    xp = common_namespace(arrays_in(parts))
    if all(
        map(has_axes, parts)
    ):  # as nearly always: it takes a few operations to ask where they are
        return parts, xp
    beside = placing(parts, xp)
    return [array_beside(part, beside) for part in parts], xp


def has_axes(x) -> bool:
    """Whether something is an array that is no number."""
    return not is_container(x) and bool(shape_of(x))


def array_beside(x, beside: Callable[[Any], Any]) -> Any:
    """An array as it is, and one of a number or a list, which `beside` makes."""
    if is_container(x):
        return array_of_list(x, beside)
    return x if has_axes(x) else beside(x)


@composed(np.append)
def append(arr: ArrayLike, values: ArrayLike, *, axis: int | None = None) -> Any:
    """A concatenation of two, flat where there is no axis."""
    arrays, xp = arrays_of((arr, values))
    if axis is None:
        return xp.concatenate([xp.ravel(array) for array in arrays])
    return xp.concatenate(arrays, axis=axis)


@composed(np.vstack)
def vstack(tup: object, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """A vector is one row."""
    arrays, xp = arrays_of(tup)
    shapes = map(shape_of, arrays)
    rows = [
        array if len(shape) > 1 else xp.reshape(array, (1, *(shape or (1,))))
        for array, shape in zip(arrays, shapes, strict=True)
    ]
    return xp.concatenate(rows, axis=0, dtype=dtype, casting=casting)


@composed(np.hstack)
def hstack(tup: object, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Vectors are joined along their only axis, all others along the second one."""
    arrays, xp = arrays_of(tup)
    axis = 0 if len(shape_of(arrays[0])) < 2 else 1
    columns = [array if has_axes(array) else xp.reshape(array, (1,)) for array in arrays]
    return xp.concatenate(columns, axis=axis, dtype=dtype, casting=casting)


@composed(np.dstack)
def dstack(tup: object):
    """Vectors are (1, n, 1), and matrices (m, n, 1)."""
    arrays, xp = arrays_of(tup)
    return xp.concatenate([xp.atleast_3d(array) for array in arrays], axis=2)


@composed(np.column_stack)
def column_stack(tup: object) -> Any:
    """A vector is one column."""
    arrays, xp = arrays_of(tup)
    columns = [xp.reshape(x, (-1, 1)) if len(shape_of(x)) < 2 else x for x in arrays]
    return xp.concatenate(columns, axis=1)


@composed(np.block)
def block(arrays: object) -> Any:
    """The innermost lists are joined along the last axis, the next ones along the one before it,
    and so on.
    """
    leaves, depth = list(leaves_of(arrays)), depth_of(arrays)
    xp = common_namespace(leaves)
    rank = max([depth, *[len(shape_of(leaf)) for leaf in leaves]])
    if not depth:
        return xp.array(arrays, copy=True)
    return joined_blocks(arrays, depth, rank, placing(leaves, xp), xp)


def joined_blocks(blocks, depth: int, rank: int, beside: Callable[[Any], Any], xp) -> Any:
    """The array of nested lists of blocks, each of which gets `rank` axes."""
    if isinstance(blocks, list) != (depth > 0):
        raise ValueError("numpy.block: lists of blocks are not nested equally deep")
    if not depth:
        array = array_beside(blocks, beside)
        return xp.reshape(array, (1,) * (rank - array.ndim) + array.shape)
    parts = [joined_blocks(part, depth - 1, rank, beside, xp) for part in blocks]
    return xp.concatenate(parts, axis=-depth)


def depth_of(blocks) -> int:
    """How deep lists of blocks are nested."""
    if not isinstance(blocks, list):
        return 0
    return 1 + (depth_of(blocks[0]) if blocks else 0)


def leaves_of(blocks) -> Iterator[Any]:
    """The blocks of nested lists."""
    if isinstance(blocks, list):
        for part in blocks:
            yield from leaves_of(part)
    else:
        yield blocks
