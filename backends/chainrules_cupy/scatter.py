"""Write entries of arrays on a device.

Repeated indices add up by atomic additions (``cupy.add.at``, the kernel of `cupyx.scatter_add`).
That is one launch whatever the index, but the order in which floating-point numbers that hit the
same entry are added is not fixed, so the last bits of such sums may differ from run to run. A mask
needs no atomics and, unlike in ``x[mask] += values``, no count of what it selects: the host does
not wait. Where values are written, and not added, the last one counts, as in NumPy; CuPy by itself
leaves open which one.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from chainrules_cupy.masks import (
    add_where,
    located,
    place_of_mask,
    set_where,
    view_of_mask,
    without_host_masks,
)
from chainrules_py.values.arrays import common_namespace, library_of_types


def add_at(buffer, index, values, xp) -> None:
    """Do ``buffer[index] += values``, where repeated indices add up."""
    # a rule pack, which loads after its library
    from chainrules_py.rulesets.entries.scatter import hits_nothing_twice, is_basic

    if is_basic(index):
        buffer[index] += values
        return
    if isinstance(index, bool | np.bool):  # a mask without axes, which CuPy would copy and count
        buffer += values[0] if index else 0
        return
    place = place_of_mask(index, buffer.ndim)
    if place is not None:
        add_where(buffer, place, values, xp)
        return
    is_apart = hits_nothing_twice(index)
    index = located(index, values.shape, buffer.ndim)
    if is_apart:
        buffer[index] += values
    elif buffer.dtype.kind == "c":  # there are no atomic additions of complex numbers: part by part
        xp.add.at(buffer.real, index, xp.real(values))
        xp.add.at(buffer.imag, index, xp.imag(values))
    else:
        xp.add.at(buffer, index, values)


def add_chosen(buffer, mask, values, xp) -> None:
    """Do ``buffer += where(mask, values, 0)``, without reading values or buffer where the mask is
    False.
    """
    chosen_kernel(xp)(mask, values.astype(buffer.dtype, copy=False), buffer)


@lru_cache(maxsize=4)
def chosen_kernel(xp) -> Any:
    """Return the kernel of `add_chosen`."""
    return xp.ElementwiseKernel(
        "bool chosen, T value",
        "T buffer",
        "if (chosen) buffer = buffer + value",
        "chainrules_add_chosen",
    )


def replaced(a, index, values) -> Any:
    """Return a copy of `a` with ``a[index] = values``; of values at one place the last counts."""
    from chainrules_py.rulesets.entries.scatter import hits_nothing_twice

    xp = library_of_types((type(a), type(values))).namespace
    place = place_of_mask(index, a.ndim)
    if place is not None:
        return set_where(a, place, values, xp)

    y = a.copy()
    index = without_host_masks(index)
    is_number = not getattr(values, "ndim", 0)

    if is_number:
        beside = view_of_mask(index, a.ndim)
        if beside is not None:
            basic, place = beside
            y[basic] = set_where(y[basic], place, values, xp)
            return y

    if is_number or hits_nothing_twice(index):
        y[index] = values
        return y
    return replaced_by_last(a, index, values, xp)


def replaced_by_last(a, index, values, xp) -> Any:
    """Return a copy of `a` with ``a[index] = values`` for an index that may repeat."""
    lists = (list, np.ndarray)
    parts = [xp.asarray(part) if isinstance(part, lists) else part for part in as_tuple(index)]
    index = tuple(parts)

    order = writers(index, a.shape)
    values = xp.broadcast_to(values, order[index].shape)
    if not values.size:
        return a.copy()

    is_kept = order < 0
    last = xp.take(values, xp.maximum(order, 0))
    return xp.where(is_kept, a, last).astype(a.dtype, copy=False)


def as_tuple(index) -> tuple[Any, ...]:
    """Return the parts of an index."""
    return index if isinstance(index, tuple) else (index,)


def writers(index, shape: tuple[int, ...]) -> Any:
    """Return for each entry the number of the value that is written to it last, -1 for none: a
    maximum, by atomics.
    """
    from chainrules_py.rulesets.entries.replacing import numbered

    xp = common_namespace(as_tuple(index))
    # all versions of CuPy have this maximum for uint64; hence counted from 1
    order = xp.zeros(shape, "uint64")
    xp.maximum.at(order, index, (numbered(order[index].shape, xp) + 1).astype("uint64"))
    return order.astype(int) - 1
