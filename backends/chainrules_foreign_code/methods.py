"""Methods that foreign code calls: ``x.item()``, ``x.tolist()``, ``x.round(decimals)`` and others.

The code of foreign functions calls these functions in the place of the methods (see
`replaced_calls`), because elsewhere the methods give plain values, or refuse. Of any other object
they call the method of this name.
"""

from functools import partial, update_wrapper
from types import FrameType
from typing import Any

import numpy as np

import chainrules_tape.numpy as tnp
from chainrules_foreign_code.conversions import traced_number
from chainrules_foreign_code.new_arrays import is_made_to_be_written, makes_plain
from chainrules_foreign_code.rounding import rounding_by
from chainrules_foreign_code.stand_in_modules import stand_in_module
from chainrules_foreign_code.steps import KINDS, integers_by, note_integers
from chainrules_py.annotations import Function
from chainrules_py.introspection import asks_identity, frame_above
from chainrules_tape.core.levels import call_traced, open_levels
from chainrules_tape.numpy.objects import holds_traced_objects
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.handles import TracedArray


def item(x, *index, **options) -> Any:
    """``x.item()``: the one entry, or that at an index, as a traced number."""
    if not issubclass(type(x), TracedArray):
        return x.item(*index, **options)
    if not index and x.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    if len(index) == 1:
        at = index[0]
        return item(x[at] if isinstance(at, tuple) else np.ravel(x)[at])
    return traced_number(x[index] if index else x, x.dtype)


def tolist(x, *args, **options) -> Any:
    """``x.tolist()``: nested lists of traced numbers."""
    if not issubclass(type(x), TracedArray):
        return x.tolist(*args, **options)
    if x.ndim:
        return [tolist(part) for part in x]
    return traced_number(x, x.dtype)


@rounding_by
def round_method(x, *args, **options):
    """``x.round(decimals)``, which refuses a derivative that its steps would cut."""
    return x.round(*args, **options)


def astype(x, *args, **options) -> Any:
    """``x.astype(dtype)``, where integers cut off digits, and arrays of objects are traced."""
    convert = partial(x.astype, *args, **options)
    if not open_levels:
        return convert()
    dtype = args[0] if args else options.get("dtype")
    if issubclass(type(x), TracedArray) and np.dtype(dtype).kind in KINDS:
        y = convert()
        note_integers(y, (x,), calling_frame(), "x.astype(int)")
        return y
    if holds_traced_objects(x) and np.dtype(dtype).kind in "fc":
        return call_traced(np.array, (x.tolist(),), {"dtype": dtype})
    return to_be_written(convert(), frame_above(1), x)


def copy(x, *args, **options) -> Any:
    """``x.copy()``, of a plain array as one that traced values may be written to."""
    copied = x.copy(*args, **options)
    return to_be_written(copied, frame_above(1), x) if open_levels else copied


def to_be_written(copied, frame: FrameType, x, is_buffer: bool = False) -> Any:
    """The copy of an array in the place where traced values may be written to it.

    Only a plain array of real or complex numbers is another one there, and only where the code that
    copies it writes into arrays, or makes it for others to fill.
    """
    is_plain = type(copied) is np.ndarray and copied is not x and copied.dtype.kind in "fc"
    is_filled = is_buffer and not makes_plain(frame, ())
    if not is_plain or not (is_filled or is_made_to_be_written(frame)):
        return copied
    return tnp.array(copied, order="K")


def taking_traced(name: str) -> Function:
    """``a.dot(x)`` or its like, where `a` may be a plain array, whose own method converts `x`."""

    def call_method_of_plain(a, *args, **options):
        takes_traced = open_levels and args and issubclass(type(args[0]), TracedArray)
        if takes_traced and isinstance(a, np.ndarray):
            return getattr(np, name)(a, *args, **options)
        return getattr(a, name)(*args, **options)

    return update_wrapper(call_method_of_plain, getattr(np.ndarray, name))


dot, searchsorted = taking_traced("dot"), taking_traced("searchsorted")


def of_objects(name: str) -> Function:
    """``x.mean()`` and its like, which NumPy converts where `x` is an array of objects."""
    function = getattr(np, name)
    of_integer_results = integers_by(function)

    def call_method_of_objects(x, *args, **options):
        if open_levels and holds_traced_objects(x):
            return call_traced(function, (call_traced(np.array, (x.tolist(),), {}), *args), options)
        if "dtype" in options and issubclass(type(x), TracedArray):
            return of_integer_results(x, *args, **options)
        return getattr(x, name)(*args, **options)

    return update_wrapper(call_method_of_objects, getattr(np.ndarray, name))


def array(x, *args, **options) -> Any:
    """``x.__array__()``, which gives what ``numpy.asarray(x)`` gives."""
    if not issubclass(type(x), TracedArray):
        return x.__array__(*args, **options)
    return stand_in_module("numpy").asarray(x, *args, **options)


def array_namespace(x, *args, **options):
    """``x.__array_namespace__()``; NumPy itself, for which that of traced arrays stands, where the
    caller asks which module it is.
    """
    found = x.__array_namespace__(*args, **options)
    is_compared = asks_identity(frame_above(1).f_code)
    return getattr(found, "__wrapped__", found) if is_compared else found
