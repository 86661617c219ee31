"""Other shapes of the same entries."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_tuple

from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of


def reshape(a, shape, order: str = "C", *, copy: bool | None = None) -> TensorArray:
    """The entries in another shape."""
    lengths = shape if isinstance(shape, tuple | list) else (shape,)
    shape = tuple(map(operator.index, lengths))
    if order == "F":
        return transpose(reshape(transpose(a), shape[::-1]))
    return TensorArray(tensor_of(a).reshape(shape))


def ravel(a, order: str = "C") -> TensorArray:
    """All entries along one axis."""
    return reshape(a, (-1,), order) if tensor_of(a).numel() else reshape(a, (0,))


def transpose(a, axes: Any = None) -> TensorArray:
    """The axes in another order."""
    t = tensor_of(a)
    return TensorArray(t.permute(tuple(reversed(range(t.ndim)) if axes is None else axes)))


def swapaxes(a, axis1: int, axis2: int) -> TensorArray:
    """Two axes exchanged."""
    t = a.tensor if type(a) is TensorArray else tensor_of(a)
    # as adjoints of products ask for
    return TensorArray(t.mT if (axis1, axis2) == (-1, -2) else t.swapaxes(axis1, axis2))


def moveaxis(a, source, destination) -> TensorArray:
    """Axes at other places."""
    return TensorArray(torch.movedim(tensor_of(a), source, destination))


def expand_dims(a, axis) -> TensorArray:
    """New axes of length one."""
    t = tensor_of(a)
    axes = (axis,) if not isinstance(axis, tuple | list) else tuple(axis)
    if len(axes) == 1:
        return TensorArray(t.unsqueeze(axes[0]))
    places = normalize_axis_tuple(axes, t.ndim + len(axes))
    lengths = iter(t.shape)
    return TensorArray(
        t.reshape([1 if k in places else next(lengths) for k in range(t.ndim + len(axes))])
    )


def squeeze(a, axis: Any = None) -> TensorArray:
    """Without axes of length one."""
    t = tensor_of(a)
    if axis is None:
        return TensorArray(torch.squeeze(t))
    axes = normalize_axis_tuple(axis, t.ndim)
    if any(t.shape[k] != 1 for k in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return TensorArray(torch.squeeze(t, axes))


def broadcast_to(array, shape) -> TensorArray:
    """Repeated along axes, without a copy."""
    return TensorArray(
        torch.broadcast_to(tensor_of(array), (shape,) if isinstance(shape, int) else tuple(shape))
    )


def broadcast_arrays(*args) -> tuple[TensorArray, ...]:
    """Arrays in their common shape."""
    return tuple(map(TensorArray, torch.broadcast_tensors(*map(tensor_of, args))))


def flip(m, axis: Any = None) -> TensorArray:
    """Entries in reverse order along axes."""
    t = tensor_of(m)
    return TensorArray(
        torch.flip(t, tuple(range(t.ndim)) if axis is None else normalize_axis_tuple(axis, t.ndim))
    )


def roll(a, shift, axis: Any = None) -> TensorArray:
    """Entries shifted in a circle."""
    if axis is None:
        return TensorArray(torch.roll(tensor_of(a), int(np.sum(shift))))
    shifts, axes = np.broadcast_arrays(shift, axis)
    return TensorArray(torch.roll(tensor_of(a), shifts.ravel().tolist(), axes.ravel().tolist()))


def rot90(m, k: int = 1, axes: Any = (0, 1)) -> TensorArray:
    """A plane turned."""
    return TensorArray(torch.rot90(tensor_of(m), k, tuple(axes)))


def copy(a, order: str = "K") -> TensorArray:
    """The array itself: nobody can write it."""
    return TensorArray(tensor_of(a))


def ndim(a) -> int:
    """The number of axes."""
    return int(tensor_of(a).ndim)


def shape(a) -> tuple[int, ...]:
    """The length of each axis."""
    return tuple(tensor_of(a).shape)


def size(a, axis: Any = None) -> int:
    """The number of entries."""
    lengths = shape(a)
    if axis is not None:
        lengths = tuple(lengths[k] for k in normalize_axis_tuple(axis, len(lengths)))
    return math.prod(lengths)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        *(reshape, ravel, transpose, swapaxes, moveaxis),
        *(expand_dims, squeeze, broadcast_to, broadcast_arrays),
        *(flip, roll, rot90, copy, ndim, shape, size),
    )
}
FUNCTIONS |= {
    "permute_dims": transpose,
    "matrix_transpose": lambda x: TensorArray(tensor_of(x).mT),
}
LINALG = {"matrix_transpose": FUNCTIONS["matrix_transpose"]}
