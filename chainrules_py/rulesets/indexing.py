"""Reading entries: each function here is `x[index]` for some index, and its adjoint writes into that index.

The cotangents are thunks that add themselves into the accumulation buffer, so that reading an array entry by entry and
differentiating costs what reading it costs.
"""

import operator
from typing import Any

import numpy as np

from chainrules_py.arrays import Array, Scalar
from chainrules_py.makers import ArraySpec, linear_rule
from chainrules_py.projection import ProjectTo
from chainrules_py.propagators import Pullback
from chainrules_py.registry import default_rules
from chainrules_py.rulesets.scatter import scattered, scattered_flat
from chainrules_py.tangents import NO_TANGENT

rrule, frule = default_rules.rrule, default_rules.frule
_ALL = slice(None)


@rrule.register(operator.getitem)
def getitem_rrule(a: Array | Scalar, index: object) -> tuple[Any, Pullback]:
    """y = a[index]; a_bar[index] += y_bar."""
    shape, dtype = a.shape, a.dtype

    def getitem_pullback(y_bar: Any) -> tuple[Any, Any]:
        return scattered(y_bar, index, shape, dtype), NO_TANGENT

    return a[index], getitem_pullback


@frule.register(operator.getitem)
def getitem_frule(dots: tuple[Any, Any], a: Array | Scalar, index: object) -> tuple[Any, Any]:
    """Reading is linear: y_dot = a_dot[index]."""
    return a[index], dots[0][index]


@linear_rule(np.take)
def take_adjoint(y_bar: Any, a: ArraySpec, *, indices: Any, axis: int | None = None, mode: str = "raise", xp: Any) -> Any:
    """Adds each entry where it was taken from."""
    index = within(as_index(indices), a.size if axis is None else a.shape[axis], mode, xp)
    if axis is None:
        return scattered_flat(y_bar, index, a, xp)
    return scattered(y_bar, (*(_ALL,) * (axis % a.ndim), index), a.shape, a.dtype)


def as_index(indices: Any) -> Any:
    """Numbers and lists as an array; arrays of any library as they are."""
    return indices if hasattr(indices, "dtype") else np.asarray(indices)


def within(indices: Any, length: int, mode: str, xp: Any) -> Any:
    """The indices as `mode` reads them: brought into the axis by wrapping or clipping, or as they are."""
    if mode == "wrap":
        return indices % max(length, 1)
    return xp.clip(indices, 0, length - 1) if mode == "clip" else indices


@linear_rule(np.take_along_axis)
def take_along_axis_adjoint(y_bar: Any, arr: ArraySpec, *, indices: Any, axis: int | None = -1, xp: Any) -> Any:
    """Adds each entry where it was taken from."""
    if axis is None:
        return scattered_flat(y_bar, indices, arr, xp)
    return scattered(y_bar, along_axis(indices, arr.shape, axis), arr.shape, arr.dtype)


def along_axis(indices: Any, shape: tuple[int, ...], axis: int) -> tuple[Any, ...]:
    """The index of `take_along_axis`: `indices` on one axis, every other axis in step with them."""
    ndim = len(shape)
    steps = [np.arange(n).reshape((1,) * k + (n,) + (1,) * (ndim - k - 1)) for k, n in enumerate(shape)]
    return tuple(indices if k == axis % ndim else step for k, step in enumerate(steps))


# --- Entries that a condition selects ---


@rrule.register(np.compress)
def compress_rrule(condition: object, a: Array, *, axis: int | None = None, xp: Any) -> tuple[Any, Pullback]:
    """The slices where the condition holds; it may be shorter than the axis."""
    y = xp.compress(condition, a, axis=axis)
    project, spec = ProjectTo(a), ArraySpec.of(a)

    def compress_pullback(y_bar: Any) -> tuple[Any, Any]:
        chosen = xp.nonzero(as_index(condition))[0]
        if axis is None:
            return NO_TANGENT, project(scattered_flat(y_bar, chosen, spec, xp))
        return NO_TANGENT, scattered(y_bar, (*(_ALL,) * (axis % spec.ndim), chosen), spec.shape, spec.dtype)

    return y, compress_pullback


@frule.register(np.compress)
def compress_frule(dots: tuple[Any, Any], condition: object, a: Array, *, axis: int | None = None, xp: Any) -> tuple[Any, Any]:
    """The same slices of the tangent."""
    return xp.compress(condition, a, axis=axis), xp.compress(condition, dots[1], axis=axis)


@rrule.register(np.extract)
def extract_rrule(condition: object, arr: Array | Scalar, *, xp: Any) -> tuple[Any, Pullback]:
    """The entries where the condition holds, both flat."""
    y = xp.extract(condition, arr)
    project, spec = ProjectTo(arr), ArraySpec.of(arr)

    def extract_pullback(y_bar: Any) -> tuple[Any, Any]:
        chosen = xp.nonzero(xp.ravel(as_index(condition)))[0]
        return NO_TANGENT, project(scattered_flat(y_bar, chosen, spec, xp))

    return y, extract_pullback


@frule.register(np.extract)
def extract_frule(dots: tuple[Any, Any], condition: object, arr: Array | Scalar, *, xp: Any) -> tuple[Any, Any]:
    """The same entries of the tangent."""
    return xp.extract(condition, arr), xp.extract(condition, dots[1])


@linear_rule(np.delete)
def delete_adjoint(y_bar: Any, arr: ArraySpec, *, obj: Any, axis: int | None = None, xp: Any) -> Any:
    """Zeros where entries were deleted."""
    if axis is None:
        return scattered_flat(y_bar, np.delete(np.arange(arr.size), obj), arr, xp)
    axis %= arr.ndim
    kept = np.delete(np.arange(arr.shape[axis]), obj)
    return scattered(y_bar, (*(_ALL,) * axis, kept), arr.shape, arr.dtype)


@rrule.register(np.trim_zeros)
def trim_zeros_rrule(filt: Array, *, trim: str = "fb", axis: Any = None, xp: Any) -> tuple[Any, Pullback]:
    """Slices of the argument; which ones depends on where it is exactly 0."""
    shape, dtype, box = filt.shape, filt.dtype, nonzero_box(filt, trim, axis, xp)

    def trim_zeros_pullback(y_bar: Any) -> tuple[Any]:
        return (scattered(y_bar, box, shape, dtype),)

    return xp.trim_zeros(filt, trim=trim, axis=axis), trim_zeros_pullback


@frule.register(np.trim_zeros)
def trim_zeros_frule(dots: tuple[Any], filt: Array, *, trim: str = "fb", axis: Any = None, xp: Any) -> tuple[Any, Any]:
    """The same slices of the tangent."""
    return xp.trim_zeros(filt, trim=trim, axis=axis), dots[0][nonzero_box(filt, trim, axis, xp)]


def nonzero_box(filt: Any, trim: str, axis: Any, xp: Any) -> tuple[slice, ...]:
    """The smallest box that holds all entries that are not 0; with everything 0, an empty one."""
    axes = range(filt.ndim) if axis is None else [k % filt.ndim for k in (axis if isinstance(axis, tuple) else (axis,))]
    found = xp.nonzero(filt)
    box = [_ALL] * filt.ndim
    for k in axes:
        empty = found[k].size == 0
        first, last = (0, -1) if empty else (int(found[k].min()), int(found[k].max()))
        box[k] = slice(first if "f" in trim.lower() else None, last + 1 if "b" in trim.lower() or empty else None)
    return tuple(box)
