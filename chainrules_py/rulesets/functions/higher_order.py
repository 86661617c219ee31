"""NumPy's functions that call a function on pieces of an array, as programs that call it."""

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from chainrules_py import Array, Scalar, Space, composed, linear_rule, primitive
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.array_likes import Function
from chainrules_py.values.arrays import library_of_types, shape_of

# --- Along one axis ---


def axis_of_lines(shape: tuple[int, ...], axis: int) -> int:
    """The axis, counted from the front; raises NumPy's error where there are no lines along it."""
    axis = normalize_axis_index(axis, len(shape))
    if 0 in (*shape[:axis], *shape[axis + 1 :]):
        np.apply_along_axis(len, axis, np.empty(shape))  # raises, whatever the function is
    return axis


def lines_as_rows(arr, axis: int, xp) -> Any:
    """The lines along an axis, as the rows of a matrix."""
    count = math.prod((*arr.shape[:axis], *arr.shape[axis + 1 :]))
    return xp.reshape(xp.moveaxis(arr, axis, -1), (count, arr.shape[axis]))


def array_of_result(result, xp) -> Any:
    """A function's result as NumPy takes it, which makes an array of a list of numbers."""
    return xp.stack(list(result)) if isinstance(result, list | tuple) else result


def from_rows(results: Sequence[Any], shape: tuple[int, ...], axis: int, xp) -> Any:
    """The results for the lines of an array, whose `axis` their own axes replace."""
    others, own = shape[:axis] + shape[axis + 1 :], getattr(results[0], "shape", ())
    y = xp.reshape(xp.stack(list(results)), (*others, *own))
    return xp.moveaxis(y, tuple(range(len(others), y.ndim)), tuple(range(axis, axis + len(own))))


@composed(np.apply_along_axis, one_by_one=True)
def apply_along_axis(func1d: Function, axis: int, arr: Array, *args: object, xp, **kwargs):
    """The results of the function for one line after the other."""
    shape = shape_of(arr)
    axis = axis_of_lines(shape, axis)
    results = [func1d(row, *args, **kwargs) for row in lines_as_rows(arr, axis, xp)]
    return from_rows([array_of_result(result, xp) for result in results], shape, axis, xp)


# --- One axis after the other ---


@composed(np.apply_over_axes)
def apply_over_axes(func: Function, a: Array, axes: object, *, xp):
    """One axis after the other, of which those stay that the function drops."""
    y = a
    for axis in np.ravel(np.asarray(axes)).tolist():
        axis += a.ndim * (axis < 0)
        result = func(y, axis)
        y = result if result.ndim == a.ndim else xp.expand_dims(result, axis)
    return y


# --- By cases ---


def cases_of(x, condlist, funclist, xp) -> list[tuple[Any, Any]]:
    """Pairs of a mask and a function (or value), as `piecewise` reads its arguments.

    Where masks overlap, the last one counts.
    """
    if np.isscalar(condlist) or (x.ndim and is_one_condition(condlist[0])):
        condlist = [condlist]  # a single condition
    masks = [mask_of(condition) for condition in condlist]
    if len(masks) == len(funclist) - 1:
        masks.append(xp.logical_not(reduce(xp.logical_or, masks)))
    return list(zip(masks, funclist, strict=True))


def is_one_condition(x) -> bool:
    """Whether a condition is one number: neither a list nor an array with axes."""
    return not isinstance(x, list) and getattr(x, "ndim", 0) == 0


def mask_of(condition) -> Any:
    """A condition as an array of booleans."""
    if not hasattr(condition, "dtype"):
        return np.asarray(condition, bool)
    return condition if condition.dtype == bool else condition != 0


def covering(mask: Any, ndim: int) -> Any:
    """A mask over the first of this many axes, with the others at length one."""
    return mask.reshape((*mask.shape, *(1,) * (ndim - mask.ndim)))


@primitive
def selected_entries(x: Any, mask: Any) -> Any:
    """The entries where a mask holds, along one axis, for libraries that cannot leave the others out:
    one of the selected entries is in their place.
    """
    own = library_of_types((type(x), type(mask))).implementation(selected_entries)
    return x[mask] if own is selected_entries else own(x, mask)


@linear_rule(selected_entries)
def selected_entries_adjoint(entries_bar, x: Space, *, mask):
    """Puts the cotangents where the entries were."""
    return scatter_add(entries_bar, index=mask, shape=x.shape, dtype=x.dtype)


@composed(np.piecewise, one_by_one=True)
def piecewise(
    x: Array | Scalar, condlist: object, funclist: object, *args: object, xp, **kw
) -> Any:
    """Each function sees the entries of its case, and a later case overwrites an earlier one."""
    if not shape_of(x):  # a number is an array of one entry
        conditions = conditions_of_one(condlist, xp)
        return xp.reshape(
            piecewise(xp.reshape(x, (1,)), conditions, funclist, *args, xp=xp, **kw), ()
        )
    y = xp.zeros(x.shape, x.dtype)
    for mask, value in cases_of(x, condlist, funclist, xp):
        if callable(value):
            library = library_of_types((type(mask),))
            are_left_out = library.implementation(selected_entries) is selected_entries
            own_entries = x[mask] if are_left_out else selected_entries(x, mask=mask)
            if own_entries.size == 0:  # NumPy does not call the function, which may need an entry
                continue
            value = value(own_entries, *args, **kw)
        y = overwritten(y, mask, value, xp)
    return y


def overwritten(y, mask, value, xp) -> Any:
    """`y` with the entries where the mask holds replaced: by one value, or by one each."""
    if getattr(value, "ndim", 0):
        value = scatter_add(value, index=mask, shape=y.shape, dtype=y.dtype)
    return xp.astype(xp.where(covering(mask, y.ndim), value, y), y.dtype)


def conditions_of_one(condlist, xp) -> list[Any]:
    """The conditions on a number as masks of one entry."""
    is_one = np.isscalar(condlist) or getattr(condlist, "ndim", 1) == 0
    conditions: Any = [condlist] if is_one else condlist
    return [xp.reshape(mask_of(condition), (1,)) for condition in conditions]
