"""Making arrays: from other arrays, from one number, and between two ends."""

from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, Space, composed, ignore_derivatives
from chainrules_py.annotations import Function
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import Linearised, linear_rule, linearised_rule
from chainrules_py.makers.joint import Sequences
from chainrules_py.makers.lists import ArrayLike
from chainrules_py.rulesets.formulas.array_likes import on_arrays, reshaping
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
    require_no_fields(y)
    return y, reshaping(shape_of(x), shape_of(x), xp), None


def require_no_fields(y) -> None:
    """Raise for an array whose entries have fields: it holds numbers, and has no tangents."""
    fields = getattr(y.dtype, "names", None)
    if fields:
        raise NotDifferentiableError(
            "numpy.array, or y.astype",
            f"a dtype with the fields {', '.join(fields)}, whose entries have no tangents",
            "make an array of numbers for each field",
            primal=np.array,
            argument="dtype",
        )


def has_no_memory(x) -> bool:
    """Whether `x` belongs to a library whose arrays nobody writes to, so that an order or a copy
    means nothing.
    """
    library = library_of(type(x))
    return library is not None and not library.mutable and not library.buffer_types


def converted_numbers(make: Function, x, dtype, ndmin: int, xp, **layout) -> Linearised:
    """An array of the same numbers; a cast where arrays have no memory, which can be traced."""
    if not has_no_memory(x):
        y = make(x, dtype=dtype, **layout)
    else:
        y = x if shape_of(x) else xp.reshape(x, ())  # of a number, too
        if dtype is not None:
            y = xp.astype(y, dtype)
    require_no_fields(y)
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
    return converted_numbers(xp.asarray, a, dtype, 0, xp, order=order, copy=copy)


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
    return converted_numbers(xp.array, object, dtype, ndmin, xp, copy=copy, order=order)


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
    return converted_numbers(xp.asanyarray, a, dtype, 0, xp, **layout)


def contiguous_rule(primal) -> None:
    """Register the rules of a conversion to arrays with at least one axis, contiguous in an order
    of their axes.
    """

    @linearised_rule(primal)
    def contiguous_linearised(a: Array | Scalar, *, dtype: Any = None, xp) -> Linearised:
        return converted_numbers(getattr(xp, primal.__name__), a, dtype, 1, xp)


contiguous_rule(np.ascontiguousarray)
contiguous_rule(np.asfortranarray)


def stacked_lists(nested, dtype, order: str | None, copy, xp, ndmin: int = 0) -> Linearised:
    """Nested lists of numbers and arrays, stacked from the inside out: in the order of C, whatever
    that of the parts. It is a copy, whether one is asked for or not.
    """
    if copy is False or getattr(copy, "name", None) == "NEVER":
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    in_order = {"order": "F" if order == "F" else "C"}
    return on_arrays(
        lambda a, xp: converted_numbers(xp.asarray, a, dtype, ndmin, xp, **in_order), (nested,), xp
    )


@linearised_rule(np.array)
def nested_array_linearised(
    nested: Sequences,
    *,
    dtype: Any = None,
    order: str = "K",
    copy: Any = True,
    ndmin: int = 0,
    xp,
) -> Linearised:
    return stacked_lists(nested, dtype, order, copy, xp, ndmin)


@linearised_rule(np.asarray)
def nested_asarray_linearised(
    nested: Sequences, *, dtype: Any = None, order: str | None = None, copy: Any = None, xp
) -> Linearised:
    return stacked_lists(nested, dtype, order, copy, xp)


# --- One number everywhere ---


@composed(np.full)
def full(shape: object, fill_value: ArrayLike, *, dtype: Any = None, order: Any = "C", xp):
    """What is broadcast to a shape, in memory of its own."""
    return xp.array(xp.broadcast_to(fill_value, shape), dtype=dtype, order=order, copy=True)


@composed(np.full_like)
def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    *,
    dtype: Any = None,
    order: str = "K",
    shape: Any = None,
    xp,
):
    """A full array in the shape, dtype and order of the first argument."""
    like = ignore_derivatives(a)
    everywhere = xp.ones_like(like, dtype=bool, order=order, shape=shape)
    return xp.where(everywhere, fill_value, fill_value).astype(
        dtype or getattr(like, "dtype", type(like))
    )
