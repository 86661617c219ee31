"""Rounding to decimal places in foreign code, where it would cut a derivative in silence.

``round(x, 6)`` is a staircase of derivative zero. In programs it is mostly there to print, and what
its steps hide is meant. In foreign code it is therefore refused where something depends on its
result: not when it is called, since it may be compared, shown, or be a key, but when a derivative
arrives there. Steps that are as fine as roundoff, below 1e-8 of the number, let the derivative
pass. Rounding to whole numbers is one of the functions with steps (`steps`).

`as_round`, `rounding_by` and `fixing_by` make what foreign code calls; elsewhere rounding is what
it is in NumPy, a constant.
"""

from functools import update_wrapper
from types import FrameType
from typing import Any

import numpy

from chainrules_foreign_code.lanes import in_all_lanes, in_any_lane, without_derivative
from chainrules_foreign_code.steps import has_own_rule, note_quotient, whole_number
from chainrules_py import NO_TANGENT, ZERO, Array, NotImplementedTangent, Scalar, frule, rrule
from chainrules_py.annotations import Function
from chainrules_py.introspection import location_of, module_name
from chainrules_tape.core.levels import call_traced, open_levels
from chainrules_tape.in_place.reading import read_now
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.refusals.handles import TracedArray


def rounding(x, frame: FrameType, *, decimals: int):
    """Round to decimal places for foreign code, of which a frame runs the line."""
    return numpy.round(x, decimals)


@rrule.register(rounding)
def rounding_rrule(x: Array | Scalar, frame: FrameType, *, decimals: int, xp):
    """Round, with a pullback that raises where a cotangent arrives."""
    refusal = refusal_of(frame, decimals)
    passes = is_fine(x, decimals)

    def rounding_pullback(y_bar):
        if passes:
            return y_bar, NO_TANGENT
        if in_any_lane(without_derivative(y_bar)):
            raise LostGradientError(*refusal, operation=rounding, value=None)
        return ZERO, NO_TANGENT

    return rounded_value(x, frame, decimals, xp), rounding_pullback


@frule.register(rounding)
def rounding_frule(dots, x: Array | Scalar, frame: FrameType, *, decimals: int, xp):
    """Round, with a tangent that raises where something is computed of it."""
    y = rounded_value(x, frame, decimals, xp)
    if is_fine(x, decimals):
        return y, dots[0]
    place, got, instead = refusal_of(frame, decimals)
    return y, NotImplementedTangent(f"{got}; {instead}", place)


def rounded_value(x, frame: FrameType, decimals: int, xp) -> Any:
    """Round a value; what outer levels trace by the rule, so that they have its derivative, too."""
    if issubclass(type(x), TracedArray):
        return call_traced(rounding, (x, frame), {"decimals": decimals})
    return xp.round(x, decimals=decimals)


def is_fine(x, decimals: int) -> bool:
    """Whether the steps of rounding are as fine as roundoff: below 1e-8 of each number."""
    return in_all_lanes(numpy.abs(without_derivative(x)) >= 1e8 * 10.0**-decimals)


def refusal_of(frame: FrameType, decimals: int) -> tuple[str, str, str]:
    """Say where a number is rounded, what that loses, and what to write instead."""
    where = f"{frame.f_code.co_qualname} of {module_name(frame)} ({location_of(frame)})"
    got = (
        f"the derivative depends on the result of round(x, {decimals}), which is constant between its"
        " steps"
    )
    instead = (
        "differentiate the number before it is rounded; or round it in a function of your own,"
        " mark that with @primitive, and write its rule"
    )
    return where, got, instead


def rounded(x, decimals, frame: FrameType) -> Any:
    """Round a traced value for foreign code: to whole numbers as other functions with steps do."""
    decimals = int(decimals or 0)
    x = read_now(x)
    if not issubclass(type(x), TracedArray):
        return numpy.round(x, decimals)
    if decimals > 0:
        return call_traced(rounding, (x, frame), {"decimals": decimals})
    note_quotient(x, 10.0**-decimals, (x,), frame, "round(x)")
    return call_traced(numpy.round, (x, decimals), {})


def as_round(number, ndigits: Any = None):
    """Round a traced number in the place of Python's ``round(x, digits)``."""
    if not open_levels or not issubclass(type(number), TracedArray):
        return round(number, ndigits)
    frame = calling_frame()
    if ndigits is None and isinstance(without_derivative(number), float):
        return whole_number(round, number, frame, "round(x)")
    return rounded(number, ndigits, frame)


def rounding_by(function: Function) -> Function:
    """Make ``numpy.round(x, decimals)`` or ``x.round(decimals)`` for foreign code."""

    def round_as_foreign(x, *args, **options):
        writes = len(args) > 1 or "out" in options
        if not open_levels or writes or not issubclass(type(x), TracedArray):
            return function(x, *args, **options)
        if has_own_rule(numpy.round, (x,)):
            return function(x, *args, **options)
        decimals = args[0] if args else options.get("decimals", 0)
        return rounded(x, decimals, calling_frame())

    return update_wrapper(round_as_foreign, function)


def fixing_by(function: Function) -> Function:
    """Make ``numpy.fix(x)``, which rounds towards zero, for foreign code."""

    def fix_as_foreign(x, *out, **options):
        if not open_levels or out or options or not issubclass(type(x), TracedArray):
            return function(x, *out, **options)
        if not has_own_rule(numpy.fix, (x,)):
            note_quotient(x, 1.0, (x,), calling_frame(), "fix(x)")
        return function(x)

    return update_wrapper(fix_as_foreign, function)
