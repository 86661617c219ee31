"""Traced numbers as arrays without axes, and back: other handles at the same place, so that no operation is recorded."""

from typing import Any

from chainrules_tape.core import duals, tape

_new = object.__new__


def at_its_place(x: Any, value: Any) -> Any:
    """The handle on another form of a traced value, with the cotangent, or the tangent, of the first."""
    if type(x) in tape.HANDLES:
        made = _new(tape.HANDLE_OF[type(value)])
        made.slot = x.slot
    else:
        made = _new(duals.HANDLE_OF[type(value)])
        made.tangent = x.tangent
    made.value, made.level = value, x.level
    return made
