"""Functions of NumPy's on plain arrays, with less overhead.

For a handful of numbers `numpy.sum` takes as long to reach `numpy.add.reduce` as that takes to add
them, and rules call it for every operation of a tape; and `numpy.add.reduce` adds rows one by one,
however short they are. Each function here returns what NumPy's does, to the last bit, and calls
NumPy's for whatever is no plain array.
"""

from typing import Any

import numpy as np

from chainrules_py.annotations import Function

_SHORT = 16  # longer rows NumPy adds up in several rounds, and a row costs it little then
_MANY = 100  # rows per number in a row, from which the columns win


def sum_of_array(a, axis: Any = None, **options):
    """Sum a plain array, by the ufunc or column by column; any other value goes to ``numpy.sum``."""
    if type(a) is not np.ndarray:
        return np.sum(a, axis, **options)
    if type(axis) is int and not options and has_many_short_rows(a, axis):
        return sum_of_columns(a)
    return np.add.reduce(a, axis, **options)


def has_many_short_rows(a, axis: int) -> bool:
    """Tell whether an axis is the last one of a large array of floats, and short."""
    shape = a.shape
    if not shape or not 1 < shape[-1] < _SHORT or (axis != -1 and axis != len(shape) - 1):
        return False
    return (
        a.size >= _MANY * shape[-1] ** 2
        and a.dtype.char in "df"
        and a.dtype.isnative
        and a.flags.c_contiguous
        and a.flags.aligned
    )


def sum_of_columns(a) -> Any:
    """Sum over the last axis, column by column: (50000, 3) in a sixteenth of the time.

    In the order in which NumPy adds up a row: fewer than eight numbers one after the other; eight
    in a tree of pairs, and the others to their sum.
    """
    columns = [a[..., k] for k in range(a.shape[-1])]
    total = columns[0] + columns[1]
    rest = columns[2:]
    if len(columns) >= 8:
        c, d, e, f, g, h, *rest = rest
        total += c + d
        total += (e + f) + (g + h)
    for column in rest:
        total += column
    total += 0.0  # NumPy begins with zero: a row of negative zeros adds up to a positive one
    return total


def largest_of_array(a, axis: Any = None, **options):
    """Return the largest entry of a plain array, by the ufunc; any other value goes to
    ``numpy.max``.
    """
    reduce: Any = np.maximum.reduce if type(a) is np.ndarray else np.max
    return reduce(a, axis, **options)


def smallest_of_array(a, axis: Any = None, **options):
    """Return the smallest entry of a plain array, by the ufunc; any other value goes to
    ``numpy.min``.
    """
    reduce: Any = np.minimum.reduce if type(a) is np.ndarray else np.min
    return reduce(a, axis, **options)


def swapped_array(a, axis1, axis2):
    """Swap two axes of a plain array, by its method; any other value goes to ``numpy.swapaxes``."""
    return a.swapaxes(axis1, axis2) if type(a) is np.ndarray else np.swapaxes(a, axis1, axis2)


def reshaped_array(a, shape, **options):
    """Reshape a plain array, by its method; any other value goes to ``numpy.reshape``."""
    return a.reshape(shape, **options) if type(a) is np.ndarray else np.reshape(a, shape, **options)


def rolled_array(a, shift, axis: Any = None):
    """Roll a plain array along one axis, in two parts; any other call goes to ``numpy.roll``."""
    if (
        type(a) is not np.ndarray
        or type(shift) is not int
        or type(axis) is not int
        or not 0 <= axis < a.ndim
        or not a.size
    ):
        return np.roll(a, shift, axis)
    y, along = np.empty_like(a), (slice(None),) * axis
    # the entries before `split` go to the end, and those from it on to the front
    split = -shift % a.shape[axis]
    y[*along, a.shape[axis] - split :] = a[*along, :split]
    y[*along, : a.shape[axis] - split] = a[*along, split:]
    return y


def stacked_arrays(arrays, axis: Any = 0, **options):
    """Stack plain arrays of one shape, by joining them: 1.5 us for two, where ``numpy.stack``
    takes 2.8; any other call goes to that.
    """
    if options or type(axis) is not int or type(arrays) not in (list, tuple) or not arrays:
        return np.stack(arrays, axis, **options)
    first = arrays[0]
    for x in arrays:
        if type(x) is not np.ndarray or x.shape != first.shape:
            return np.stack(arrays, axis)
    along = axis if axis >= 0 else axis + first.ndim + 1
    if not 0 <= along <= first.ndim:
        return np.stack(arrays, axis)
    index = (slice(None),) * along + (None,)
    return np.concatenate([x[index] for x in arrays], along)


SHORTCUTS: dict[Any, Function] = {
    np.sum: sum_of_array,
    np.max: largest_of_array,
    np.min: smallest_of_array,
    np.reshape: reshaped_array,
    np.swapaxes: swapped_array,
    np.roll: rolled_array,
    np.stack: stacked_arrays,
}
