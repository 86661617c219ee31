"""`insert`: put the values behind the entries, and take all of them in their new order."""

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from chainrules_py import composed
from chainrules_py.batching.indices import raise_not_as_many
from chainrules_py.makers.lists import ArrayLike
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.formulas.runs import read_runs
from chainrules_py.values.arrays import shape_of


@composed(np.insert)
def insert(arr: ArrayLike, obj: object, values: ArrayLike, *, axis: int | None = None, xp) -> Any:
    """An entry stays behind the values that are inserted before it, as in a stable sort."""
    target = xp.ravel(arr) if axis is None else arr
    axis = normalize_axis_index(-1 if axis is None else axis, target.ndim)
    length = target.shape[axis]
    places = places_of(obj, length, xp)

    shape = shape_of(values)
    added = xp.reshape(values, (1,) * (target.ndim - len(shape)) + shape)
    count = places.size
    if count == 1:
        if not places.ndim:  # the values lie along their first axis
            added = xp.moveaxis(added, 0, axis)
        count = added.shape[axis]
    added = xp.broadcast_to(added, (*target.shape[:axis], count, *target.shape[axis + 1 :]))
    joined = xp.concatenate([added.astype(target.dtype), target], axis=axis)

    is_known = isinstance(places, np.ndarray)
    own = np if is_known else xp
    sites = own.concatenate([own.broadcast_to(places, (count,)), own.arange(length)])
    order = own.argsort(sites, stable=True)
    return read_runs(joined, order, axis, xp) if is_known else xp.take(joined, order, axis=axis)


def places_of(obj, length: int, xp) -> Any:
    """Places before which values are inserted, counted from the front."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(length))
    places: Any = obj if hasattr(obj, "dtype") else np.asarray(obj)
    if not places.size:
        return np.zeros(0, int)
    own = np if issubclass(type(places), np.ndarray | np.generic) else xp
    if places.dtype.kind == "b":
        if hasattr(places, "__chainrules_call__"):
            raise_not_as_many()
        return own.nonzero(places)[0]
    if places.ndim > 1:
        raise ValueError("numpy.insert: got places of several axes; pass a number or a vector")
    if any_at_hand((places < -length) | (places > length)):
        raise IndexError(f"numpy.insert: got places outside of an axis of {length} entries")
    return own.where(places < 0, places + length, places)
