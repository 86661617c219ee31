"""Reading entries.

Each function here is `x[index]` for some index, and its adjoint writes into that index.

The cotangents are thunks that add themselves into the accumulation buffer, so that reading an array
entry by entry and differentiating costs what reading it costs.
"""

import operator
from functools import partial
from types import EllipsisType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    Array,
    Scalar,
    Space,
    composed,
    frule,
    ignore_derivatives,
    linear_rule,
    rrule,
)
from chainrules_py.projection.dense import dense_space, namespace_of
from chainrules_py.rulesets.entries.scatter import scattered, scattered_flat
from chainrules_py.rulesets.formulas.known_values import any_known, length_of, require_known
from chainrules_py.rulesets.formulas.reducing import given
from chainrules_py.rulesets.formulas.runs import index_along, runs, spread_runs
from chainrules_py.table.entry_points import Pullback
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.tangents.structural import with_entries
from chainrules_py.values.arrays import library_of_types
from chainrules_py.values.indices import normal_index, read
from chainrules_py.values.structure import fields

_ALL = slice(None)
_AXES = frozenset({NoneType, EllipsisType, slice})
if TYPE_CHECKING:
    Container = tuple[Any, ...] | list[Any] | dict[Any, Any]
else:
    Container = tuple | list | dict  # what rules dispatch on


def getitem_adjoint(y_bar, a: Space, index: object) -> Any:
    """y = a[index]; a_bar[index] += y_bar.

    Where the index only adds axes, each entry is read once and in order.
    """
    index = normal_index(index)
    if (
        type(index) is tuple
        and NoneType in (kinds := [*map(type, index)])
        and only_adds_axes(index, kinds)
    ):
        return y_bar.reshape(a.shape)
    return scattered(y_bar, index, a.shape, a.dtype)


linear_rule(operator.getitem, getitem_adjoint, None)


@rrule.register(operator.getitem)
def part_rrule(a: Container, index: object) -> tuple[Any, Pullback]:
    """A part of a container, or some of a list's; the others have no part in it."""
    y, places = part_and_key(a, index)

    def part_pullback(y_bar) -> tuple[Any, Any]:
        parts = y_bar if type(places) is list else [y_bar]
        own = dict(zip(places if type(places) is list else [places], parts, strict=True))
        return with_entries(type(a), {**dict.fromkeys(fields(a), ZERO), **own}), NO_TANGENT

    return y, part_pullback


@frule.register(operator.getitem)
def part_frule(dots: Any, a: Container, index: object) -> tuple[Any, Any]:
    """The tangent of the part."""
    y, places = part_and_key(a, index)
    parts = tangents_of_parts(dots[0], fields(a))
    if type(places) is not list:
        return y, parts.get(places, ZERO)
    return y, with_entries(type(y), {k: parts.get(at, ZERO) for k, at in enumerate(places)})


def part_and_key(a: Any, index: Any) -> tuple[Any, Any]:
    """A part of a container and its key, or some of a sequence and theirs."""
    if isinstance(a, dict):
        return a[index], index
    places = range(len(a))[index]
    return a[index], [*places] if type(places) is range else places


@rrule.register(operator.getitem)
def getitem_rrule(a: np.ndarray, index: object) -> tuple[Any, Pullback]:
    """a[index] of NumPy's arrays.

    Loops over entries call it; its pullback takes a third of the time of the declared rule's.
    """
    y, pull, residuals = getitem_stage(a, normal_index(index))
    return y, partial(pull, residuals)


def getitem_stage(a: np.ndarray, index) -> tuple[Any, Any, Any]:
    """Read, and keep where."""
    return read(a, index), getitem_pull, (index, a.shape, a.dtype)


def getitem_pull(residuals, y_bar) -> tuple[Any, Any]:
    """The cotangent of the array, postponed, where it is not just another shape."""
    index, shape, dtype = residuals
    if type(index) is tuple and NoneType in map(type, index):
        space = dense_space(np.ndarray, shape, dtype)
        return space(getitem_adjoint(y_bar, space, index)), NO_TANGENT
    return scattered(y_bar, index, shape, dtype), NO_TANGENT


def add_number(residuals, y_bar, buffer) -> bool:
    """Add the cotangent of an entry into the sum of those of the array, where that is plain; whether
    it was. A thunk less takes 1 us less.
    """
    if type(y_bar) is not np.float64 or type(buffer) is not np.ndarray:
        return False
    index = residuals[0]
    if type(index) is not int and type(index) is not tuple:
        return False
    buffer[index] += y_bar
    return True


getitem_rrule.stage = getitem_stage  # type: ignore[attr-defined]
getitem_pull.into = add_number  # type: ignore[attr-defined]


def only_adds_axes(index: tuple[Any, ...], kinds: list[type]) -> bool:
    """Whether an index consists of None, Ellipsis and full slices."""
    return _AXES.issuperset(kinds) and index.count(_ALL) == kinds.count(slice)


@linear_rule(np.take)
def take_adjoint(y_bar, a: Space, *, indices, axis: int | None = None, mode: str = "raise", xp):
    """Adds each entry where it was taken from."""
    if axis is None or a.ndim == 0:
        return scattered_flat(y_bar, within(as_index(indices), a.size, mode), a, xp)
    index = within(as_index(indices), a.shape[axis], mode)
    return scattered(y_bar, index_along(axis % a.ndim, index), a.shape, a.dtype)


