"""`compress`, `delete`, `insert` and `repeat` where the host knows the positions, and so the shape
of the result.

CuPy's own functions find the shape out on the device and wait; CuPy has no `insert`. Positions that
are a few runs of neighbours are slices; others are copied to the device once, like every list that
is handed to CuPy. Where they are on the device themselves, the shape depends on them, and CuPy waits.
"""

from typing import Any

import numpy as np

from chainrules_cupy.errors import positions_on_device


def asarray(cp, a, dtype: Any = None, **options) -> Any:
    """Return an array; a number becomes a parameter of a kernel, where CuPy would copy it to the
    device.
    """
    if isinstance(a, bool | int | float | complex | np.generic) and not options:
        return cp.full((), a, np.result_type(a) if dtype is None else dtype)
    return cp.asarray(a, dtype, **options)


def is_known(positions) -> bool:
    """Tell whether the host knows positions or counts: numbers, slices, and lists of numbers.

    CuPy takes no arrays of NumPy's.
    """
    return isinstance(positions, int | np.integer | slice | list | tuple)


def flattened(x, axis: int | None) -> tuple[Any, int]:
    """Return the array, flat where the axis is None, and the axis along which positions count."""
    return (x.ravel(), 0) if axis is None else (x, axis % x.ndim)


def read(cp, x, positions, axis: int) -> Any:
    """Return the entries at `positions`, an array on the host."""
    from chainrules_py.rulesets.formulas import runs  # a rule pack, which loads after its library

    if runs.runs(positions) is None:
        return cp.take(x, cp.asarray(positions), axis=axis)
    return runs.read(x, positions, axis, cp)


def delete(cp, arr, obj, axis: int | None = None) -> Any:
    """Return all entries but those at `obj`."""
    if not is_known(obj):
        return cp.delete(arr, obj, axis)
    arr, axis = flattened(arr, axis)
    return read(cp, arr, np.delete(np.arange(arr.shape[axis]), obj), axis)


def compress(cp, condition, a, axis: int | None = None) -> Any:
    """Return the entries where a condition holds."""
    if not is_known(condition):
        return cp.compress(condition, a, axis)
    a, axis = flattened(a, axis)
    return read(cp, a, np.compress(condition, np.arange(a.shape[axis])), axis)


def extract(cp, condition, a) -> Any:
    """Return the entries where a condition holds, both flat."""
    if not is_known(condition):
        return cp.extract(condition, a)
    return compress(cp, np.ravel(condition).tolist(), a)


def repeat(cp, a, repeats, axis: int | None = None) -> Any:
    """Repeat each entry as often as `repeats` says; one count stands for all, as in NumPy."""
    if not is_known(repeats) or isinstance(repeats, int):
        return cp.repeat(a, repeats, axis)
    if np.size(repeats) == 1:
        return cp.repeat(a, np.ravel(repeats).item(), axis)
    a, axis = flattened(a, axis)
    return cp.take(a, cp.asarray(np.repeat(np.arange(a.shape[axis]), repeats)), axis=axis)


def insert(cp, arr, obj, values, axis: int | None = None) -> Any:
    """Insert values before the positions `obj`."""
    from chainrules_py.rulesets.shapes.inserting import places

    if not is_known(obj):
        raise positions_on_device("cupy.insert", obj)
    arr, axis = flattened(arr, axis)
    new = values_in_place(cp, arr, obj, values, axis)
    before, count = arr.shape[axis], new.shape[axis]
    at = places(obj, before, before + count)
    order = np.empty(before + count, int)
    order[at.kept] = np.arange(before)
    order[at.new] = before + np.arange(count)
    return read(cp, cp.concatenate([arr, new], axis=axis), order, axis)


def values_in_place(cp, arr, obj, values, axis: int) -> Any:
    """Broadcast the values to the shape that they take up in the result.

    At a number, their first axis is the one that they go along.
    """
    given = asarray(cp, values, arr.dtype)
    given = given.reshape((1,) * (arr.ndim - given.ndim) + given.shape)
    if not isinstance(obj, slice) and np.ndim(obj) == 0:
        given = cp.moveaxis(given, 0, axis)
    length = arr.shape[axis]
    count = np.insert(np.arange(length), obj, -1).size - length
    count = given.shape[axis] if count == 1 else count
    return cp.broadcast_to(given, (*arr.shape[:axis], count, *arr.shape[axis + 1 :]))
