"""``a *= x`` for a plain array that nobody else holds and a traced `x`, in code that is seen
through.

Python assigns what the operation returns to the name that it read. Where that name alone holds the
array, nobody can tell a new array in its place from one that was written to, so the new one may be
traced. References are counted; how many there are of an array that one name holds depends on the
way of the call, so a probe takes the same way.
"""

import opcode
from types import FrameType
from typing import Any

import numpy as np

from chainrules_tape.refusals.errors import frame_outside
from chainrules_tape.refusals.instrumented_packages import is_seen

_BINARY = opcode.opmap["BINARY_OP"]
# the arguments of BINARY_OP that stand for ``+=`` and its like, in 3.11 to 3.14
_AUGMENTED = frozenset(range(13, 26))


class Counted(Exception):
    """How many references there are of a probe."""


class Probe(np.ndarray):
    """An array that is counted, and not written to."""


def replaced(primal: Any, target: Any, args: tuple[Any, ...], count: int) -> Any:
    """The value of ``target *= x`` where that may take the target's place, else None; `count` is of
    references to it.
    """
    if type(target) is Probe:
        raise Counted(count)
    frame = frame_outside()
    if (
        not is_augmented_assignment(frame)
        or type(target) is not np.ndarray
        or target.base is not None
    ):
        return None
    if count > references_of_one_holder(args[1]):
        return None
    y = primal(*args)
    return y if y.shape == target.shape and y.dtype == target.dtype else None


def is_augmented_assignment(frame: FrameType) -> bool:
    """Whether a frame of code that is seen through is at ``a *= x`` or the like."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return (
        code[at] == _BINARY
        and code[at + 1] in _AUGMENTED
        and is_seen(frame.f_globals.get("__name__", ""))
    )


def references_of_one_holder(x: Any) -> int:
    """How many references an array has that one name holds, when it is augmented by this traced
    value.
    """
    probe: Any = np.zeros(1).view(Probe)
    try:
        probe += x
    except Counted as counted:
        return int(counted.args[0])
    return 0
