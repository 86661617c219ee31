"""Functions of NumPy that rules call and CuPy does not have, written with those that it has.

Only what needs no host: what CuPy lacks because its answer depends on the data (`histogram_bin_edges`) stays missing.
"""

from collections.abc import Iterable
from functools import reduce
from typing import Any

import cupy


def vecdot(x1: Any, x2: Any, axis: int = -1) -> Any:
    """Sum of conj(x1) * x2 along an axis."""
    return cupy.sum(cupy.conj(x1) * x2, axis=axis)


def matvec(x1: Any, x2: Any) -> Any:
    """A matrix, or a stack of them, times vectors."""
    return cupy.matmul(x1, x2[..., None])[..., 0]


def vecmat(x1: Any, x2: Any) -> Any:
    """Vectors, conjugated, times matrices."""
    return cupy.matmul(cupy.conj(x1)[..., None, :], x2)[..., 0, :]


def multi_dot(arrays: Iterable[Any]) -> Any:
    """The product of several matrices, from the left; NumPy looks for the cheapest order, with the same value."""
    return reduce(cupy.dot, arrays)


def svdvals(x: Any) -> Any:
    """The singular values."""
    return cupy.linalg.svd(x, compute_uv=False)


def vector_norm(x: Any, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """(sum |x|**ord)**(1 / ord) over axes, of all entries where no axis is given; a count of what is not 0 for ord = 0."""
    axes = tuple(range(x.ndim)) if axis is None else axis
    size = cupy.abs(x)
    if ord in (float("inf"), float("-inf")):
        return (cupy.max if ord > 0 else cupy.min)(size, axis=axes, keepdims=keepdims)
    if ord == 0:
        return cupy.sum(size != 0, axis=axes, keepdims=keepdims).astype(size.dtype)
    if ord == 2:
        return cupy.sqrt(cupy.sum(size * size, axis=axes, keepdims=keepdims))
    return cupy.sum(size**ord, axis=axes, keepdims=keepdims) ** (1 / ord)


def matrix_norm(x: Any, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The norm of each matrix of a stack."""
    if ord in ("nuc", 2, -2):
        values = svdvals(x)
        found = values.sum(axis=-1) if ord == "nuc" else (values.max if ord == 2 else values.min)(axis=-1)
        return found[..., None, None] if keepdims else found
    return cupy.linalg.norm(x, ord=ord, axis=(-2, -1), keepdims=keepdims)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """The slices along an axis."""
    return tuple(cupy.moveaxis(x, axis, 0))


def block(arrays: Any) -> Any:
    """An array from nested lists of blocks: the innermost lists are joined along the last axis, their parents along the one before."""
    depth = _depth(arrays)
    return _joined(arrays, depth, max(depth, *_dimensions(arrays)))


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """Values inserted before the positions `obj`, which are on the host: the shape of the result depends on them."""
    import numpy as np

    if axis is None:
        arr, axis = arr.ravel(), 0
    axis %= arr.ndim
    length = arr.shape[axis]
    marked = np.insert(np.arange(length), obj, -1)
    old = np.flatnonzero(marked >= 0)
    new = np.flatnonzero(marked < 0)
    shape = (*arr.shape[:axis], marked.size, *arr.shape[axis + 1 :])
    made, lead = cupy.empty(shape, arr.dtype), (slice(None),) * axis
    made[(*lead, cupy.asarray(old))] = arr
    made[(*lead, cupy.asarray(new))] = cupy.moveaxis(values, 0, axis) if _is_one_position(obj, values) else values
    return made


def _is_one_position(obj: Any, values: Any) -> bool:
    return isinstance(obj, int) and getattr(values, "ndim", 0) > 1


def _depth(arrays: Any) -> int:
    return 1 + max(map(_depth, arrays)) if isinstance(arrays, list) else 0


def _dimensions(arrays: Any) -> list[int]:
    if isinstance(arrays, list):
        return [ndim for part in arrays for ndim in _dimensions(part)]
    return [getattr(arrays, "ndim", 0)]


def _joined(arrays: Any, depth: int, ndim: int) -> Any:
    if not isinstance(arrays, list):
        array = cupy.asarray(arrays)
        return array.reshape((1,) * (ndim - array.ndim) + array.shape)
    return cupy.concatenate([_joined(part, depth - 1, ndim) for part in arrays], axis=-depth)
