"""The layouts of arrays of other libraries: which of them would share memory if they were NumPy's.

JAX's arrays have no views, and those of other libraries not always where NumPy's have some. So an
array has a *layout*, an array of NumPy's in its place: zeros of its shape. What a function of
NumPy's makes of layouts is the layout of its result, and where that is a view, so is the result.
Layouts are made for functions that give views, and for what follows them where memory is not in the
order of C; all other results have memory of their own, in that order.
"""

import operator
from collections.abc import Callable, Sequence
from functools import cache, partial, wraps
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.values.arrays import libraries, shape_of
from chainrules_py.values.structure import fields, is_container, leaves_of, mapped, rebuild
from chainrules_tape.core.levels import call_traced
from chainrules_tape.core.values import LIBRARY_ARRAYS
from chainrules_tape.in_place.held_memory import library_holding
from chainrules_tape.in_place.known_layouts import (
    Layout,
    another,
    known_layout,
    layout_of,
    layouts,
    memory_of,
    remember,
)
from chainrules_tape.refusals.handles import TracedArray, library_beneath, plain

_IN_NUMPY = (
    *("transpose", "matrix_transpose", "permute_dims", "swapaxes", "moveaxis", "rollaxis"),
    *("reshape", "ravel", "squeeze", "expand_dims", "atleast_1d", "atleast_2d", "atleast_3d"),
    *("broadcast_to", "broadcast_arrays", "real", "imag", "diagonal", "diag", "astype"),
    *("flip", "fliplr", "flipud", "rot90", "split", "array_split", "hsplit", "vsplit", "dsplit"),
    *("unstack", "real_if_close"),
)
MOSTLY_VIEWS = frozenset(
    (
        *(getattr(np, name) for name in _IN_NUMPY),
        np.lib.stride_tricks.sliding_window_view,
        np.linalg.diagonal,
        np.linalg.matrix_transpose,
    )
)
LIKE = frozenset({np.zeros_like, np.ones_like, np.empty_like, np.full_like})
# functions that have the order of their result from an argument
ORDERED = frozenset({*LIKE, np.full})
COPYING = frozenset({np.copy, np.array, np.asarray, np.asanyarray})  # into an order that they get

_OTHER_VIEWS = (
    *("ascontiguousarray", "asfortranarray", "require", "einsum", "nan_to_num", "diff", "ix_"),
)
GIVE_VIEWS = frozenset(
    {operator.getitem, *MOSTLY_VIEWS, *COPYING, *(getattr(np, name) for name in _OTHER_VIEWS)}
)


def laying_out(first: int) -> Callable[[Any, tuple[type, ...], Function], Any]:
    """Make what has the values of the rules of a mode get layouts, given the position of the first
    of its arguments that is no tangent.
    """

    def with_layouts(primal, types: tuple[type, ...], function: Function):
        if not may_hold_others(types):
            return function
        may_view = primal in GIVE_VIEWS

        @wraps(function)
        def laid_out(*args, **options) -> tuple[Any, ...]:
            y, *others = function(*args, **options)
            values = args[first:]
            if may_view or layouts or not is_new(y, values):
                y = result_with_layout(primal, y, values, options)
            return y, *others

        return laid_out

    return with_layouts


def may_hold_others(types: tuple[type, ...]) -> bool:
    """Whether values of these classes may be, or hold, arrays of another library than NumPy."""
    if any(map(says_nothing_of_memory, map(library_beneath, types))):
        return True
    if list not in types and tuple not in types:
        return False
    return any(
        not issubclass(library.array_types[0], TracedArray) and says_nothing_of_memory(library.name)
        for library in libraries()
    )


@cache
def says_nothing_of_memory(name: str) -> bool:
    """Whether the arrays of the library of this name are neither NumPy's nor stand for such."""
    if name == "numpy":
        return False
    return all(library.stands_for is None for library in libraries() if library.name == name)


def is_new(y, values: tuple[Any, ...]) -> bool:
    """Whether a result is an array, and none of the arguments.

    If no array has a layout, then it needs none. To find that out by `result_with_layout` takes as
    long as the launch of a kernel.
    """
    if type(y) not in LIBRARY_ARRAYS:
        return False
    for x in values:  # noqa: SIM110 - any() with a generator takes three times as long
        if x is y:
            return False
    return True


def result_with_layout(primal, y, values: tuple[Any, ...], options: Options) -> Any:
    """The result of a function, in another array where NumPy copies and its library does not."""
    if not has_layouts((*values, y)):
        return y
    if any(issubclass(type(x), TracedArray) for x in leaves_of(values)):
        return traced_result_with_layout(primal, y, values, options)
    is_asked = primal in GIVE_VIEWS or has_other_order(values)
    shown = result_on_layouts(primal, values, options) if is_asked else None
    return matched(y, shown, values)


_OF_NUMPY = frozenset({np.ndarray, np.float64, float, int, bool, slice, type(None)})


