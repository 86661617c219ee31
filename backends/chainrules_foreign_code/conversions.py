"""Conversions of traced numbers: ``float(x)``, ``int(x)``, ``numpy.float64(x)`` and their like.

Foreign code calls these in the place of Python's and NumPy's classes (see `replaced_calls`). Plain
values are converted as ever.
"""

from types import FunctionType
from typing import Any

import numpy as np
from numpy import float64, ndarray

from chainrules_foreign_code.lanes import check_each
from chainrules_foreign_code.steps import whole_number
from chainrules_foreign_code.texts import TracedText
from chainrules_py.annotations import Function
from chainrules_py.introspection import frame_above
from chainrules_py.values.python_numbers import in_pythons_form
from chainrules_tape.arrays.zero_dimensional import number_of_array
from chainrules_tape.core.levels import call_traced, innermost, open_levels
from chainrules_tape.numpy.creation import zeros
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.refusals.handles import HANDLES, TracedArray, names_a_handle, plain
from chainrules_tape.refusals.instrumented_packages import arrays_of, stood_for

_DOUBLE = np.dtype(float)


def as_float(x: Any = 0.0, /) -> Any:
    """The traced number itself, in the place of ``float(x)``."""
    if not open_levels or type(x) is float:
        return float(x)
    if type(x) in HANDLES:  # two answers that the lines below give as well, at four times the cost
        value = x.value
        if type(value) is float64:
            return in_pythons_form(x)
        if type(value) is ndarray and value.dtype is _DOUBLE and not value.ndim:
            return in_pythons_form(number_of_array(x))

    x = own_answer(stood_for(x), "__float__")
    if isinstance(x, str):
        require_plain_text(x)
    if not issubclass(type(x), TracedArray):
        return float(x)
    check_each(float, x)  # raises where NumPy does
    return in_pythons_form(traced_number(x, float))


def as_int(*args, **options):
    """The integer part of a traced number, which is constant between its steps."""
    if not open_levels or type(args[0] if args else None) is float:
        return int(*args, **options)
    if len(args) != 1 or options:
        return int(*map(plain, args), **options)
    x = stood_for(args[0])
    if issubclass(type(x), TracedArray):
        return whole_number(int, x, calling_frame(frame_above(1)), "int(x)")
    if isinstance(x, str):
        require_plain_text(x)
    return int(x)


def as_complex(*args, **options):
    """The traced number itself as a complex one, in the place of ``complex(x)``."""
    if not open_levels:
        return complex(*args, **options)
    args = tuple(map(stood_for, args))
    options = {name: stood_for(part) for name, part in options.items()}
    parts = (*args, *options.values())
    if not any(issubclass(type(part), TracedArray) for part in parts):
        return complex(*args, **options)

    # Python's own raises where it does not convert.
    check_each(complex, *args, **options)
    if len(args) == 1 and not options:
        return in_pythons_form(traced_number(args[0], complex))
    real = args[0] if args else options.get("real", 0.0)
    imag = args[1] if len(args) > 1 else options.get("imag", 0.0)
    if isinstance(real, complex) or isinstance(imag, complex):
        return real + 1j * imag
    z = zeros((), complex)  # the sum would lose an infinity, and the sign of a zero
    z.real, z.imag = real, imag
    return in_pythons_form(z[()])


def as_type(x, /, *bases, **options):
    """``type(x)``, which gives the class of the traced value; or a new class."""
    if bases or options:
        return type(x, *bases, **options)
    cls = type(x)
    is_traced = cls in arrays_of or issubclass(cls, TracedArray)
    return x.__class__ if open_levels and is_traced else cls


def as_iterator(x, *sentinel):
    """``iter(x)``, which raises at once for a number."""
    if not sentinel and issubclass(type(x), TracedArray) and x.is_number:
        raise TypeError(f"{x.__class__.__name__!r} object is not iterable")
    return iter(x, *sentinel)


def of_class(cls: type) -> Function:
    """``numpy.float64(x)`` or the like for a traced value, which becomes one of this precision."""

    def as_number(*args):
        args = tuple(map(stood_for, args)) if open_levels else args
        if not open_levels or len(args) != 1 or innermost(args) is None:
            return cls(*args)
        x = call_traced(np.asarray, args, {})
        y = x if x.dtype == cls else x.astype(cls)
        return y if y.ndim else traced_number(y, cls)

    return as_number


def of_integer_class(cls: type) -> Function:
    """``numpy.int64(x)`` or the like for a traced number."""

    def as_integer(*args):
        is_traced = open_levels and len(args) == 1 and issubclass(type(args[0]), TracedArray)
        if not is_traced or np.size(args[0]) != 1:
            return cls(*args)
        frame = calling_frame(frame_above(1))
        return cls(whole_number(int, args[0], frame, f"numpy.{cls.__name__}(x)"))

    return as_integer


def own_answer(x, name: str) -> Any:
    """Call a conversion method that is written in Python; return other objects as they are."""
    method = getattr(type(x), name, None)
    if issubclass(type(x), TracedArray) or not isinstance(method, FunctionType):
        return x
    return method(x)


def require_plain_text(text: str) -> None:
    """Raise for a text that shows a traced number."""
    if type(text) is TracedText or names_a_handle(text):
        got = f"the text of a traced number, {text!r}"
        raise LostGradientError(
            "float(text)", got, "convert the number itself", operation=float, value=text
        )


def traced_number(x, kind) -> Any:
    """A traced value of one entry as a number of a dtype."""
    if type(x) in HANDLES and type(x.value) is ndarray and x.shape == ():
        number = number_of_array(x)
    elif x.is_number:
        number = x
    else:
        number = (x if x.shape == () else np.reshape(x, ()))[()]
    return number if number.dtype == kind else number.astype(kind)
