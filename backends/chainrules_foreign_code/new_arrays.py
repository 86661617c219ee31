"""Functions that make arrays, in foreign code, and in SciPy's own modules.

In foreign code ``zeros`` and its like make arrays that traced values may be written to. Of arrays
that are mostly read, as those of ``linspace``, and of copies of plain arrays, only those are such
that are made by code that writes into arrays: to compute with them takes longer.

Compiled code does not take such arrays, and much of SciPy's code hands what it makes to compiled
code at once. It does so with plain values alone, often because a rule has called it for its value.
So a function of SciPy's gets arrays of NumPy's, unless it holds a traced value, or one of SciPy's
functions that have called it does: in a variable, or in an attribute of an object there. Were one
to write a traced value that it came by later, that would be refused, as in code that is not seen
through.
"""

from collections.abc import Iterable
from contextlib import suppress
from contextvars import ContextVar
from functools import update_wrapper
from inspect import unwrap
from itertools import takewhile
from types import FrameType
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.introspection import (
    frame_above,
    frames_outward,
    module_name,
    variables_of_frame,
    writes_into_arrays,
)
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.refusals.handles import HANDLES, TracedArray

CREATION = (
    *("zeros", "ones", "empty", "full", "eye", "identity", "copy", "array"),
    *("zeros_like", "ones_like", "empty_like", "full_like"),
)
# whose arrays are mostly read: a buffer is slower to compute with
MOSTLY_READ = ("arange", "linspace", "logspace", "geomspace")
SCIPY = "scipy."
# whether arrays are made just now by a function with a cache, which keeps them: they are NumPy's
keeping: ContextVar[bool] = ContextVar("keeping", default=False)
IS_HEAP = 1 << 9  # the flag of classes that are made in Python


def made_in_scipy(make: Function) -> Function:
    """The function that makes an array, for foreign code: NumPy's in plain code of SciPy's."""
    original: Any = unwrap(make)

    def made(*args, **options):
        is_plain = open_levels and makes_plain(frame_above(1), (*args, *options.values()))
        return original(*args, **options) if is_plain else make(*args, **options)

    return update_wrapper(made, make)


def made_where_written(function: Function, to_be_written: Function) -> Function:
    """``linspace`` or the like, for foreign code; `to_be_written` makes an array that traced values
    may be written to, where it is made by code that writes into arrays.
    """

    def made(*args, **options):
        is_written = open_levels and is_made_to_be_written(frame_above(1), args)
        return (to_be_written if is_written else function)(*args, **options)

    return update_wrapper(made, function)


def is_made_to_be_written(frame: FrameType, args: Iterable[Any] = ()) -> bool:
    """Whether code writes into arrays, and may write traced values."""
    return not keeping.get() and writes_into_arrays(frame.f_code) and not makes_plain(frame, args)


def makes_plain(frame: FrameType, args: Iterable[Any]) -> bool:
    """Whether an array is made by plain code of SciPy's, of plain arguments."""
    return is_plain_in_scipy(frame) and not holds_traced_or_written(args)


def is_plain_in_scipy(frame: FrameType) -> bool:
    """Whether a frame is SciPy's, and neither it nor those of SciPy's around it hold traced values."""
    if not module_name(frame).startswith(SCIPY):
        return False
    of_scipy = takewhile(lambda one: module_name(one).startswith(SCIPY), frames_outward(frame))
    return not any(holds_traced_or_written(variables_of_frame(one).values()) for one in of_scipy)


def holds_traced_or_written(values: Iterable[Any]) -> bool:
    """Whether some value is traced, or may be written to, or is an object with such an attribute."""
    values = tuple(values)
    if not HANDLES.isdisjoint(map(type, values)) or innermost(values) is not None:
        return True
    return any(
        issubclass(type(part), TracedArray)
        for value in values
        for part in attributes_of(value).values()
    )


def attributes_of(value) -> dict[str, Any]:
    """The attributes of an object, as they stand in it, without asking a method of its class; none of
    a class or a module.
    """
    found = None
    if type(value).__flags__ & IS_HEAP and not issubclass(type(value), type):
        with suppress(Exception):  # a descriptor may raise anything
            found = object.__getattribute__(value, "__dict__")
    return found if type(found) is dict else {}