def has_layouts(values: Sequence[Any]) -> bool:
    """Whether some value is an array of a library that says nothing of memory.

    Without one, a list of NumPy's arrays say, nothing is computed for the sake of layouts: while a
    program is recorded that would be a step of it.
    """
    for x in values:
        cls = type(x)
        if cls in _OF_NUMPY:  # nearly always: 0.05 us, where the library takes 0.5
            continue
        if cls is list or cls is tuple:
            if has_layouts(x):
                return True
        elif is_container(x):
            if has_layouts(tuple(fields(x).values())):
                return True
        elif library_holding(plain(x)) is not None:
            return True
    return False


def has_other_order(values: tuple[Any, ...]) -> bool:
    """Whether some array has memory in another order than that of C."""
    found = map(known_layout, leaves_of(values))
    return any(layout is not None and not layout.array.flags.c_contiguous for layout in found)


def result_on_layouts(primal, values: tuple[Any, ...], options: Options) -> Any:
    """The result of a function on layouts, by NumPy; None where it depends on the numbers."""
    with np.errstate(all="ignore"):
        try:
            return primal(*map(in_layout, values), **options)
        except (ValueError, IndexError, TypeError, ArithmeticError, np.linalg.LinAlgError):
            return None


def with_layout(y, make, args: Args, options: Options) -> Any:
    """An array that another library made, in the order that NumPy's has."""
    if make not in ORDERED or library_holding(array := plain(y)) is None:
        return y
    shown = result_on_layouts(make, args, options)
    if shown is not None and shown.shape == array.shape:
        remember(array, Layout(shown))
    return y


def in_layout(x) -> Any:
    """The layout of an array of another library, in containers too; other values as they are."""
    if issubclass(type(x), TracedArray):
        return memory_of(x)
    if library_holding(x) is not None:
        return layout_of(x).array
    return mapped(in_layout, x) if is_container(x) else x


def traced_result_with_layout(primal, y, values: tuple[Any, ...], options: Options) -> Any:
    """The result of a rule that ran on values of an outer level.

    Its operations gave it a layout, which need not be the one of the function.
    """
    is_known = any(known_layout(plain(part)) is not None for part in leaves_of(y))
    if primal not in GIVE_VIEWS and not is_known:
        return y
    return matched_at_outer_level(y, result_on_layouts(primal, values, options), values)


def with_each_part(change: Callable[[Any, Any], Any], y, shown) -> Any:
    """A container with another value for each part, given what is in its place in another one, or
    None.
    """
    views = fields(shown) if is_container(shown) else {}
    return rebuild(y, {key: change(part, views.get(key)) for key, part in fields(y).items()})


def matched_at_outer_level(y, shown, values: tuple[Any, ...]) -> Any:
    """A traced result that has the layout `shown`, part by part: a copy where NumPy copies."""
    if is_container(y):
        return with_each_part(partial(matched_at_outer_level, values=values), y, shown)
    if library_holding(plain(y)) is None or getattr(shown, "shape", None) != y.shape:
        return y
    own = memory_of(y)
    if own.shape == shown.shape and own.__array_interface__ == shown.__array_interface__:
        return y
    arrays = [plain(x) for x in leaves_of(values)]
    others = [in_layout(x) for x in leaves_of(values)]
    if any(type(other) is np.ndarray and np.may_share_memory(own, other) for other in others):
        y = call_traced(np.copy, (y,), {})
    owner = owner_among(shown, tuple(arrays))
    # an array, which may be written to, even where NumPy has a number
    remember(plain(y), Layout(np.array(shown) if owner is None else shown, owner))
    return y


def matched(y, shown, values: tuple[Any, ...]) -> Any:
    """A result that has the layout `shown`, part by part."""
    if is_container(y):
        return with_each_part(partial(matched, values=values), y, shown)
    has_shape = type(shown) is np.ndarray and shown.shape == shape_of(y)
    owner = owner_among(shown, values) if has_shape else None
    if library_holding(y) is None:
        if owner is None or type(y) is not np.ndarray:
            return y
        # NumPy's own function computed a view, of a copy of what the library has
        y = library_holding(owner).namespace.asarray(y.copy())  # type: ignore[union-attr]
    known = known_layout(y)
    if owner is not None and known is not None and known.array is shown:
        return y  # as NumPy gives the argument itself
    if known is not None or any(y is x for x in values):
        y = another(y)
    if owner is not None:
        remember(y, Layout(shown, owner))
    elif has_shape and not shown.flags.c_contiguous:
        remember(y, Layout(shown.copy("K")))
    return y


def owner_among(shown: np.ndarray, values: tuple[Any, ...]) -> Any:
    """The array that has all of the memory which a layout shows; None where that is new."""
    for x in leaves_of(values):
        if library_holding(x) is None:
            continue
        layout = layout_of(x)
        if np.may_share_memory(shown, layout.array):
            return x if layout.whole is None else layout.whole
    return None


LAYING_OUT = {"reverse": laying_out(0), "forward": laying_out(1)}
