"""`insert`: linear in the array and in the values together.

Where each of them goes depends on the places alone.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import Array, LinearMap, ProjectTo, Scalar, linearised_rule
from chainrules_py.makers import Linearised
from chainrules_py.makers.joint import densified
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.runs import read
from chainrules_py.values.arrays import shape_of


class Places(NamedTuple):
    """Along one axis of the result: where the array's entries went, and where the values did, in
    the order they came in.
    """

    kept: Any
    new: Any


def as_places(obj) -> Any:
    """The places as NumPy takes them.

    An empty list has become an array of floating-point numbers, which are no places.
    """
    return () if isinstance(obj, np.ndarray) and obj.size == 0 else obj


def places(obj, length: int, total: int) -> Places:
    """Where old and new entries stand after `insert` at `obj` into an axis of `length` entries.

    The axis has `total` entries afterwards.
    """
    labels = np.insert(np.full(length, -1), obj, np.arange(total - length))
    new = np.flatnonzero(labels >= 0)
    in_order = np.empty_like(new)
    in_order[labels[new]] = new
    return Places(np.flatnonzero(labels < 0), in_order)


@linearised_rule(np.insert)
def insert_linearised(
    arr: Array | Scalar, obj: object, values: Array | Scalar, *, axis: int | None = None, xp
) -> Linearised:
    """Each cotangent is read from the places that its entries went to."""
    obj = as_places(obj)
    y = xp.insert(arr, obj, values, axis=axis)
    space, values_shape, total = ProjectTo(arr), shape_of(values), y.shape
    shape, along = ((space.size,), 0) if axis is None else (space.shape, axis % space.ndim)
    found = cache(lambda: places(obj, shape[along], total[along]))

    def inserted(dots: dict[int, Any]) -> Any:
        arr_dot, values_dot = densified(dots, (arr, values), y.dtype)
        return xp.insert(arr_dot, obj, values_dot, axis=axis)

    def arr_pullback(y_bar) -> Any:
        return xp.reshape(read(y_bar, found().kept, along, xp), space.shape)

    def values_pullback(y_bar) -> Any:
        new = read(y_bar, found().new, along, xp)
        return _values_adjoint(new, obj, values_shape, along, xp)

    of_arr = LinearMap(lambda dot: inserted({0: dot}), arr_pullback)
    of_values = LinearMap(lambda dot: inserted({1: dot}), values_pullback)
    return y, of_arr, None, of_values


def _values_adjoint(inserted_bar, obj, shape: tuple[int, ...], axis: int, xp) -> Any:
    """Undo how NumPy broadcasts the values against the new entries.

    At a single integer it does so after moving their first axis to `axis`.
    """
    wide = (1,) * (inserted_bar.ndim - len(shape)) + shape
    if isinstance(obj, slice) or np.ndim(obj) > 0:
        return xp.reshape(unbroadcast(inserted_bar, wide, xp), shape)
    moved = (*wide[1 : axis + 1], wide[0], *wide[axis + 1 :])
    return xp.reshape(xp.moveaxis(unbroadcast(inserted_bar, moved, xp), axis, 0), shape)
