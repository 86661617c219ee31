"""Memory whose numbers an array of another library has: JAX's, PyTorch's, CuPy's, a recorded one.

Such an array cannot be written to, or not so that NumPy's views of it follow. The root of its
storage is an array of zeros, which is never touched and says where things are. The numbers are an
array of the root's shape, `Numbers.held`; a write puts another array in its place. All that is
asked of a library is `replaced`, the word for ``a[index] = values`` as a function.
"""

import math
import operator
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.values.arrays import (
    ArrayLibrary,
    call,
    common_namespace,
    library_of,
    numpy_library,
    shape_of,
    taken_in,
)
from chainrules_py.values.records import Record
from chainrules_py.values.structure import fields, is_container
from chainrules_tape.in_place.regions import Region, flat_positions, view_at
from chainrules_tape.refusals.handles import TracedArray

_PLAIN = frozenset({np.ndarray, np.float64, float, int, bool, complex, slice, type(None)})


@cache
def own_functions() -> ModuleType:
    """The functions that libraries are asked for; not at the first import: these load rules."""
    from chainrules_py.engines import own_functions

    return own_functions


def library_holding(x) -> ArrayLibrary | None:
    """The library of an array that a storage can hold; None for NumPy's, and for traced values."""
    cls = type(x)
    if cls in _PLAIN or issubclass(cls, TracedArray):
        return None
    library = library_of(cls)
    if library is None or library is numpy_library() or library.stands_for is not None:
        return None
    replaced = own_functions().replaced
    return library if library.implementation(replaced) is not replaced else None


def is_held(x) -> bool:
    """Whether a value is an array of another library, or a container with one in it."""
    if type(x) in _PLAIN or issubclass(type(x), TracedArray):
        return False
    if is_container(x):
        return any(map(is_held, fields(x).values()))
    return library_holding(x) is not None


def held_among(values: Iterable[Any]) -> ArrayLibrary | None:
    """The library of the first array of another library among values, and in containers."""
    x = next(filter(is_held, values), None)
    if x is None:
        return None
    return held_among(fields(x).values()) if is_container(x) else library_holding(taken_in(x))


def held_copy(root: np.ndarray, library: ArrayLibrary) -> Any:
    """The numbers of plain memory, as an array of a library; zeros are not copied to a device."""
    if not root.reshape(-1).view(np.uint8).any():
        return library.namespace.zeros(root.shape, root.dtype)
    return library.namespace.asarray(root.copy())


# Parts of the memory


class Place(Record):
    """Where a part lies in the array that holds the numbers: at an index, with its axes ordered.

    `shape` is that of the part; axes of length one are put in at the end, and `axes` says in which
    order the others are behind the index.
    """

    index: Any
    shape: tuple[int, ...]
    axes: tuple[int, ...]


def read_part(held, region: Region | None, root: np.ndarray) -> Any:
    """The numbers of a region of the memory."""
    if region is None:
        return held
    xp = library_of(type(held)).namespace  # type: ignore[union-attr]
    if 0 in region.shape:
        return xp.zeros(region.shape, region.dtype)
    whole, component = with_components(region, root)
    if component is not None:
        return getattr(read_part(held, whole, root), component)
    place = place_in_root(region, root)
    if place is None:
        part = call(operator.getitem, xp.reshape(held, (-1,)), flat_index(region, root))
        return xp.reshape(part, region.shape)
    part = call(operator.getitem, held, place.index)
    if place.axes != tuple(range(len(place.axes))):
        part = xp.transpose(part, tuple(np.argsort(place.axes).tolist()))
    return xp.reshape(part, region.shape)


def with_part(held, region: Region | None, root: np.ndarray, values) -> Any:
    """The numbers of the memory with those of a region replaced, which have its shape."""
    if region is None:
        return own_functions().replaced(held, ..., values)
    if 0 in region.shape:
        return held
    xp = common_namespace((held, values))
    whole, component = with_components(region, root)
    if component is not None:
        before = read_part(held, whole, root)
        is_real = component == "real"
        both = values + 1j * before.imag if is_real else before.real + 1j * values
        return with_part(held, whole, root, both)
    values = xp.broadcast_to(xp.asarray(values), region.shape)
    place = place_in_root(region, root)
    if place is None:
        index = flat_index(region, root)
        if type(index) is slice:
            values = xp.reshape(values, (-1,))
        flat = own_functions().replaced(xp.reshape(held, (-1,)), index, values)
        return xp.reshape(flat, root.shape)
    values = xp.reshape(values, place.shape)
    if place.axes != tuple(range(len(place.axes))):
        values = xp.transpose(values, place.axes)
    return own_functions().replaced(held, place.index, values)


def with_components(region: Region, root: np.ndarray) -> tuple[Region, str | None]:
    """The complex region of which a region shows the real or imaginary parts, and which of them."""
    if region.dtype == root.dtype:
        return region, None
    shape, _, offset, strides = region
    rest = offset % root.itemsize
    whole = Region(shape, root.dtype, offset - rest, strides)
    return whole, "imag" if rest else "real"


