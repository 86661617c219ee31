"""Traced numbers as arrays without axes, and back: other handles at the same place, so that no
operation is recorded.
"""

from collections.abc import Callable
from typing import Any

from numpy import asarray, copy, float64, ndarray

from chainrules_py.values.arrays import call as library_call
from chainrules_tape.core import duals, tape
from chainrules_tape.lanes import level as lanes
from chainrules_tape.refusals.handles import TracedArray, moved

_new = object.__new__


def array_of_number(x) -> Any:
    """The array without axes of a number, which may be traced."""
    if type(x) is tape.HANDLE_OF.number:  # the frequent one
        made, value = _new(tape.HANDLE_OF.array), x.value
        made.value = asarray(value) if type(value) is float64 else array_of_number(value)
        made.slot, made.level = x.slot, x.level
        return made
    if not issubclass(type(x), TracedArray):
        return library_call(asarray, x)
    return in_another_form(x, array_of_number) if x.is_number else x


def number_of_array(x) -> Any:
    """The number of an array without axes, which may be traced."""
    if type(x) is ndarray or not issubclass(type(x), TracedArray):
        return x[()]
    return x if x.is_number else in_another_form(x, number_of_array)


def in_another_form(x, form: Callable[[Any], Any]) -> Any:
    """The handle on another form of a traced value, with the cotangent, the tangent, the series or
    the pattern of the first. For numbers in lanes it is a copy, since others may have their memory.
    """
    if type(x) in lanes.HANDLES:
        return copy(x) if x.is_number else lanes.in_another_form(x)
    value = form(x.value)
    if x.level.mode == "patterns":
        return x.level.handle(value, x.rows)
    made = moved(x, value, x.forms[type(value)])
    if type(x) in duals.HANDLES:
        made.tangent = form(x.tangent)
    return made
