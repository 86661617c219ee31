"""Results of functions on stored arrays: views where NumPy gives views, and values elsewhere.

Nothing here knows which functions give views. NumPy decides, by what it does to plain memory:

    before the first write, a traced value has the plain array that NumPy's own function gave. What
    shares memory with that in NumPy does here (`aliases`); each rule's value keeps to it, which
    `tests/in_place/test_memory_of_results.py` checks

    afterwards, the function is called on the values that the stored arrays hold, which are copies.
    Where the result is a view of a copy, the function is called on the memory itself as well, and
    what is a view of that is one here

A function whose result is mostly a view (`MOSTLY_VIEWS`) is called on the memory first, because a
view costs nothing, and a copy what it holds.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.values.arrays import call as call_in_library, given_out, is_numpys, taken_in
from chainrules_py.values.plain_code import sees_plain_values
from chainrules_py.values.structure import fields, is_container, leaves_of, mapped, rebuild
from chainrules_tape.core.levels import call_traced, differentiates_here, innermost, writers
from chainrules_tape.in_place.held_memory import is_held, library_holding
from chainrules_tape.in_place.known_layouts import known_layout
from chainrules_tape.in_place.lane_memory import plain_lane
from chainrules_tape.in_place.layouts import (
    COPYING,
    MOSTLY_VIEWS,
    result_with_layout,
    with_each_part,
    with_layout,
)
from chainrules_tape.in_place.reading import resolved_in
from chainrules_tape.in_place.regions import overlaps, region_of, view_at
from chainrules_tape.in_place.storages import STORED, as_buffer, handle_on
from chainrules_tape.refusals.handles import TracedArray, plain


def function_of_stored(primal, args: Args, options: Options) -> Any:
    """The result of a function of NumPy of which some arguments are stored arrays."""
    if primal in COPYING and args and type(args[0]) in STORED:
        x, *others = args
        args = (x, *[order_of_copy(x, arg) for arg in others])
        options = {name: order_of_copy(x, option) for name, option in options.items()}
    may_be_diagonal = primal is np.einsum and len(args) == 2
    is_view = primal in MOSTLY_VIEWS or may_be_diagonal
    return of_stored(Called(primal), args, options, views_first=is_view)


def order_of_copy(x, option) -> Any:
    """The order that "A" means for a stored array; other options as they are."""
    if type(option) is not str or option != "A":
        return option
    flags = x.plain_view.flags
    return "F" if flags.f_contiguous and not flags.c_contiguous else "C"


class Called:
    """A function of NumPy's, called so that levels see it, whatever it hands over by itself; what
    another library makes for it has the order that NumPy's has.
    """

    __slots__ = ("primal",)

    def __init__(self, primal) -> None:
        self.primal = primal

    def __call__(self, *args, **options) -> Any:
        """Call the function."""
        return with_layout(call_traced(self.primal, args, options), self.primal, args, options)


def of_stored(
    function: Function,
    args: Args,
    options: Options,
    *,
    views_first: bool = False,
) -> Any:
    """The result of a function of stored arrays: views of these, where NumPy gives views.

    What is no view is an array that traced values can be written into: while something is
    differentiated, or always where a view was expected.
    """
    given = (args, options)
    stored = [x for x in leaves_of(given) if type(x) in STORED]
    finish = partial(writable, given=(*args, *options.values()), always=views_first)

    def on_plain_memory() -> Any:
        plain_args, plain_options = in_plain_memory(given)
        return function(*plain_args, **plain_options)

    is_traced = innermost((*args, *options.values())) is not None
    if not is_traced and not has_held((*args, *options.values())):
        y = on_plain_memory()
        return with_views(y, y, stored, finish)
    shown = None
    if views_first:
        shown = on_plain_memory()
        if all(shows_stored(part, stored) for part in leaves_of(shown)):
            return with_views(shown, shown, stored, finish)
    held_args, held_options = held = resolved_in(given)
    y = function(*held_args, **held_options) if is_traced else by_library(function, held)
    if shown is None and shares_memory(y, arrays_read(held, given)):
        shown = on_plain_memory()
    return with_views(y, shown, stored, finish)


def has_held(values: Iterable[Any]) -> bool:
    """Whether another library than NumPy has the numbers of something among plain values."""
    return any(
        x.storage.current().state.held is not None if type(x) in STORED else is_held(x)
        for x in leaves_of(tuple(values))
    )


def by_library(function: Function, held) -> Any:
    """The result of a function of plain values, by the library that has their numbers."""
    args, options = mapped(taken_in, held)
    primal = getattr(function, "primal", None) or function
    y = call_in_library(primal, *args, **options)
    return result_with_layout(primal, y, args, options)


def call_plain(primal: Function, args: Args, options: Options) -> Any:
    """The result of a function of plain values, of which other libraries have the numbers."""
    return by_library(primal, resolved_in((args, options)))


def call_on_memory(primal: Function, args: Args, options: Options) -> Any:
    """The result of a function where nothing is traced, on memory into which it may write."""
    plain_args, plain_options = in_plain_memory((args, options))
    y = primal(*plain_args, **plain_options)
    stored = [x for x in leaves_of((args, options)) if type(x) in STORED]
    return with_views(y, y, stored, lambda part: part)


def in_plain_memory(value) -> Any:
    """A value, or a container, with plain arrays: of stored ones the memory itself."""
    if type(value) in STORED:
        return value.plain_view
    if issubclass(type(value), TracedArray):
        value = plain_lane(value)
    if is_container(value):
        return mapped(in_plain_memory, value)
    is_other = library_holding(value) is not None
    return np.zeros(value.shape, value.dtype) if is_other else value


def arrays_read(held, given) -> list[Any]:
    """The layouts of arrays that were read for stored ones among what was given."""
    before = set(map(id, leaves_of(given)))
    return layouts_beneath(x for x in leaves_of(held) if id(x) not in before)


def layouts_beneath(values: Iterable[Any]) -> list[np.ndarray]:
    """The arrays of NumPy's beneath values, or in the place of another library's."""
    found = [layout_beneath(plain(x)) for x in values]
    return [x for x in found if x is not None]


def layout_beneath(x) -> Any:
    """A plain array of NumPy's, or the layout of another library's; None of what is no array."""
    if is_numpys(x):
        return x
    layout = known_layout(x)
    return None if layout is None else layout.array


def shares_memory(y, arrays: list[np.ndarray]) -> bool:
    """Whether something in a result shares memory with some of these arrays."""
    made = layouts_beneath(leaves_of(y))
    return any(np.may_share_memory(x, array) for x in made for array in arrays)


def shows_stored(y, stored: list[Any]) -> bool:
    """Whether a plain result is an array in the memory of a stored one, and has entries."""
    if not is_numpys(y) or not y.size:
        return False
    return any(np.may_share_memory(y, x.storage.root) for x in stored)


def with_views(y, shown, stored: list[Any], finish: Callable[[Any], Any]) -> Any:
    """A result with views where `shown`, the result on the memory itself, has them."""
    if shows_stored(shown, stored):
        return view_of(shown, stored)
    if not (is_container(shown) and is_container(y)):
        return finish(y)
    return with_each_part(partial(with_views, stored=stored, finish=finish), y, shown)


def view_of(array: np.ndarray, stored: list[Any]) -> Any:
    """The handle on a plain view of a stored array's memory; that array itself, where it is all."""
    for x in stored:
        if x.plain_view is array:
            return x
    storage = next(x.storage for x in stored if np.may_share_memory(array, x.storage.root))
    root, is_writeable = storage.root, array.flags.writeable
    if array is not root and array.base is not root:  # windows stand on an array between them
        array = view_at(root, region_of(array, root))
        array.flags.writeable = is_writeable
    if overlaps(array.shape, array.strides, array.itemsize):
        # which of its entries would be written last, only NumPy knows
        array.flags.writeable = False
    return handle_on(storage, array)


def writable(y, given: tuple[Any, ...] = (), *, always: bool = False) -> Any:
    """The result of an operation on stored arrays, where plain arrays take traced values, too.

    They do while something is differentiated, or `always`. An array that shares memory with one
    that the operation was given is the caller's.
    """
    if is_numpys(y):
        is_callers = any(is_numpys(x) and np.may_share_memory(x, y) for x in given)
        return as_buffer(y) if not is_callers and (always or differentiates_here()) else y
    if is_held(y) and not is_container(y):
        return held_result(y, always)
    if issubclass(type(y), TracedArray) or not is_container(y):
        return y
    parts = fields(y).items()
    return rebuild(y, {key: writable(part, given, always=always) for key, part in parts})


def held_result(y, always: bool) -> Any:
    """A result that another library computed, as the program gets it."""
    if sees_plain_values():  # in a rule
        return as_buffer(y) if always else y
    # what PyTorch makes of tensors by itself is not what NumPy's names mean
    stays = always or differentiates_here() or given_out(y) is not y
    return as_buffer(y) if y.ndim and stays else given_out(y)


writers["read"] = function_of_stored
