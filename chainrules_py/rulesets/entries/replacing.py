"""Writing entries as a function, which returns a new array and so has a derivative.

`replaced(a, index, values)` is `a` after ``a[index] = values``. NumPy's in-place functions are such
replacements, too: with the index of a mask (`copyto`, `putmask`, `place`), of flat positions
(`put`, `fill_diagonal`) or along an axis (`put_along_axis`). Engines that let people write in place
record one of these.
"""

from math import prod
from typing import Any

import numpy as np

from chainrules_py import (
    NO_TANGENT,
    AbstractZero,
    Array,
    ProjectTo,
    Scalar,
    frule,
    primitive,
    rrule,
)
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.entries.scatter import hits_nothing_twice, is_known_index, known
from chainrules_py.table.entry_points import Pullback
from chainrules_py.values.arrays import library_of_types
from chainrules_py.values.indices import read


@primitive
def replaced(a: Any, index: Any, values: Any) -> Any:
    """A copy of `a` with ``a[index] = values``; what is written twice keeps what came last.

    >>> replaced(np.zeros(3), np.array([0, 2]), np.array([1.0, 5.0]))
    array([1., 0., 5.])
    """
    library = library_of_types((type(a), type(values)))
    own = library.implementation(replaced)
    if own is not replaced:
        return own(a, index, values)
    y = library.namespace.array(a, copy=True)
    y[index] = values
    return y


@rrule.register(replaced)
def replaced_rrule(
    a: Array, index: object, values: Array | Scalar, *, xp, needs: tuple[bool, ...]
) -> tuple[Any, Pullback]:
    """Overwritten entries have no influence any more; the values receive the cotangents of theirs.

    For a constant that was written nothing is read: where a mask on a device holds, that would wait
    for it.
    """
    space, values_space = ProjectTo(a), ProjectTo(values)

    def replaced_pullback(y_bar) -> tuple[Any, Any, Any]:
        a_bar = space(replaced(y_bar, index, 0.0)) if needs[0] else NO_TANGENT
        if not needs[2]:
            return a_bar, NO_TANGENT, NO_TANGENT
        return (
            a_bar,
            NO_TANGENT,
            values_space(values_adjoint(y_bar, index, space.shape, values_space.shape, xp)),
        )

    return replaced(a, index, values), replaced_pullback


def values_adjoint(y_bar, index, shape: tuple[int, ...], values_shape: tuple[int, ...], xp) -> Any:
    """The cotangent of values of a shape that were written to an index of an array."""
    # nothing is read whose number only the mask knows
    if not values_shape and is_whole_mask(index, shape):
        return xp.sum(xp.where(index, y_bar, 0))
    place = index if 1 in values_shape else known(index, values_shape, y_bar.ndim)
    written_bar = read(y_bar, place)
    if not hits_nothing_twice(index):
        last = xp.asarray(_last(index, shape))  # of an index of lists the host's
        written_bar = xp.where(last, written_bar, 0)
    return _unassigned(written_bar, values_shape, xp)


def is_whole_mask(index, shape: tuple[int, ...]) -> bool:
    """Whether an index is one mask over all axes of an array of this shape."""
    return getattr(getattr(index, "dtype", None), "kind", "") == "b" and index.shape == shape != ()


def _unassigned(written_bar, shape: tuple[int, ...], xp) -> Any:
    """Assignment broadcasts, and lets leading axes of length one be."""
    if written_bar.shape == shape:
        return written_bar
    extra = max(len(shape) - written_bar.ndim, 0)
    return xp.reshape(unbroadcast(written_bar, shape[extra:], xp), shape)


def _last(index, shape: tuple[int, ...]) -> Any:
    """Where an index writes what stays: each entry keeps the last value that was written to it."""
    return last_of(index, shape) if is_known_index(index) else last_in_lanes(index, shape)


def last_of(index, shape: tuple[int, ...]) -> Any:
    """`_last` of an index of arrays, on whatever device they are."""
    library = library_of_types(map(type, index) if isinstance(index, tuple) else (type(index),))
    order = library.implementation(writers)(index, shape)
    return order[index] == numbered(order[index].shape, library.namespace)


@primitive
def last_in_lanes(index, shape: tuple[int, ...]) -> Any:
    """`_last` of an index that differs from example to example, for each of these."""
    return last_of(index, shape)


def writers(index, shape: tuple[int, ...]) -> Any:
    """For each entry of an array the number of the value that an index writes to it last, -1 where
    it writes none.
    """
    order = np.full(shape, -1)
    order[index] = numbered(order[index].shape, np)
    return order


def numbered(shape: tuple[int, ...], xp) -> Any:
    """The numbers of the values that an index of this shape writes, in the order in which they are
    written.
    """
    return xp.arange(prod(shape)).reshape(shape)


@frule.register(replaced)
def replaced_frule(
    dots: tuple[Any, Any, Any], a: Array, index: object, values: Array | Scalar
) -> tuple[Any, Any]:
    """The tangent of what was written, in the tangent of the array."""
    y = replaced(a, index, values)
    xp = library_of_types((type(y),)).namespace
    a_dot = xp.zeros(y.shape, y.dtype) if isinstance(dots[0], AbstractZero) else dots[0]
    return y, replaced(a_dot, index, 0.0 if isinstance(dots[2], AbstractZero) else dots[2])
