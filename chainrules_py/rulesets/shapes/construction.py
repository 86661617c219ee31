"""Making arrays: from other arrays, from one number, and between two ends."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import Array, Integer, Scalar, Space, ignore_derivatives
from chainrules_py.makers import Linearised, LinearMap, linear_rule, linearised_rule
from chainrules_py.makers.joint import Sequences
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.array_likes import NO_CHANGE, on_arrays, reshaping
from chainrules_py.values.arrays import library_of, shape_of

# --- The same numbers: another dtype, another place in memory ---


@linear_rule(np.copy)
def copy_adjoint(y_bar, a: Space, *, order: str = "K", xp):
    """A copy is the same numbers."""
    return xp.reshape(y_bar, a.shape)


@linearised_rule(np.astype)
def astype_linearised(x: Array | Scalar, dtype: object, *, copy: bool = True, xp) -> Linearised:
    # Python's numbers, which traced ones may hold, have no such method.
    y = xp.astype(x, dtype, copy=copy) if hasattr(x, "astype") else xp.asarray(x, dtype=dtype)[()]
    return y, reshaping(shape_of(x), shape_of(x), xp), None


def has_no_memory(x) -> bool:
    """Whether `x` belongs to a library whose arrays nobody writes to, so that an order or a copy
    means nothing.
    """
    library = library_of(type(x))
    return library is not None and not library.mutable and not library.buffer_types


def converted(make: Callable[..., Any], x, dtype, ndmin: int, xp, **layout) -> Linearised:
    """An array of the same numbers; a cast where arrays have no memory, which can be traced."""
    if not has_no_memory(x):
        y = make(x, dtype=dtype, **layout)
    else:
        y = x if shape_of(x) else xp.reshape(x, ())  # of a number, too
        if dtype is not None:
            y = xp.astype(y, dtype)
    y = xp.reshape(y, (1,) * (ndmin - y.ndim) + y.shape) if y.ndim < ndmin else y
    return y, reshaping(shape_of(x), y.shape, xp)


@linearised_rule(np.asarray)
def asarray_linearised(
    a: Array | Scalar,
    *,
    dtype: Any = None,
    order: str | None = None,
    copy: bool | None = None,
    xp,
) -> Linearised:
    return converted(xp.asarray, a, dtype, 0, xp, order=order, copy=copy)


@linearised_rule(np.array)
def array_linearised(
    object: Array | Scalar,
    *,
    dtype: Any = None,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    xp,
) -> Linearised:
    return converted(xp.array, object, dtype, ndmin, xp, copy=copy, order=order)


@linearised_rule(np.asanyarray)
def asanyarray_linearised(
    a: Array | Scalar,
    *,
    dtype: Any = None,
    order: str | None = None,
    copy: bool | None = None,
    xp,
) -> Linearised:
    layout = {
        name: option for name, option in (("order", order), ("copy", copy)) if option is not None
    }
    return converted(xp.asanyarray, a, dtype, 0, xp, **layout)


def contiguous_rule(primal) -> None:
    """Register the rules of a conversion to arrays with at least one axis, contiguous in an order
    of their axes.
    """

    @linearised_rule(primal)
    def contiguous_linearised(a: Array | Scalar, *, dtype: Any = None, xp) -> Linearised:
        return converted(getattr(xp, primal.__name__), a, dtype, 1, xp)


contiguous_rule(np.ascontiguousarray)
contiguous_rule(np.asfortranarray)


def stacked(nested, dtype, order: str | None, copy, xp) -> Linearised:
    """Nested lists of numbers and arrays, stacked from the inside out: in the order of C, whatever
    that of the parts. It is a copy, whether one is asked for or not.
    """
    if copy is False or getattr(copy, "name", None) == "NEVER":
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    in_order = {"order": "F" if order == "F" else "C"}
    return on_arrays(
        lambda a, xp: converted(xp.asarray, a, dtype, 0, xp, **in_order), (nested,), xp
    )


@linearised_rule(np.array)
def nested_array_linearised(
    nested: Sequences, *, dtype: Any = None, order: str = "K", copy: Any = True, xp
) -> Linearised:
    return stacked(nested, dtype, order, copy, xp)


@linearised_rule(np.asarray)
def nested_asarray_linearised(
    nested: Sequences, *, dtype: Any = None, order: str | None = None, copy: Any = None, xp
) -> Linearised:
    return stacked(nested, dtype, order, copy, xp)


# --- One number everywhere ---


def filled_with(fill_value, shape, dtype, xp):
    """An array of this shape that is the fill value everywhere, in operations that trace."""
    filled = xp.broadcast_to(fill_value, shape)  # first: a Python number has no astype
    return filled if dtype is None else xp.astype(filled, dtype)


def is_traced(x) -> bool:
    """Whether `x` belongs to a library whose arrays cannot be written."""
    library = library_of(type(x))
    return library is not None and not library.mutable


def spread_out(shape: tuple[int, ...], own_shape: tuple[int, ...], xp) -> LinearMap:
    """Broadcasting and its adjoint."""
    return LinearMap(
        lambda dot: xp.broadcast_to(dot, shape), lambda y_bar: unbroadcast(y_bar, own_shape, xp)
    )


@linearised_rule(np.full)
def full_linearised(
    shape: Sequences | Integer,
    fill_value: Array | Scalar,
    *,
    dtype: Any = None,
    order: str = "C",
    xp,
) -> Linearised:
    if is_traced(fill_value):
        y = filled_with(fill_value, shape, dtype, xp)
        # what was broadcast has each entry of it once
        y = y if has_no_memory(fill_value) else xp.array(y, order=order)
    else:
        y = xp.full(shape, fill_value, dtype=dtype, order=order)
    return y, None, spread_out(y.shape, shape_of(fill_value), xp)


@linearised_rule(np.full_like)
def full_like_linearised(
    a: Array | Scalar,
    fill_value: Array | Scalar,
    *,
    dtype: Any = None,
    order: str = "K",
    shape: Any = None,
    xp,
) -> Linearised:
    """A full array moves with its fill value; the first argument gives only shape and dtype."""
    if is_traced(fill_value):
        filled = xp.broadcast_to(fill_value, shape_of(a) if shape is None else shape)
        if not has_no_memory(fill_value):
            everywhere = xp.ones_like(a, dtype=bool, order=order, shape=shape)
            # in the order of the first argument
            filled = xp.where(everywhere, filled, np.zeros((), filled.dtype))
        y = xp.astype(filled, dtype or a.dtype)
    else:
        layout = {} if order == "K" else {"order": order}  # not every namespace has a choice
        y = xp.full_like(ignore_derivatives(a), fill_value, dtype=dtype, shape=shape, **layout)
    return y, NO_CHANGE, spread_out(y.shape, shape_of(fill_value), xp)
