"""What a function makes of stored arrays: a view of their memory where NumPy gives a view, and a
value elsewhere.

Nothing here knows which functions give views. NumPy decides, by what it does to plain memory:

    before the first write, a traced value has the plain array that NumPy's own function gave. What
    shares memory with that in NumPy does here (`aliases`); each rule's value keeps to it, which
    `tests/in_place/test_memory_of_results.py` checks

    afterwards, the function is called on what the stored arrays hold, which are copies. Where the
    result is a view of a copy, the function is called on the memory itself as well, and what is a
    view of that is one here

What mostly is a view is asked of the memory first (`ASKED_FIRST`), because a view costs nothing and
a copy what it holds.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.core.levels import call, differentiates_here, innermost, writers
from chainrules_tape.in_place.reading import settled_in
from chainrules_tape.in_place.regions import overlaps, part, region_of
from chainrules_tape.in_place.storages import STORED, as_buffer, handle_on
from chainrules_tape.refusals.handles import TracedArray, plain

# Functions of which the result mostly is a view: a matter of costs alone.
ASKED_FIRST = frozenset(
    (
        *(
            np.transpose,
            np.matrix_transpose,
            np.permute_dims,
            np.swapaxes,
            np.moveaxis,
            np.rollaxis,
            np.reshape,
            np.ravel,
        ),
        *(
            np.squeeze,
            np.expand_dims,
            np.atleast_1d,
            np.atleast_2d,
            np.atleast_3d,
            np.broadcast_to,
            np.broadcast_arrays,
        ),
        *(
            np.real,
            np.imag,
            np.diagonal,
            np.diag,
            np.flip,
            np.fliplr,
            np.flipud,
            np.rot90,
            np.split,
            np.array_split,
        ),
        *(
            np.hsplit,
            np.vsplit,
            np.dsplit,
            np.unstack,
            np.lib.stride_tricks.sliding_window_view,
            np.real_if_close,
        ),
        *(np.linalg.diagonal, np.linalg.matrix_transpose, np.astype),
    )
)
# into an order that they are given
COPYING = frozenset({np.copy, np.array, np.asarray, np.asanyarray})
_DISPATCHED = type(np.sum)  # functions that hand a call with traced values over by themselves


def function_of_stored(primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of a function of NumPy of which some arguments are stored arrays."""
    if primal in COPYING and args and type(args[0]) in STORED:
        args = (args[0], *[order_of_copy(args[0], arg) for arg in args[1:]])
        options = {name: order_of_copy(args[0], option) for name, option in options.items()}
    compute = primal if type(primal) is _DISPATCHED else partial(called, primal)
    # a diagonal, perhaps
    is_view = primal in ASKED_FIRST or (primal is np.einsum and len(args) == 2)
    return of_stored(compute, args, options, asked_first=is_view)


def order_of_copy(x: Any, option: Any) -> Any:
    """The order that "A" stands for, which is up to the memory of a stored array; other options as
    they are.
    """
    if type(option) is not str or option != "A":
        return option
    flags = x.part.flags
    return "F" if flags.f_contiguous and not flags.c_contiguous else "C"


def called(primal: Any, *args: Any, **options: Any) -> Any:
    """The result of a function that NumPy does not hand over by itself."""
    return call(primal, args, options)


def of_stored(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    options: dict[str, Any],
    *,
    asked_first: bool = False,
) -> Any:
    """The result of a function of which some arguments are stored arrays: views of these, where
    NumPy gives views.

    What is no view is an array that traced values can be written into: while something is
    differentiated, or always where the function was asked for a view.
    """
    given = (args, options)
    stored = [x for x in leaves_of(given) if type(x) in STORED]
    finish = partial(writable, given=(*args, *options.values()), always=asked_first)

    def in_memory() -> Any:
        own_args, own_options = on_memory(given)
        return function(*own_args, **own_options)

    if innermost((*args, *options.values())) is None:
        y = in_memory()
        return with_views(y, y, stored, finish)
    found = None
    if asked_first:
        found = in_memory()
        if all(is_view(y, stored) for y in leaves_of(found)):
            return with_views(found, found, stored, finish)
    settled_args, settled_options = settled = settled_in(given)
    y = function(*settled_args, **settled_options)
    if found is None and views_some(y, copies_in(settled, given)):
        found = in_memory()
    return with_views(y, found, stored, finish)


