"""Rounding to decimal places in code that is seen through, which would cut a derivative in silence.

``round(x, 6)`` is a staircase of derivative zero. In programs it is nearly always a way to print, and what its steps hide is
meant. In code that is seen through it is therefore refused where something depends on its result: not when it is called, since
it may be compared, shown, or be a key, but when a derivative arrives there. Steps that are as fine as roundoff, below 1e-8 of
the number, let the derivative pass. Elsewhere rounding is what it is in NumPy, a constant.
"""

import sys
from collections.abc import Callable
from functools import update_wrapper
from types import FrameType
from typing import Any

import numpy

from chainrules_py import NO_TANGENT, ZERO, Array, NotImplementedTangent, Scalar, frule, rrule
from chainrules_tape.core.errors import LostGradientError
from chainrules_tape.core.handles import TracedArray, plain
from chainrules_tape.core.levels import call, open_levels
from chainrules_tape.core.seen import is_seen


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
def rounding_frule(dots: Any, x: Array | Scalar, frame: FrameType, *, decimals: int, xp: Any) -> Any:
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
        f"round(x, {decimals}), on whose result the derivative depends: it has steps, between which nothing changes",
        "differentiate what is rounded; or call it in a function of your own marked with @primitive, and write its rule",
    )


def seen_rounding(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function or method that rounds, and that knows whether its caller is seen through."""

    def rounded(a: Any, *args: Any, **options: Any) -> Any:
        decimals = args[0] if args else options.get("decimals", 0)
        if open_levels and decimals and decimals > 0 and issubclass(type(a), TracedArray):
            frame = sys._getframe(1)
            if is_seen(frame.f_globals.get("__name__", "")):
                return call(rounding, (a, frame), {"decimals": int(decimals)})
        return function(a, *args, **options)

    return update_wrapper(rounded, function)
