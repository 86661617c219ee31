"""Rounding to decimal places in code that is seen through, which would cut a derivative in silence.

``round(x, 6)`` is a staircase of derivative zero. In programs it is nearly always a way to print,
and what its steps hide is meant. In code that is seen through it is therefore refused where
something depends on its result: not when it is called, since it may be compared, shown, or be a
key, but when a derivative arrives there. Steps that are as fine as roundoff, below 1e-8 of the
number, let the derivative pass. Rounding to whole numbers is one of the functions with steps
(`steps`). Elsewhere rounding is what it is in NumPy, a constant.
"""

from collections.abc import Callable
from functools import update_wrapper
from types import FrameType
from typing import Any

import numpy

from chainrules_py import NO_TANGENT, ZERO, Array, NotImplementedTangent, Scalar, frule, rrule
from chainrules_py.introspection import frame_above
from chainrules_tape.core.levels import call, open_levels
from chainrules_tape.numpy.steps import cut, is_real, whole_number
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.instrumented_packages import is_seen_through


def rounding(x: Any, frame: FrameType, *, decimals: int) -> Any:
    """Round to decimal places in a frame whose code is seen through."""
    return numpy.round(x, decimals)


@rrule.register(rounding)
def rounding_rrule(x: Array | Scalar, frame: FrameType, *, decimals: int, xp: Any) -> Any:
    """Round, with a pullback that raises where a cotangent arrives."""
    where, fine = asked_for(frame, decimals), is_fine(x, decimals)

    def rounding_pullback(y_bar: Any) -> Any:
        if fine:
            return y_bar, NO_TANGENT
        if numpy.any(plain(y_bar)):
            raise LostGradientError(*where, operation=rounding, value=None)
        return ZERO, NO_TANGENT

    return xp.round(x, decimals=decimals), rounding_pullback


@frule.register(rounding)
def rounding_frule(
    dots: Any, x: Array | Scalar, frame: FrameType, *, decimals: int, xp: Any
) -> Any:
    """Round, with a tangent that raises where something is computed of it."""
    place, got, instead = asked_for(frame, decimals)
    y_dot = dots[0] if is_fine(x, decimals) else NotImplementedTangent(f"{got}; {instead}", place)
    return xp.round(x, decimals=decimals), y_dot


def is_fine(x: Any, decimals: int) -> bool:
    """Whether the steps of rounding are as fine as roundoff: below 1e-8 of each number."""
    return bool(numpy.all(numpy.abs(plain(x)) >= 1e8 * 10.0**-decimals))


def asked_for(frame: FrameType, decimals: int) -> tuple[str, str, str]:
    """Who asks for rounding, what happens there, and what to write instead."""
    code, module = frame.f_code, frame.f_globals.get("__name__", "")
    return (
        f"{code.co_qualname} of {module} ({code.co_filename}:{frame.f_lineno})",
        (
            f"round(x, {decimals}), on whose result the derivative depends: it has steps, between"
            " which nothing changes"
        ),
        (
            "differentiate what is rounded; or call it in a function of your own marked with"
            " @primitive, and write its rule"
        ),
    )


def rounded_there(x: Any, decimals: Any, frame: FrameType) -> Any:
    """Round in a frame whose code is seen through: to whole numbers as other functions with steps
    do.
    """
    decimals = int(decimals or 0)
    if x.level is None:
        return call(numpy.round, (x, decimals), {})
    if decimals > 0:
        return call(rounding, (x, frame), {"decimals": decimals})
    value = numpy.round(plain(x), decimals)
    return (
        cut(x, value, frame, "round(x)", 10.0**-decimals)
        if is_real(x)
        else call(numpy.round, (x, decimals), {})
    )


def seen_fix(function: Callable[..., Any]) -> Callable[..., Any]:
    """``numpy.fix``, which rounds towards zero, and that knows whether its caller is seen through."""

    def fixed(x: Any, *out: Any, **options: Any) -> Any:
        if (
            open_levels
            and not out
            and not options
            and issubclass(type(x), TracedArray)
            and is_real(x)
            and x.level is not None
        ):
            frame = frame_above(1)
            if is_seen_through(frame):
                return cut(x, numpy.trunc(plain(x)), frame, "fix(x)")
        return function(x, *out, **options)

    return update_wrapper(fixed, function)


def seen_round(function: Callable[..., Any]) -> Callable[..., Any]:
    """What Python's ``round(x, digits)`` asks of a number, and that knows whether its caller is
    seen through.
    """

    def rounded(x: Any, digits: int | None = None) -> Any:
        frame = frame_above(1)
        if not (open_levels and is_seen_through(frame)):
            return function(x, digits)
        value = plain(x)
        if digits is None and isinstance(value, float):
            return whole_number(round, x, frame, "round(x)")
        return rounded_there(x, digits, frame)

    return update_wrapper(rounded, function)


def seen_rounding(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function or method that rounds, and that knows whether its caller is seen through."""

    def rounded(a: Any, *args: Any, **options: Any) -> Any:
        decimals = args[0] if args else options.get("decimals", 0)
        if open_levels and issubclass(type(a), TracedArray):
            frame = calling_frame()
            if is_seen_through(frame) and "out" not in options and len(args) < 2:
                return rounded_there(a, decimals, frame)
        return function(a, *args, **options)

    return update_wrapper(rounded, function)
