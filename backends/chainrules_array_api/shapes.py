"""Other shapes of the same entries, joined and repeated ones, and arrays of nothing."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from chainrules_array_api.standard_array import (
    StandardArray,
    alike,
    array_of,
    namespace_of,
    own_dtype,
    wrapped,
)
from chainrules_py.annotations import Function


def of_array(name: str, compute: Function) -> Function:
    """A function of an array and of what says how, or positions: NumPy's for NumPy's arrays."""
    function: Function = getattr(np, name)

    def either(a, *args, **options):
        xp = namespace_of((a, *args))
        if xp is np:
            return function(a, *args, **options)
        return wrapped(compute(xp, array_of(xp, a), *args, **options))

    return either


def reshape(xp, a, /, shape, order: str = "C", *, copy: Any = None) -> Any:
    """The entries in another shape, which are counted as `order` says."""
    lengths = (shape,) if isinstance(shape, int | np.integer) else tuple(map(int, shape))
    if order != "F":
        return xp.reshape(a, lengths)
    return transpose(xp, xp.reshape(transpose(xp, a), lengths[::-1]))


def ravel(xp, a, order: str = "C") -> Any:
    """The entries along one axis."""
    return reshape(xp, a, -1, order)


def transpose(xp, a, axes: Any = None) -> Any:
    """The axes in another order."""
    return xp.permute_dims(a, tuple(reversed(range(len(a.shape)))) if axes is None else tuple(axes))


def matrix_transpose(xp, a) -> Any:
    """The last two axes exchanged."""
    return xp.matrix_transpose(a)


def copy(xp, a, order: str = "K") -> Any:
    """The array itself, as nothing writes into it."""
    return a


def expand_dims(xp, a, axis) -> Any:
    """New axes of length one."""
    axes = np.atleast_1d(axis).tolist()
    for k in sorted(normalize_axis_tuple(axes, len(a.shape) + len(axes))):
        a = xp.expand_dims(a, axis=k)
    return a


def squeeze(xp, a, axis: Any = None) -> Any:
    """The array without axes of length one."""
    axes = tuple(k for k, length in enumerate(a.shape) if length == 1) if axis is None else axis
    return xp.squeeze(a, axis=axes)


def moveaxis(xp, a, source, destination) -> Any:
    """Axes at other places."""
    count = len(a.shape)
    sources, places = (normalize_axis_tuple(axes, count) for axes in (source, destination))
    order = [k for k in range(count) if k not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return xp.permute_dims(a, tuple(order))


def swapaxes(xp, a, axis1: int, axis2: int) -> Any:
    """Two axes exchanged."""
    axes = list(range(len(a.shape)))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return xp.permute_dims(a, tuple(axes))


def flip(xp, a, axis: Any = None) -> Any:
    """Entries in reverse order along axes."""
    return xp.flip(a, axis=axis)


def roll(xp, a, shift, axis: Any = None) -> Any:
    """Entries shifted in a circle."""
    return xp.roll(a, shift, axis=axis)


def repeat(xp, a, repeats, axis: int | None = None) -> Any:
    """Each entry several times."""
    counts = repeats if isinstance(repeats, int) else xp.asarray(np.asarray(repeats))
    if axis is None:
        return xp.repeat(xp.reshape(a, (-1,)), counts, axis=0)
    return xp.repeat(a, counts, axis=axis)


def take(xp, a, indices, axis: int | None = None, out: None = None, mode: str = "raise") -> Any:
    """Entries at positions along an axis."""
    if axis is None:
        a, axis = xp.reshape(a, (-1,)), 0
    axis = normalize_axis_index(axis, len(a.shape))
    # NumPy says which positions the indices mean, and raises where there is none
    positions = np.take(np.arange(a.shape[axis]), np.asarray(indices), mode=cast(Any, mode))
    found = xp.take(a, xp.asarray(positions.reshape(-1)), axis=axis)
    return xp.reshape(found, (*a.shape[:axis], *positions.shape, *a.shape[axis + 1 :]))


def take_along_axis(xp, a, indices, axis: int | None = -1) -> Any:
    """Entries at positions of their own along each line."""
    if axis is None:
        a, axis = xp.reshape(a, (-1,)), 0
    return xp.take_along_axis(a, array_of(xp, indices), axis=axis)


def searchsorted(xp, a, v, side: str = "left") -> Any:
    """The positions at which values would be inserted into a sorted array."""
    return xp.searchsorted(a, array_of(xp, v), side=side)


def broadcast_to(xp, a, shape, subok: bool = False) -> Any:
    """The array repeated along axes."""
    return xp.broadcast_to(a, (shape,) if isinstance(shape, int) else tuple(shape))


def triangle(name: str) -> Function:
    """The matrices with zeros above or below a diagonal."""
    return lambda xp, m, k=0: getattr(xp, name)(m, k=k)


def joining_function(name: str, theirs: str) -> Function:
    """Arrays one after the other, or along a new axis."""
    function: Function = getattr(np, name)

    def compute_joined(
        arrays: Sequence[Any], axis: int | None = 0, dtype: Any = None, **options
    ) -> Any:
        xp = namespace_of(tuple(arrays))
        if xp is np:
            return function(arrays, axis=axis, dtype=dtype, **options)
        # a number is an array here, and not weak
        parts = [np.asarray(x) if isinstance(x, int | float | complex) else x for x in arrays]
        parts = alike(xp, *parts) if dtype is None else [array_of(xp, x, dtype) for x in parts]
        return wrapped(getattr(xp, theirs)(parts, axis=axis))

    return compute_joined


def like(name: str) -> Function:
    """`zeros_like` and its kin."""
    function: Function = getattr(np, name)

    def compute_like(a, *fill, dtype: Any = None, shape: Any = None, **options) -> Any:
        if not isinstance(a, StandardArray):
            return function(a, *fill, dtype=dtype, shape=shape, **options)
        made = getattr(a.xp, name.removesuffix("_like"))
        kind = own_dtype(a.xp, a.dtype if dtype is None else dtype)
        return wrapped(made(a.shape if shape is None else shape, *fill, dtype=kind))

    return compute_like


def ndim(a) -> int:
    """The number of axes."""
    return len(shape(a))


def shape(a) -> tuple[int, ...]:
    """The length of each axis."""
    return a.shape if isinstance(a, StandardArray) else np.shape(a)


def size(a, axis: int | None = None) -> int:
    """The number of entries."""
    return int(np.prod(shape(a), dtype=int)) if axis is None else shape(a)[axis]


OF_ARRAY: dict[str, Function] = {
    f.__name__: f
    for f in (
        *(reshape, transpose, expand_dims, squeeze, moveaxis, swapaxes, flip, roll, repeat),
        *(take, take_along_axis, searchsorted, broadcast_to, ravel, matrix_transpose, copy),
    )
}
OF_ARRAY |= {"permute_dims": transpose, "tril": triangle("tril"), "triu": triangle("triu")}
FUNCTIONS: dict[str, Function] = {
    **{name: of_array(name, compute) for name, compute in OF_ARRAY.items()},
    **{
        name: joining_function(name, theirs)
        for name, theirs in {"concatenate": "concat", "concat": "concat", "stack": "stack"}.items()
    },
    **{name: like(name) for name in ("zeros_like", "ones_like", "full_like", "empty_like")},
    **{f.__name__: f for f in (ndim, shape, size)},
}