def place_in_root(region: Region, root: np.ndarray) -> Place | None:
    """Where a region lies by integers and slices of the root; None where these do not reach it.

    >>> root = np.zeros((3, 4))
    >>> from chainrules_tape.in_place.regions import region_of
    >>> place_in_root(region_of(root[1:, ::2].T, root), root)
    Place(index=(slice(1, 3, 1), slice(0, 3, 2)), shape=(2, 2), axes=(1, 0))
    """
    size = root.itemsize
    start = np.unravel_index(region.offset // size, root.shape)
    long = [axis for axis, n in enumerate(region.shape) if n > 1]
    # an axis of the root that is further out has longer strides
    outwards = sorted(long, key=lambda axis: -abs(region.strides[axis]))
    remaining = list(outwards)
    index: list[Any] = []
    for first, length, stride in zip(map(int, start), root.shape, root.strides, strict=True):
        found = None
        if remaining:
            axis = remaining[0]
            found = slice_along(first, length, region.strides[axis], stride, region.shape[axis])
        if found is None:
            index.append(first)
        else:
            index.append(found)
            remaining.pop(0)
    if remaining:
        return None
    in_order = tuple([region.shape[axis] for axis in long])
    return Place(tuple(index), in_order, tuple([long.index(axis) for axis in outwards]))


def flat_index(region: Region, root: np.ndarray) -> Any:
    """Where a region lies in the flat memory: a slice where its entries follow each other, else
    their positions.

    >>> root = np.zeros(6)
    >>> from chainrules_tape.in_place.regions import region_of
    >>> flat_index(region_of(root[2:].reshape(2, 2), root), root)
    slice(2, 6, None)
    """
    view = view_at(root, region)
    if not view.flags.c_contiguous:
        return flat_positions(region, root.nbytes)[0]
    start = region.offset // view.itemsize
    return slice(start, start + view.size)


def slice_along(first: int, length: int, stride: int, unit: int, count: int) -> slice | None:
    """The slice of an axis that steps forward by a stride; None where that leaves the axis.

    There are none backward: XLA 0.9 aborts the process where it compiles some reversed scatters.
    """
    step, rest = divmod(stride, unit)
    end = first + step * (count - 1) + 1
    if rest or step <= 0 or end > length:
        return None
    return slice(first, end, step)


# Writes


def array_after_write(primal, part, args: Args, options: Options) -> Any:
    """The array after a function wrote into it, given its other arguments."""
    if primal is operator.setitem:
        index, values = args
        return assigned(part, index, values)
    if primal in _SIGNS:
        indices, values = args
        return with_sums(part, indices, values, _SIGNS[primal])
    *where, values = args
    if primal in _BY_MASK and (is_held(where) or is_held(options.get("where"))):
        return chosen_by_mask(part, where[0] if where else options["where"], values)
    return placed_by_function(primal, part, where, values, options)


def assigned(part, index, values) -> Any:
    """An array after ``part[index] = values``, whose values may have leading axes of length one."""
    values, index = taken_in(values), arrays_for_lists(index)
    shape = shape_of(values)
    if shape and not is_held(index):
        selected = np.broadcast_to(np.empty(()), part.shape)[index].shape
        extra = max(len(shape) - len(selected), 0)
        if extra:
            values = call(np.reshape, values, shape[extra:])
    return own_functions().replaced(part, index, values)


def arrays_for_lists(index) -> Any:
    """An index with arrays in the place of lists, which not every library takes."""
    if type(index) is tuple:
        return tuple(map(arrays_for_lists, index))
    return np.asarray(index) if type(index) is list else taken_in(index)


def with_sums(part, indices, values, sign: int) -> Any:
    """An array after values were added at indices, repeatedly where an index repeats."""
    indices = arrays_for_lists(indices)
    selected = call(operator.getitem, part, indices).shape
    values = taken_in(values)
    xp = common_namespace((part, values))
    values = xp.broadcast_to(xp.asarray(values), selected)
    added = own_functions().scatter_add(values, indices, part.shape, part.dtype)
    return part + sign * added


def chosen_by_mask(part, mask, values) -> Any:
    """An array with values where a mask holds, which the library alone knows."""
    mask, values = taken_in(mask), taken_in(values)
    xp = common_namespace((part, mask, values))
    return xp.where(mask, xp.asarray(values, dtype=part.dtype), part)


def placed_by_function(primal: Function, part, where, values, options: Options) -> Any:
    """An array after a function of NumPy's that says by itself where it writes which value.

    It is asked on the numbers of the values.
    """
    values = taken_in(values)
    shape = shape_of(values)
    numbers = np.arange(math.prod(shape)).reshape(shape)
    order = np.full(part.shape, -1)
    primal(order, *where, numbers, **options)
    index = np.nonzero(order >= 0)
    xp = common_namespace((part, values))
    flat = xp.reshape(xp.asarray(values), (-1,))
    return own_functions().replaced(part, index, call(operator.getitem, flat, order[index]))


_BY_MASK = frozenset({np.copyto, np.putmask})
_SIGNS = {np.add.at: 1, np.subtract.at: -1}
