"""Copies and conversions of many examples at once, in the memory where NumPy has those of one.

Code that writes can tell whether an array is a copy, and in which order it lies: that decides what
is a view of it. Lanes stay in front in memory as well.
"""

from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, batched
from chainrules_py.batching.along_axes import Moves
from chainrules_py.batching.lanes import Lanes, Same, behind_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import in_one
from chainrules_py.values.arrays import common_namespace

MOVES = Moves()


def is_in_order(a, order: str) -> bool:
    """Whether each lane of an array lies in memory without gaps, in the order of C or Fortran."""
    if 0 in a.shape:
        return True
    axes = list(zip(a.shape[1:], a.strides[1:], strict=True))
    step = a.dtype.itemsize
    for n, stride in axes if order == "F" else reversed(axes):
        if n > 1 and stride != step:
            return False
        step *= n
    return True


def order_in_lanes(a, order: str | None) -> Any:
    """The order that "A" means for each lane of an array; other orders as they are."""
    if order != "A":
        return order
    has_memory = hasattr(a, "strides")  # there are libraries whose arrays have no order
    return "F" if has_memory and is_in_order(a, "F") and not is_in_order(a, "C") else "C"


def laid_out(a, order: str | None, xp, dtype: Any = None) -> Any:
    """A copy of an array with lanes, in the order in memory that NumPy would give each lane."""
    order = order_in_lanes(a, order)
    if order != "F":
        return xp.array(a, dtype=dtype, order=order or "K", copy=True)
    axes = (0, *range(a.ndim - 1, 0, -1))
    made = xp.array(xp.transpose(a, axes), dtype=dtype, order="C", copy=True)
    return xp.transpose(made, axes)


def in_order_of(a, y, xp) -> Any:
    """A result in the order of Fortran where each lane of an array is in that, else in that of C."""
    order = order_in_lanes(a, "A")
    has_order = not hasattr(y, "strides") or is_in_order(y, order)
    return y if has_order else laid_out(y, order, xp)


def converted_lanes(a, dtype, order: str | None, copy: bool | None) -> Any:
    """An array with lanes as NumPy's `array` gives each of them: itself, or a copy."""
    xp = common_namespace([a])
    if not hasattr(a, "strides"):  # of a library whose arrays have no order in memory
        return xp.array(a, dtype=dtype, copy=copy)
    is_cast = dtype is not None and np.dtype(dtype) != a.dtype
    is_ordered = order in (None, "K", "A") or is_in_order(a, str(order))
    if copy or is_cast or not is_ordered:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return laid_out(a, order, xp, dtype)
    return a


@batched.register(np.array, axes=MOVES)
def array_batched(
    lanes: Lanes,
    object: object,
    *,
    dtype: Any = None,
    copy: bool | None = True,
    order: Any = "K",
    ndmin: int = 0,
    **options,
):
    """Make an array of each lane; one for all of them where only the array of ``like=`` has lanes."""
    if not lanes[0]:
        return Same(np.array(object, dtype=dtype, copy=copy, order=order, ndmin=ndmin))
    own = in_one(lanes[0], object)
    is_new = own is not object  # of a list: what NumPy makes of that is in the order of C
    made = converted_lanes(own, dtype, "C" if is_new and order == "K" else order, copy)
    return behind_lanes(made, ndmin)


@batched.register(np.asarray, np.asanyarray, axes=MOVES)
def asarray_batched(
    lanes: Lanes,
    a: object,
    *,
    dtype: Any = None,
    order: Any = None,
    copy: bool | None = None,
    **options,
):
    """Make an array of each lane; one for all of them where only the array of ``like=`` has lanes."""
    if not lanes[0]:
        return Same(np.asarray(a, dtype=dtype, order=order, copy=copy))
    return converted_lanes(in_one(lanes[0], a), dtype, order, copy)


def with_an_axis(primal, order: str) -> None:
    """Register the rule of a function that gives arrays of some order, of at least one axis."""

    def ordered_batched(lanes: Lanes, a: object, *, dtype: Any = None, **options):
        if not lanes[0]:
            return Same(primal(a, dtype=dtype))
        return converted_lanes(behind_lanes(in_one(lanes[0], a), 1), dtype, order, None)

    batched.register(primal, axes=MOVES)(ordered_batched)


with_an_axis(np.ascontiguousarray, "C")
with_an_axis(np.asfortranarray, "F")


@batched.register(np.copy, axes=MOVES)
def copy_batched(lanes: Lanes, a: object, *, order: str = "K", subok: bool = False):
    """Copy each lane."""
    return converted_lanes(in_one(lanes[0], a), None, order, True)


@batched.register(np.real_if_close, axes=MOVES)
def real_if_close_batched(lanes: Lanes, a: Array | Scalar, *, tol: float = 100):
    """Real numbers as they are; whether complex ones are close to real may differ between lanes."""
    if a.dtype.kind != "c":
        return a
    return looped(np.real_if_close, lanes, (a,), {"tol": tol})