def as_index(indices) -> Any:
    """Lists as an array, of integers where they are empty, and booleans as the positions 0 and 1.

    Other numbers, and arrays of any library, as they are.
    """
    if not hasattr(indices, "dtype") and not isinstance(indices, int):
        indices = np.asarray(indices) if np.size(indices) else np.zeros(np.shape(indices), int)
    is_boolean = isinstance(indices, bool) or getattr(indices, "dtype", None) == np.bool_
    return indices * 1 if is_boolean else indices


def within(indices, length: int, mode: str) -> Any:
    """The indices as `mode` reads them.

    They are brought into the axis by wrapping or clipping, or stay as they are.
    """
    if mode == "wrap":
        return indices % max(length, 1)
    return namespace_of(indices).clip(indices, 0, length - 1) if mode == "clip" else indices


def concrete(index) -> Any:
    """An index that decides about shapes, as NumPy's where its library lets it be read.

    `jax.jit` has no use for another.

    What is on a device stays there: reading it would wait.
    """
    library = library_of_types((type(index),))
    require_known(index, library)
    return index if hasattr(index, "dtype") and library.mutable else np.asarray(index)


@linear_rule(np.take_along_axis)
def take_along_axis_adjoint(y_bar, arr: Space, *, indices, axis: int | None = -1, xp):
    """Adds each entry where it was taken from."""
    if axis is None:
        return scattered_flat(y_bar, indices, arr, xp)
    return scattered(y_bar, along_axis(indices, arr.shape, axis), arr.shape, arr.dtype)


def along_axis(indices, shape: tuple[int, ...], axis: int) -> tuple[Any, ...]:
    """The index of `take_along_axis`: `indices` on one axis, every other axis in step with them."""
    ndim, xp = len(shape), namespace_of(indices)
    steps = [
        xp.arange(n).reshape((1,) * k + (n,) + (1,) * (ndim - k - 1)) for k, n in enumerate(shape)
    ]
    return tuple(indices if k == axis % ndim else step for k, step in enumerate(steps))


# --- Entries that a condition selects ---


def as_mask(condition, length: int) -> Any:
    """A condition as one boolean per entry of an axis, False beyond its end.

    It is on the host or a device, as the condition is.

    An index of booleans reads and writes no entry twice, and so needs no positions.
    """
    is_traced = hasattr(type(condition), "__chainrules_call__")  # it differs from lane to lane
    given = (condition if is_traced else concrete(condition)).reshape(-1)
    mask = given if given.dtype.kind == "b" else given != 0
    if mask.size < length:
        xp = namespace_of(mask)
        mask = xp.concatenate([mask, xp.zeros(length - mask.size, bool)])
    return mask[:length]


def compress_adjoint(y_bar, condition: object, a: Space, *, axis: int | None = None, xp):
    """Adds the slices where the condition holds; it may be shorter than the axis."""
    if axis is None or not a.ndim:
        return scattered_flat(y_bar, as_mask(condition, a.size), a, xp)
    return scattered(
        y_bar, index_along(axis % a.ndim, as_mask(condition, a.shape[axis])), a.shape, a.dtype
    )


linear_rule(np.compress, ZERO, compress_adjoint)


@composed(np.extract)
def extract(condition: Any, arr: Array | Scalar, *, xp) -> Any:
    """The entries where the condition holds, both flat."""
    return xp.compress(np.ravel(condition), xp.reshape(arr, (-1,)))


@linear_rule(np.delete)
def delete_adjoint(y_bar, arr: Space, *, obj, axis: int | None = None, xp):
    """Zeros where entries were deleted."""
    shape, axis = ((arr.size,), 0) if axis is None else (arr.shape, axis % arr.ndim)
    kept = kept_by_delete(obj, shape[axis])
    found = None if kept.dtype.kind == "b" else runs(kept)
    if found is not None:
        return xp.reshape(spread_runs(y_bar, found, shape[axis], axis, xp), arr.shape)
    if shape != arr.shape:
        return scattered_flat(y_bar, kept, arr, xp)
    return scattered(y_bar, index_along(axis, kept), shape, arr.dtype)


def kept_by_delete(obj, length: int) -> Any:
    """The entries that `delete` leaves of an axis: positions, or a mask if `obj` is on a device."""
    given = obj if isinstance(obj, slice) else concrete(obj)
    if isinstance(given, slice | np.ndarray | np.generic):
        return np.delete(np.arange(length), obj)
    xp = namespace_of(given)
    return ~given if given.dtype.kind == "b" else ~xp.isin(xp.arange(length), given % length)


@composed(np.trim_zeros)
def trim_zeros(filt: Array, *, trim: Any = "fb", axis: Any = None, xp) -> Any:
    """A slice of the argument; which one depends on where it is exactly 0."""
    np.trim_zeros(np.ones((1,) * filt.ndim), trim, **given(axis=axis))  # for its errors
    wanted = range(filt.ndim) if axis is None else axis
    index = [_ALL] * filt.ndim
    for k in wanted if isinstance(wanted, tuple | range) else (wanted,):
        others = tuple([place for place in range(filt.ndim) if place != k % filt.ndim])
        index[k] = trimmed(xp.any(ignore_derivatives(filt) != 0, axis=others), trim.lower(), xp)
    return filt[tuple(index)]


def trimmed(counts, trim: str, xp) -> slice:
    """From the first entry that counts to the last: none, where none does."""
    length, last = counts.shape[0], length_of(counts, xp)
    if not last:
        return slice(0, 0)
    first = length - length_of(xp.flip(counts), xp)
    if any_known(~(counts[first] & counts[last - 1])):
        raise ValueError("trim_zeros: examples have other numbers of zeros at their ends")
    return slice(first if "f" in trim else None, last if "b" in trim else None)
