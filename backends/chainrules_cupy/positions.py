"""`compress`, `delete` and `repeat` where the host knows the positions, and so the shape of the
result.

CuPy's own functions find the shape out on the device and wait. Positions that are a few runs of
neighbours are slices; others are copied to the device once, like every list that
is handed to CuPy. Where they are on the device themselves, the shape depends on them, and CuPy waits.
"""

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index


def is_on_host(positions) -> bool:
    """Tell whether the host knows positions or counts: numbers, slices, and lists of numbers.

    CuPy takes no arrays of NumPy's.
    """
    return isinstance(positions, int | np.integer | slice | list | tuple)


def flattened(x, axis: int | None) -> tuple[Any, int]:
    """Return the array, flat where the axis is None, and the axis along which positions count."""
    return (x.ravel(), 0) if axis is None else (x, normalize_axis_index(axis, x.ndim))


def read_on_device(cp, x, positions, axis: int) -> Any:
    """Return the entries at `positions`, an array on the host."""
    from chainrules_py.rulesets.formulas import runs  # a rule pack, which loads after its library

    if runs.runs(positions) is None:
        return cp.take(x, cp.asarray(positions), axis=axis)
    return runs.read_runs(x, positions, axis, cp)


def delete(cp, arr, obj, axis: int | None = None) -> Any:
    """Return all entries but those at `obj`."""
    if not is_on_host(obj):
        return cp.delete(arr, obj, axis)
    arr, axis = flattened(arr, axis)
    return read_on_device(cp, arr, np.delete(np.arange(arr.shape[axis]), obj), axis)


def compress(cp, condition, a, axis: int | None = None) -> Any:
    """Return the entries where a condition holds."""
    if not is_on_host(condition):
        return cp.compress(condition, a, axis)
    a, axis = flattened(a, axis)
    return read_on_device(cp, a, np.compress(condition, np.arange(a.shape[axis])), axis)


def extract(cp, condition, a) -> Any:
    """Return the entries where a condition holds, both flat."""
    if not is_on_host(condition):
        return cp.extract(condition, a)
    return compress(cp, np.ravel(condition).tolist(), a)


def repeat(cp, a, repeats, axis: int | None = None) -> Any:
    """Repeat each entry as often as `repeats` says; one count stands for all, as in NumPy."""
    if not is_on_host(repeats) or isinstance(repeats, int):
        return cp.repeat(a, repeats, axis)
    if np.size(repeats) == 1:
        return cp.repeat(a, np.ravel(repeats).item(), axis)
    a, axis = flattened(a, axis)
    return cp.take(a, cp.asarray(np.repeat(np.arange(a.shape[axis]), repeats)), axis=axis)
