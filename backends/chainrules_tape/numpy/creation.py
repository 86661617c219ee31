"""The functions that make arrays, here of a kind that traced values may be assigned to.

What they return is no `numpy.ndarray`, because code in C would read, and write, the memory of one
without asking. It answers as one to Python; a function that converts it gets a copy of the plain
numbers. Where code sees plain values only (`plain_code`), they return NumPy's arrays: in the body
of a primitive, say, which may be compiled.
"""

from functools import cache
from typing import Any

import numpy

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.values.arrays import call, making, taken_in
from chainrules_py.values.plain_code import sees_plain_values
from chainrules_py.values.structure import leaves_of
from chainrules_tape.core.levels import open_levels
from chainrules_tape.in_place.held_memory import is_held
from chainrules_tape.in_place.layouts import LIKE, with_layout
from chainrules_tape.in_place.reading import read_now
from chainrules_tape.in_place.storages import STORED, as_buffer
from chainrules_tape.numpy.namespaces import made_interceptable, takes_the_place_of, with_plain_copy
from chainrules_tape.numpy.objects import (
    array_of_objects,
    full_of_objects,
    holds_traced_objects,
)
from chainrules_tape.refusals.errors import raise_lost_gradient
from chainrules_tape.refusals.handles import TracedArray


def creating(make) -> Function:
    """The function, whose real and complex arrays take traced values.

    >>> from chainrules_tape import grad
    >>> def squares(x):
    ...     y = creating(numpy.zeros)(2)
    ...     y[0], y[1] = x * x, x
    ...     return numpy.sum(y)
    >>> grad(squares)(3.0)
    7.0
    """
    # by the first call: it reads the rules, which an import does not
    found = cache(lambda: made_interceptable(make))

    def create(*args, **options):
        if sees_plain_values():
            return make(*args, **options)
        # a recording is under way, which makes arrays of plain arguments
        if making.call is not None and are_plain(args, options):
            y = making.call(make, args, options)
            return y if may_be_others(make, options) else as_buffer(y)
        # like a stored array whose numbers another library has, which makes this one, too
        if make in LIKE:
            args, options = with_names(make, args, options)
            like: Any = args[0] if args else None
            if type(like) in STORED and like.storage.current().library != "numpy":
                read = call_like(make, args, options)
                return as_buffer(with_layout(read, make, args, options))
        # `array` may give back what it was given, or make an array of objects, as `full` may
        if options and make is numpy.array:
            options = with_plain_copy(options)
            if may_be_others(make, options):
                return found()(*args, **options)
            if "dtype" in options and open_levels:
                args, made = of_objects(args, options["dtype"])
                if made is not None:
                    return made
        if make is numpy.full and open_levels:
            filled = full_of_objects(*args, **options)
            if filled is not None:
                return filled
        # an argument is an array of another library that can be written to
        if is_held((*args, *options.values())):
            args = tuple(map(taken_in, args))
            return as_buffer(with_layout(call(make, *args, **options), make, args, options))
        return as_buffer(with_layout(found()(*args, **options), make, args, options))

    return takes_the_place_of(make)(create)


def may_be_others(make, options: Options) -> bool:
    """Whether a function may give the array that it was given, or a view of it."""
    return make is numpy.array and not with_plain_copy(options).get("copy", True)


def are_plain(args: Args, options: Options) -> bool:
    """Whether no argument is traced, nor takes traced values, in containers, too."""
    leaves = leaves_of((*args, *options.values()))
    return not any(issubclass(type(x), TracedArray) for x in leaves)


def with_names(make, args: Args, options: Options) -> tuple[Args, Options]:
    """The arguments of `zeros_like` and the like, with the options behind the values by name."""
    count = 2 if make is numpy.full_like else 1
    if len(args) <= count:
        return args, options
    named = zip(("dtype", "order", "subok"), args[count:], strict=False)
    return args[:count], {**dict(named), **options}


def call_like(make, args: Args, options: Options) -> Any:
    """Call `zeros_like` or its like on the entries that stored arrays have at this moment."""
    read = tuple(map(read_now, args))
    traced = any(issubclass(type(x), TracedArray) for x in read)
    return make(*read, **options) if traced else call(make, *map(taken_in, read), **options)


def of_objects(args: Args, dtype) -> tuple[tuple[Any, ...], Any]:
    """The arguments of `numpy.array` with arrays of traced objects as lists; or its result.

    The result is an array of objects, if one is asked for, else None.
    """
    if dtype is object or dtype == "O":
        return args, array_of_objects(*args[:1])
    if args and holds_traced_objects(args[0]):
        return (args[0].tolist(), *args[1:]), None
    return args, None


zeros, ones = creating(numpy.zeros), creating(numpy.ones)
empty, full = creating(numpy.empty), creating(numpy.full)
zeros_like, ones_like = creating(numpy.zeros_like), creating(numpy.ones_like)
empty_like, full_like = creating(numpy.empty_like), creating(numpy.full_like)
eye, identity = creating(numpy.eye), creating(numpy.identity)
array, copy = creating(numpy.array), creating(numpy.copy)


def ndarray(
    shape: Any,
    dtype: Any = float,
    buffer: Any = None,
    offset: int = 0,
    strides: Any = None,
    order: Any = None,
) -> Any:
    """The array that a call of ``numpy.ndarray`` makes, which takes traced values as `empty` does.

    Over memory that is given it is NumPy's.
    """
    if issubclass(type(buffer), TracedArray):
        instead = "use x[start:stop].reshape(shape), which is a view, too"
        raise_lost_gradient("numpy.ndarray(shape, buffer=x)", buffer, instead)
    if buffer is None is strides and not offset:
        return empty(shape, dtype, order=order or "C")
    return numpy.ndarray(shape, dtype, buffer, offset, strides, order)