def leaves_of(value: Any) -> Iterator[Any]:
    """The values in a container, and in containers in it."""
    if issubclass(type(value), TracedArray) or not is_container(value):
        yield value
        return
    for each in fields(value).values():
        yield from leaves_of(each)


def on_memory(value: Any) -> Any:
    """A value with the memory itself in the place of stored arrays, and plain values in that of all
    that is traced.
    """
    if type(value) in STORED:
        return value.part
    if issubclass(type(value), TracedArray):
        return plain(value)
    if not is_container(value):
        return value
    return rebuild(value, {key: on_memory(each) for key, each in fields(value).items()})


def copies_in(settled: Any, given: Any) -> list[np.ndarray]:
    """The plain arrays that were read for the stored ones."""
    before = set(map(id, leaves_of(given)))
    return [plain(x) for x in leaves_of(settled) if id(x) not in before]


def views_some(y: Any, arrays: list[np.ndarray]) -> bool:
    """Whether something in a result shares memory with some of these arrays."""
    made = [plain(x) for x in leaves_of(y)]
    return any(
        np.may_share_memory(x, array)
        for x in made
        if type(x) is np.ndarray
        for array in arrays
        if type(array) is np.ndarray
    )


def is_view(y: Any, stored: list[Any]) -> bool:
    """Whether a plain result is an array in the memory of a stored one; one without entries is in
    none.
    """
    return (
        type(y) is np.ndarray
        and y.size > 0
        and any(np.may_share_memory(y, x.storage.root) for x in stored)
    )


def with_views(y: Any, found: Any, stored: list[Any], finish: Callable[[Any], Any]) -> Any:
    """A result with handles where `found`, the result on the memory itself, has views; the rest of
    it is finished.
    """
    if is_view(found, stored):
        return view_of(found, stored)
    if is_container(found) and is_container(y):
        views = fields(found)
        return rebuild(
            y,
            {
                key: with_views(each, views.get(key), stored, finish)
                for key, each in fields(y).items()
            },
        )
    return finish(y)


def view_of(array: np.ndarray, stored: list[Any]) -> Any:
    """The handle on a plain view of the memory of one of these stored arrays; that array itself
    where it is all of it.
    """
    for x in stored:
        if x.part is array:
            return x
    storage = next(x.storage for x in stored if np.may_share_memory(array, x.storage.root))
    # windows stand on an array between them and the root
    if array is not storage.root and array.base is not storage.root:
        array, is_writeable = (
            part(storage.root, region_of(array, storage.root)),
            array.flags.writeable,
        )
        array.flags.writeable = is_writeable
    if overlaps(array.shape, array.strides, array.itemsize):
        # which of its entries would be written last, only NumPy knows
        array.flags.writeable = False
    return handle_on(storage, array)


def writable(y: Any, given: tuple[Any, ...] = (), *, always: bool = False) -> Any:
    """The result of an operation on stored arrays: while something is differentiated, plain ones
    take traced values, too.

    An array that shares memory with one that the operation was given is the caller's.
    """
    if type(y) is np.ndarray:
        is_callers = any(type(x) is np.ndarray and np.may_share_memory(x, y) for x in given)
        return as_buffer(y) if not is_callers and (always or differentiates_here()) else y
    if issubclass(type(y), TracedArray) or not is_container(y):
        return y
    return rebuild(
        y, {key: writable(each, given, always=always) for key, each in fields(y).items()}
    )


writers["read"] = function_of_stored
